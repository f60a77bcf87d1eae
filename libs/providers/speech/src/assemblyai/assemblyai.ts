import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { assemblyai as declared } from './declared.ts';

export const assemblyai: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: (_request, { credentials }) => ({ authorization: credentials['api_key'] ?? '' }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
