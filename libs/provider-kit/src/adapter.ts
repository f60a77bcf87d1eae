/**
 * What a vendor must answer. An adapter is stateless and secretless: it knows one vendor's wire and nothing about us.
 */
import type { Readable } from 'node:stream';
import type { DialectName, ErrorCode, Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { WebSocket } from 'ws';

/** One set of vendor credentials and its base URL (docs/architecture.md#words). Only `authorize` reads `credentials`. */
export interface Account {
  /** Reported as `channel_id`. */
  readonly id: number;
  readonly name: string;
  readonly vendor: string;
  /** Without a trailing slash; what the vendor's own documentation calls the base. */
  readonly baseUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
  /** Vendor settings that are no secret: `wire`, `project`, `location`, `anthropic_version`, … */
  readonly settings: Readonly<Record<string, string>>;
  /** The operator's own for every call, lower-case names; they may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Appended to the account's base URL; begins with a slash. May carry a query. Leading `/..` steps lead out of the base's own path. */
  readonly path: string;
  /** Instead of base + path: an address the vendor itself gave (file downloads); credentials are added only if its origin is the account's. */
  readonly url?: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  /** Instead of `json`: bytes as they are, with their `content-type` in `headers`. */
  readonly body?: Uint8Array;
  /** Instead of `json`: a body read while it is sent, with its `content-type` in `headers`; in chunks where its size is not known. */
  readonly source?: { readonly size: number | undefined; readonly open: () => AsyncIterable<Uint8Array> };
  /** Instead of `json`: a multipart form, sent as a stream. */
  readonly form?: readonly FormPart[];
  /** Largest reply read into memory, in bytes; default 64 MiB for generation, enough for every poll. */
  readonly maxReplyBytes?: number;
  /** The name of members in the reply that have long texts of base64, of which there are many: it is read with less work, and its `body` is empty then. */
  readonly longTexts?: string;
  /** A 404 means that the vendor knows no such task (`task_not_exist`), not that the model or the path is wrong: for status queries by id. */
  readonly notFound?: 'task';
  /** How an answer in a wire of the vendor's own is read, where the caller reads another one. */
  readonly answer?: AnswerReader;
  /** In place of the usual first-byte deadline, where the operator has set none: image and speech vendors answer only when they are done. */
  readonly firstByteSeconds?: number;
}

/** An answer in the vendor's wire as one in the wire that was asked for; refusals are read before, in the vendor's. */
export interface AnswerReader {
  /** Absent where whole answers need no reading. */
  whole?(reply: UpstreamReply): UpstreamReply;
  /** Server-sent events; closing what it gives closes `raw`. Absent where nothing is streamed. */
  stream?(raw: Readable, headers: Readonly<Record<string, string>>): Readable;
}

export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly filename: string;
      readonly contentType: string;
      readonly size: number;
      /** Opened once per attempt. */
      readonly open: () => AsyncIterable<Uint8Array>;
    };

/** A vendor's open WebSocket. */
export type UpstreamSocket = Pick<
  WebSocket,
  'on' | 'once' | 'off' | 'send' | 'close' | 'terminate' | 'ping' | 'pause' | 'resume' | 'bufferedAmount' | 'readyState'
>;

/** How a socket is opened. */
export interface SocketOpening extends Pick<UpstreamRequest, 'path' | 'headers'> {
  /** Until it must be open, where it is worth no longer wait; usually as long as an answer may take to begin. */
  readonly seconds?: number;
}

/** One message over an open socket whose answer comes as events. */
export interface SocketMessage {
  readonly text: string;
  /** Whether this event, a text of JSON, is the last of the answer. */
  readonly isLast: (event: string) => boolean;
  /** The refusal that the first event is, as a reply over HTTP; undefined where it is none. */
  readonly refusalIn: (event: string) => UpstreamReply | undefined;
}

/** A reply read whole. */
export interface UpstreamReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body as JSON; undefined when it is none. Integers beyond 2^53 are kept as strings (Kling element ids). */
  readonly json: Json | undefined;
}

/** A reply whose body is still coming. */
export interface UpstreamStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks as they arrive; ends or throws GatewayError (`upstream_unavailable` when cut, `upstream_timeout` when silent). */
  readonly body: AsyncIterable<Uint8Array>;
  /** The same body as a Node stream, for byte forwarding; its errors are raw (`transportError` names them). Use one of the two. */
  readonly raw: Readable;
}

/** A vendor's refusal in our words. */
export interface Fault {
  readonly code: ErrorCode;
  /** The vendor's sentence, fit for a caller: request ids, account ids and hosts taken out. */
  readonly message: string;
  readonly vendorCode?: string;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** For creates: `no` when the reply proves that no job was started. A parseable 4xx/429 is `no` by default, anything else `unknown`. */
  readonly taken?: 'no' | 'unknown';
}

