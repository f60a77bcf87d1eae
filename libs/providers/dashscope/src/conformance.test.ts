import { describeVideoAdapter } from '@model-gateway/testing';
import { dashscope } from './adapter.ts';

describeVideoAdapter(dashscope, 'dashscope', {
  model: 'happyhorse-1.0-t2v',
  input: (prompt) => ({
    shape: 'input',
    body: { input: { prompt }, parameters: { resolution: '720P', ratio: '16:9', duration: 5, watermark: false } },
  }),
});
