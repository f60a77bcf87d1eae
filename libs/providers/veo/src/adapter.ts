import { serviceAccountToken, type VendorAdapter } from '@model-gateway/provider-kit';
import { veo as declared, wireOf } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { FRESH_TOKEN } from './google.ts';

export const veo: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  identifiers: ['project_id'],
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    switch (wireOf(account)) {
      case 'gemini':
        return { 'x-goog-api-key': key };
      case 'kie':
        return { authorization: `Bearer ${key}` };
      case 'vertex': {
        const fresh = request.headers[FRESH_TOKEN] !== undefined;
        return serviceAccountToken(account, request.send, now, fresh).then((token) => ({
          authorization: `Bearer ${token}`,
          [FRESH_TOKEN]: '',
        }));
      }
    }
  },
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
