import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { FRESH_TOKEN } from './google.ts';
import { accessToken } from './token.ts';
import { videos } from './videos.ts';
import { wireOf } from './wire.ts';

/** Google Veo through the Gemini API, Vertex AI or kie.ai, by the account's setting `wire`. */
export const veo: ProviderAdapter = {
  id: 'veo',
  videos,
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
        return accessToken(account, request.send, now, fresh).then((token) => ({
          authorization: `Bearer ${token}`,
          [FRESH_TOKEN]: '',
        }));
      }
    }
  },
  readFault,
};
