/** What a vendor must answer that holds realtime conversations over a WebSocket. */
import type { Upstream, UpstreamSocket } from './adapter.ts';

/** The events that a vendor speaks: OpenAI's Realtime, or Google's BidiGenerateContent. */
export type RealtimeWire = 'openai-realtime' | 'gemini-live';

export interface RealtimeOpening {
  /** The session only writes down what it hears. */
  readonly transcribes: boolean;
}

export interface RealtimeAdapter {
  readonly wire: RealtimeWire;
  /** Opens the socket of a session. Throws what the vendor refused with. */
  connect(opening: RealtimeOpening, upstream: Upstream): Promise<UpstreamSocket>;
}
