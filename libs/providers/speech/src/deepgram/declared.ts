import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Deepgram (docs/wire/deepgram.md): transcripts with words and speakers, and speech. */
export const deepgram: DeclaredVendor = {
  id: 'deepgram',
  declares: {
    title: 'Deepgram',
    ...declareApiKey('https://api.deepgram.com'),
    baseUrlTail: /\/v1$/,
  },
};
