export { assemblyai } from './assemblyai/assemblyai.ts';
export { cartesia } from './cartesia/cartesia.ts';
export { deepgram } from './deepgram/deepgram.ts';
export { elevenlabs } from './elevenlabs/elevenlabs.ts';
