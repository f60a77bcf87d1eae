import { declareApiKey, STREAM_KEEPS_BILLING, type DeclaredVendor } from '@model-gateway/provider-kit';

/** MiniMax Hailuo, API v1. */
export const minimax: DeclaredVendor = {
  id: 'minimax',
  declares: {
    title: 'MiniMax',
    ...declareApiKey('https://api.minimax.io/v1'),
    platform: '35',
    streamCancellation: () => STREAM_KEEPS_BILLING,
  },
};
