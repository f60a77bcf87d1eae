import { describeSubjectAdapter, describeVideoAdapter } from '@model-gateway/testing';
import { kling } from './adapter.ts';

describeVideoAdapter(kling, 'kling', {
  model: 'kling-v3-omni',
  input: (prompt) => ({ shape: 'omni', body: { prompt }, prompt, duration: 5, resolution: '720P', ratio: '16:9' }),
});
describeSubjectAdapter(kling, 'kling');
