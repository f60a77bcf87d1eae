import type { VendorAdapter } from '@model-gateway/provider-kit';
import { minimax as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const minimax: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
