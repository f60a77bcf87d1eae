import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** AssemblyAI (docs/wire/assemblyai.md): transcripts with words and speakers, made by jobs. */
export const assemblyai: VendorAdapter = {
  id: 'assemblyai',
  ...CAPABILITIES,
  declares: {
    title: 'AssemblyAI',
    ...declareApiKey('https://api.assemblyai.com'),
    baseUrlTail: /\/v2$/,
    quirks: QUIRKS,
  },
  authorize: (_request, { credentials }) => ({ authorization: credentials['api_key'] ?? '' }),
  readFault,
};
