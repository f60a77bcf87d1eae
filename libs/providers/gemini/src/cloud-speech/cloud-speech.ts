import type { VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from '../fault.ts';
import { authorizeGoogle } from '../vertex/google-auth.ts';
import { googleSpeech as declared } from './declared.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const googleSpeech: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  identifiers: ['project_id'],
  authorize: authorizeGoogle,
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