/** The only way out to a vendor: one vendor model, one account, one deadline. Refusals (by `readFault`) are thrown as GatewayError. */
export interface Upstream {
  /** The vendor's name of the model (the offer's `model`). */
  readonly model: string;
  readonly account: Pick<Account, 'id' | 'baseUrl' | 'settings'>;
  /** The offer's fine points from the catalogue. */
  readonly quirks: JsonObject;
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  /** Like `send`, but hands over the body as it comes. Refusals are still found and thrown: error statuses are read whole first. */
  stream(request: UpstreamRequest): Promise<UpstreamStream>;
  /** Opens a WebSocket below the account's address, signed as any request is; it is paused until it is read. Refusals are thrown. */
  connect(request: SocketOpening): Promise<UpstreamSocket>;
  /**
   * Asks over a socket that is open, on which nothing else is answered: the events of the answer as server-sent events. Refusals are thrown. Leaves the
   * socket open after the last event; cuts it when the stream is destroyed before that, when it falls silent, and when the caller has gone.
   */
  converse(socket: UpstreamSocket, message: SocketMessage): Promise<Pick<UpstreamStream, 'raw'>>;
  /** Like `stream`, but refusals and redirects are handed over as they come, and nothing is followed: for what is only passed on. */
  forward(request: UpstreamRequest): Promise<UpstreamStream>;
  /** Fetches a stranger's media (guarded: public addresses only, bounded in size and time). For vendors that take bytes, not URLs. */
  fetchMedia(url: string, limits: MediaLimits): Promise<{ readonly bytes: Uint8Array; readonly mime: string }>;
  /** Waits, or throws when the caller has gone. */
  pause(ms: number): Promise<void>;
  /** Milliseconds since 1970, by the house's clock. */
  now(): number;
  /** A vendor's sentence fit for a caller (`cleanVendorText` with this account): for faults that come inside a reply, not as a refusal. */
  scrub(text: string): string;
  /** A vendor's body fit to be kept: embedded media and secrets taken out, bounded. */
  storable(payload: Json): Json;
}

export interface MediaLimits {
  readonly maxBytes: number;
  /** Accepted types, found by bytes: `image/png`, … */
  readonly types: readonly string[];
  /** The field to name in the error. */
  readonly param: string;
}

/** A stranger's file that an adapter will read by `fetchMedia`. */
export interface MediaRequest extends MediaLimits {
  readonly url: string;
}

export interface SignableRequest {
  readonly method: string;
  /** Full address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: Uint8Array;
  /** Another request with the same account's deadline, unsigned: for token exchanges. */
  readonly send?: (request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body: string;
  }) => Promise<{ readonly status: number; readonly json: Json | undefined }>;
}
/** Headers to add (or, with an empty value, to leave out). */
export type SignedHeaders = Readonly<Record<string, string>>;

/** Bodies arrive already in the vendor's dialect; only address and quirks are added. */
export interface ChatAdapter {
  readonly dialects: readonly DialectName[];
  /** Whether the vendor makes conversations short by itself, on the Responses wire. */
  readonly compacts?: true;
  /** Whether an account is asked for streams over a WebSocket at the address of `request`, where there is one to go on with (OpenAI's WebSocket mode). */
  takesSockets?(settings: Readonly<Record<string, string>>): boolean;
  request(call: ChatCall): UpstreamRequest;
}
export interface ChatCall {
  readonly dialect: DialectName;
  /** `count` asks for the number of input tokens instead of an answer (Anthropic count_tokens, Gemini countTokens, OpenAI input_tokens), `compact` for the conversation made short (OpenAI compact). */
  readonly purpose: 'generate' | 'count' | 'compact';
  readonly model: string;
  readonly stream: boolean;
  /** JSON bytes, model name already written. */
  readonly body: Uint8Array;
  /** The caller's dialect headers that may travel (`anthropic-version`, `anthropic-beta`), lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

/** A file a vendor made: a link, or bytes. */
export type MediaFile =
  | {
      readonly url: string;
      readonly mime: string;
      /** True when the link needs the account's credentials. */
      readonly credentialed?: boolean;
      /** Unix seconds. */
      readonly expiresAt?: number;
      readonly width?: number;
      readonly height?: number;
    }
  | { readonly bytes: Uint8Array; readonly mime: string; readonly width?: number; readonly height?: number };

/** `dropped` names the inputs this vendor cannot take (caller's field names); the caller is told. */
export type Generated<T> = T & { readonly usage: Usage; readonly dropped: readonly string[] };
