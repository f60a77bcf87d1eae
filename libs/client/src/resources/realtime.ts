/** Realtime conversations, which are held over a WebSocket of your own. */
import type { Call } from '../call.ts';
import type { BodyOf, Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What opens realtime conversations. */
export class Realtime extends Resource {
  /** A short-lived token for a browser, which opens one session's configuration and nothing else. */
  createClientSecret(
    body: BodyOf<'createRealtimeClientSecret'>,
    options?: RequestOptions,
  ): Call<Schemas['RealtimeClientSecret']> {
    return this.core.call('createRealtimeClientSecret', { body }, options);
  }
}
