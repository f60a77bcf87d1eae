import type { Vendor } from '@model-gateway/provider-kit';
import { assemblyai as declaredAssemblyai } from './assemblyai/declared.ts';
import { cartesia as declaredCartesia } from './cartesia/declared.ts';
import { deepgram as declaredDeepgram } from './deepgram/declared.ts';
import { elevenlabs as declaredElevenlabs } from './elevenlabs/declared.ts';

export const assemblyai: Vendor = {
  ...declaredAssemblyai,
  load: async () => (await import('./assemblyai/assemblyai.ts')).assemblyai,
};
export const cartesia: Vendor = {
  ...declaredCartesia,
  load: async () => (await import('./cartesia/cartesia.ts')).cartesia,
};
export const deepgram: Vendor = {
  ...declaredDeepgram,
  load: async () => (await import('./deepgram/deepgram.ts')).deepgram,
};
export const elevenlabs: Vendor = {
  ...declaredElevenlabs,
  load: async () => (await import('./elevenlabs/elevenlabs.ts')).elevenlabs,
};
