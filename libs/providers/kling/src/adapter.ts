import type { VendorAdapter } from '@model-gateway/provider-kit';
import { kling as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { signKlingToken } from './sign.ts';
import { subjects } from './subjects.ts';

export const kling: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  subjects,
  authorize(_request, { credentials }, now) {
    // The newer kind of account has one key instead of a pair.
    const token =
      credentials['api_key'] ??
      signKlingToken(credentials['access_key'] ?? '', credentials['secret_key'] ?? '', Math.floor(now / 1000));
    return { authorization: `Bearer ${token}` };
  },
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
