import { describeSubjectAdapter, describeVideoAdapter } from '@model-gateway/testing';
import { tencentVod } from './adapter.ts';

describeVideoAdapter(tencentVod, 'tencent-vod', {
  model: 'Kling/3.0-Omni',
  input: (prompt) => ({ shape: 'omni', body: { prompt, duration: 5, size: '720P', aspect_ratio: '16:9' } }),
});
describeSubjectAdapter(tencentVod, 'tencent-vod');
