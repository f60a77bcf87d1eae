import type { Vendor } from '@model-gateway/provider-kit';
import { googleSpeech as declaredSpeech } from './cloud-speech/declared.ts';
import { gemini as declaredGemini } from './declared.ts';
import { vertex as declaredVertex } from './vertex/declared.ts';

export const gemini: Vendor = { ...declaredGemini, load: async () => (await import('./adapter.ts')).gemini };
export const vertex: Vendor = { ...declaredVertex, load: async () => (await import('./vertex/vertex.ts')).vertex };
export const googleSpeech: Vendor = {
  ...declaredSpeech,
  load: async () => (await import('./cloud-speech/cloud-speech.ts')).googleSpeech,
};
