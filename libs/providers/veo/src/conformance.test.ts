import { describeVideoAdapter } from '@model-gateway/testing';
import { veo } from './adapter.ts';

const prompted = (prompt: string) => ({ shape: 'image-urls' as const, body: { prompt }, prompt, ratio: '16:9' });

describeVideoAdapter(veo, 'veo', {
  model: 'veo-3.1-generate-001',
  settings: { wire: 'gemini' },
  input: prompted,
  // Done or not is all an operation says.
  statusWords: false,
});
describeVideoAdapter(veo, 'vertex', {
  model: 'veo-3.1-generate-001',
  settings: { wire: 'vertex', location: 'us-central1' },
  input: prompted,
  statusWords: false,
});
describeVideoAdapter(veo, 'kie', {
  model: 'veo3_fast',
  settings: { wire: 'kie' },
  input: prompted,
  // A number says how far it is.
  statusWords: false,
});
