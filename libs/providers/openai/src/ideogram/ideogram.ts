/** Ideogram (docs/wire/ideogram.md): pictures by forms, given by links. */
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { ideogram as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const ideogram: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: (_request, account) => ({ 'api-key': account.credentials['api_key'] ?? '' }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
