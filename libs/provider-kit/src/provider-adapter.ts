/** A vendor's adapter, put together from its parts. The contract of a further kind of model is a file of its own, named here. */
import type { Account, ChatAdapter, Fault, SignableRequest, SignedHeaders, UpstreamReply } from './adapter.ts';
import type { ImageAdapter } from './image-adapter.ts';
import type { SpeechAdapter } from './speech-adapter.ts';
import type { SubjectAdapter } from './subject-adapter.ts';
import type { VideoAdapter } from './video-adapter.ts';
import type { BatchAdapter } from './batch-adapter.ts';
import type { ContextCacheAdapter } from './context-cache-adapter.ts';
import type { EmbeddingAdapter } from './embedding-adapter.ts';
import type { FileAdapter } from './file-adapter.ts';
import type { MusicAdapter } from './music-adapter.ts';
import type { ModelListAdapter } from './model-list-adapter.ts';
import type { ModerationAdapter } from './moderation-adapter.ts';
import type { RealtimeAdapter } from './realtime-adapter.ts';
import type { RerankAdapter } from './rerank-adapter.ts';
import type { TranscriptionAdapter } from './transcription-adapter.ts';

import type { VendorLimits } from './vendor-limits.ts';

export type * from './adapter.ts';
export type * from './image-adapter.ts';
export type * from './speech-adapter.ts';
export type * from './subject-adapter.ts';
export type * from './video-adapter.ts';
export type * from './batch-adapter.ts';
export type * from './context-cache-adapter.ts';
export type * from './embedding-adapter.ts';
export type * from './file-adapter.ts';
export * from './embedding-form.ts';
export * from './embedding-inputs.ts';
export * from './embedding-settings.ts';
export * from './model-list-adapter.ts';
export type * from './moderation-adapter.ts';
export type * from './music-adapter.ts';
export type * from './realtime-adapter.ts';
export type * from './rerank-adapter.ts';
export type * from './transcription-adapter.ts';
export * from './rerank-adapter.ts';

/** What adapters can do, one part for each kind of model; each kind of `libs/core/src/kinds/` names its own. */
export interface Capabilities {
  readonly chat?: ChatAdapter;
  readonly images?: ImageAdapter;
  readonly videos?: VideoAdapter;
  readonly speech?: SpeechAdapter;
  readonly music?: MusicAdapter;
  readonly transcriptions?: TranscriptionAdapter;
  readonly embeddings?: EmbeddingAdapter;
  readonly moderations?: ModerationAdapter;
  readonly rerank?: RerankAdapter;
  readonly realtime?: RealtimeAdapter;
}
export type Capability = keyof Capabilities;

/** One vendor. A capability it lacks is simply absent. */
export interface ProviderAdapter extends Capabilities {
  readonly id: string;
  /** Vendors whose stored tasks this one can ask after, too: those its accounts were written as in earlier versions. */
  readonly formerIds?: readonly string[];
  readonly subjects?: SubjectAdapter;
  /** The vendor's own batches, where it has them. */
  readonly batches?: BatchAdapter;
  /** Contents that the vendor keeps by name, where it does. */
  readonly contextCaches?: ContextCacheAdapter;
  /** The vendor's own files, where requests may name them. */
  readonly files?: FileAdapter;
  /** Which models an account may ask for, where the vendor tells. */
  readonly modelList?: ModelListAdapter;
  /** Credentials that are no secrets but belong into bodies (`sub_app_id`): adapters find them in `upstream.account.settings`. */
  readonly identifiers?: readonly string[];
  /** Whether a host that the vendor's answers name is its own beside that of the account's address, and may see the credentials. */
  ownsHost?(host: string, baseUrl: string): boolean;
  /** What it signs covers the body: such a body has to be whole before it is sent. */
  readonly signsBodies?: true;
  /** Signs a request. The only function that sees secrets. `bodyBytes` is what will be sent (TC3 signs it). May be async (OAuth token exchange). */
  authorize(request: SignableRequest, account: Account, now: number): SignedHeaders | Promise<SignedHeaders>;
  /** Finds the refusal in any reply, including a 200 that carries one. Pure. */
  readFault(reply: UpstreamReply): Fault | undefined;
  /** What an answer's headers say is left of the vendor's limits; absent where the vendor tells nothing. `now` in milliseconds since 1970. */
  readLimits?(headers: Readonly<Record<string, string>>, now: number): VendorLimits | undefined;
}
