/** Realtime models: conversations by sound and text over a WebSocket. */
import type { KindModule } from '../../kind-module.ts';

export { quoteOfTurn, type TurnOutlook } from './expected.ts';
export {
  openLine,
  payTurn,
  quoteOfTranscript,
  refuseGuarded,
  type RealtimeCall,
  type RealtimeLine,
  type RealtimeParts,
  type TurnCall,
  type TurnEnd,
} from './realtime.ts';

export const realtimeKind: KindModule = {
  name: 'realtime',
  called: 'a realtime model',
  capability: 'realtime',
  likelyNames: /realtime/i,
  rows: { realtime: {} },
  inputs: [],
  answersAtOnce: true,
  describe: () => ({ operations: ['connectRealtime', 'connectGeminiLive'], formats: ['realtime'] }),
  // Nothing is known of a conversation before it is held.
  quote: {},
};
