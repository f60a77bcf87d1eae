import { describeVideoAdapter } from '@model-gateway/testing';
import { minimax } from './adapter.ts';

describeVideoAdapter(minimax, 'minimax', {
  model: 'MiniMax-Hailuo-2.3',
  input: (prompt) => ({ shape: 'prompt', body: { prompt, duration: 6, resolution: '768P' } }),
});
