import type { VendorAdapter } from '@model-gateway/provider-kit';
import { bedrock as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { signed } from './sign.ts';

export const bedrock: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  signsBodies: true,
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    return key === '' ? signed(request, account, now) : { authorization: `Bearer ${key}` };
  },
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
