/** What an upstream is opened with. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Account } from './adapter.ts';
import type { UntrustedFetcher } from './media-url.ts';
import type { ProviderAdapter } from './provider-adapter.ts';
import type { UpstreamPools } from './upstream-pools.ts';

export interface Deadlines {
  /** Seconds, fractions allowed. */
  readonly connect: number;
  readonly firstByte: number;
  /** The operator's own word: it holds for requests that are usually given more time, too. */
  readonly isFirstByteSaid?: boolean;
  readonly idle: number;
}

export interface UpstreamOptions {
  readonly account: Account;
  readonly adapter: Pick<ProviderAdapter, 'authorize' | 'readFault' | 'identifiers' | 'ownsHost'>;
  readonly model: string;
  readonly quirks: JsonObject;
  readonly deadlines: Deadlines;
  /** Sent with every call, lower-case names; what the request itself says goes before. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly pools: UpstreamPools;
  readonly untrustedFetcher: UntrustedFetcher;
  readonly now: () => number;
  /** Aborted when the caller has gone: the vendor's call is cancelled with it. */
  readonly signal?: AbortSignal;
  /** W3C trace context for the account's own host; absent where it is told nothing. */
  readonly traceParent?: () => string | undefined;
  /** Told of the headers of every answer of the account's own host, refusals included. */
  readonly heard?: (headers: Readonly<Record<string, string>>) => void;
  /** Where the headers of the account's last answer are kept for its caller, refusals included. */
  readonly answered?: AnsweredHeaders;
}

/** What a request keeps of its vendor's answer beside the body. */
export interface AnsweredHeaders {
  vendorHeaders: Readonly<Record<string, string>> | undefined;
  /** Whose request it is. */
  readonly payer?: number | undefined;
  /** Gives back the room of a large reply that its answer is made of: to be called when the answer has been read. */
  releaseReply?: () => void;
}
