import type { RealtimeAdapter } from '@model-gateway/provider-kit';
import { realtime as ofOpenAi } from '../realtime.ts';
import { azureUpstream } from './addresses.ts';

/** OpenAI's events on the wire without dates, whichever wire the account is asked on otherwise (docs/wire/azure.md#addresses). */
export const realtime: RealtimeAdapter = {
  wire: ofOpenAi.wire,
  connect: (opening, upstream) => ofOpenAi.connect(opening, azureUpstream(upstream)),
};
