import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** ElevenLabs (docs/wire/elevenlabs.md): speech, and transcripts with words and speakers. */
export const elevenlabs: VendorAdapter = {
  id: 'elevenlabs',
  ...CAPABILITIES,
  declares: {
    title: 'ElevenLabs',
    ...declareApiKey('https://api.elevenlabs.io'),
    baseUrlTail: /\/v1$/,
    quirks: QUIRKS,
  },
  authorize: (_request, { credentials }) => ({ 'xi-api-key': credentials['api_key'] ?? '' }),
  readFault,
};
