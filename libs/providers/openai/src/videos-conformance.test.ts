import { describeVideoAdapter } from '@model-gateway/testing';
import { openai } from './openai.ts';

const asked = (prompt: string) => ({
  shape: 'seconds' as const,
  body: { prompt, seconds: '4', size: '1280x720' },
  prompt,
  duration: 4,
  size: '1280x720',
});

describeVideoAdapter(openai, 'openai', { model: 'sora-2', input: asked });
describeVideoAdapter(openai, 'xai', {
  model: 'grok-imagine-video',
  settings: { wire: 'xai' },
  input: asked,
  jsonWhileRunning: false,
});
