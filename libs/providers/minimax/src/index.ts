import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { videos } from './videos.ts';

/** MiniMax Hailuo, API v1. */
export const minimax: VendorAdapter = {
  id: 'minimax',
  videos,
  declares: { ...declareApiKey('https://api.minimax.io/v1'), platform: '35' },
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault,
};
