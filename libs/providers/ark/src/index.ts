import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { videos } from './videos.ts';

/** Volcengine Ark and BytePlus ModelArk. */
export const ark: ProviderAdapter = {
  id: 'ark',
  videos,
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault,
};
