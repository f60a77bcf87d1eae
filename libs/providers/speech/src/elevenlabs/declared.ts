import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** ElevenLabs (docs/wire/elevenlabs.md): speech, and transcripts with words and speakers. */
export const elevenlabs: DeclaredVendor = {
  id: 'elevenlabs',
  declares: {
    title: 'ElevenLabs',
    ...declareApiKey('https://api.elevenlabs.io'),
    baseUrlTail: /\/v1$/,
  },
};
