/** Realtime conversations, which are held over a WebSocket of your own. */
import type { OtherModel } from '../bodies.ts';
import type { Call } from '../call.ts';
import type { RealtimeModelCode } from '../generated/models.ts';
import type { BodyOf, Schemas } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** What realtime conversations can name. */
type RealtimeModel = RealtimeModelCode | OtherModel;
/** What a short-lived token is for. */
type ClientSecretBody = BodyOf<'createRealtimeClientSecret'> & {
  readonly session?: { readonly model?: RealtimeModel };
};

/** What opens realtime conversations. */
export class Realtime extends Resource {
  /** A short-lived token for a browser, which opens one session's configuration and nothing else. */
  createClientSecret(body: ClientSecretBody, options?: RequestOptions): Call<Schemas['RealtimeClientSecret']> {
    return this.core.call('createRealtimeClientSecret', { body }, options);
  }
}
