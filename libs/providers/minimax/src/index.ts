import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { videos } from './videos.ts';

/** MiniMax Hailuo, API v1. */
export const minimax: ProviderAdapter = {
  id: 'minimax',
  videos,
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault,
};
