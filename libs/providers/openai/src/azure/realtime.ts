import { GatewayError } from '@model-gateway/contracts';
import type { RealtimeAdapter } from '@model-gateway/provider-kit';
import { realtime as ofOpenAi } from '../realtime.ts';
import { azureUpstream, isOnV1 } from './addresses.ts';

/** OpenAI's events, on the wire without dates only: those of the dated one are of the beta before it. */
export const realtime: RealtimeAdapter = {
  wire: ofOpenAi.wire,
  async connect(opening, upstream) {
    if (!isOnV1(upstream.account.settings)) {
      throw new GatewayError(
        'upstream_rejected_model',
        'realtime conversations need `api_version: v1` on this account',
        { taken: 'no' },
      );
    }
    return ofOpenAi.connect(opening, azureUpstream(upstream));
  },
};
