import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Deepgram (docs/wire/deepgram.md): transcripts with words and speakers, and speech. */
export const deepgram: VendorAdapter = {
  id: 'deepgram',
  ...CAPABILITIES,
  declares: {
    title: 'Deepgram',
    ...declareApiKey('https://api.deepgram.com'),
    baseUrlTail: /\/v1$/,
    quirks: QUIRKS,
  },
  authorize: (_request, { credentials }) => ({ authorization: `Token ${credentials['api_key'] ?? ''}` }),
  readFault,
};
