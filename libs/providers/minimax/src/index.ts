import { declareApiKey, STREAM_KEEPS_BILLING, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** MiniMax Hailuo, API v1. */
export const minimax: VendorAdapter = {
  id: 'minimax',
  ...CAPABILITIES,
  declares: {
    title: 'MiniMax',
    ...declareApiKey('https://api.minimax.io/v1'),
    platform: '35',
    streamCancellation: () => STREAM_KEEPS_BILLING,
    quirks: QUIRKS,
  },
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault,
};
