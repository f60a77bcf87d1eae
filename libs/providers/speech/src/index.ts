export { elevenlabs } from './elevenlabs/elevenlabs.ts';
