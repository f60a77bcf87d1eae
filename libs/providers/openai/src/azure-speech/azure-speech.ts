import type { VendorAdapter } from '@model-gateway/provider-kit';
import { entraToken } from '../azure/entra.ts';
import { azureSpeech as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const azureSpeech: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    if (key !== '') return { 'ocp-apim-subscription-key': key };
    return entraToken(account, request.send, now).then((token) => ({ authorization: `Bearer ${token}` }));
  },
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
