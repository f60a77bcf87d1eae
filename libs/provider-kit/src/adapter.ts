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

// ---- images ------------------------------------------------------------------------------------------------------

export interface ImageCreate {
  /** The shape the caller used; `edit` is the multipart one, `predict` Google's. */
  readonly shape: 'prompt' | 'messages' | 'edit' | 'predict';
  /** The caller's JSON as it came: sent nearly as it is where the vendor's wire has this very form. Absent of a form. */
  readonly body?: JsonObject;
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Source or reference images in order: links (https or data:) or files. */
  readonly images: readonly ImageInput[];
  readonly mask?: ImageInput;
  /** Where the body names pictures that OpenAI keeps (`images[0].file_id`): only a vendor of that wire is sent them, in `body`. */
  readonly keptFiles?: readonly string[];
  /** `2k`, `1024x1024`, `1664*928`, `auto`: as the caller wrote it. */
  readonly size?: string;
  readonly count?: number;
  readonly seed?: number;
  readonly watermark?: boolean;
  readonly promptExtend?: boolean;
  readonly quality?: string;
  readonly background?: string;
  readonly outputFormat?: string;
  readonly outputCompression?: number;
  readonly user?: string;
  /** What the caller wants back; the gateway converts where the vendor cannot. */
  readonly responseFormat?: 'url' | 'b64_json';
  /** Partial images wanted on a stream (0..3). */
  readonly partialImages?: number;
  /** Every other field of the caller's body by its own name: a vendor's new parameter works on day one. */
  readonly extra: JsonObject;
}
export type ImageInput =
  | { readonly url: string; readonly param: string }
  | {
      readonly filename: string;
      readonly mime: string;
      readonly size: number;
      readonly open: () => AsyncIterable<Uint8Array>;
      readonly param: string;
    };
export interface ImageReply {
  readonly files: readonly (MediaFile | { readonly fault: Fault })[];
  /** Unix seconds, where the vendor says. */
  readonly created?: number;
  /** The vendor's request id, where it gives one. */
  readonly requestId?: string;
  readonly revisedPrompt?: string;
  /** Usage fields as the vendor printed them, for replies that show them (`tool_usage`, `image_count`). */
  readonly vendorUsage?: JsonObject;
  /** `background`, `quality`, `output_format`, `size` as answered. */
  readonly echo?: JsonObject;
  /** What a vendor of OpenAI's or Seedream's wire says beside `data`, and of each of its items beside the picture. */
  readonly answer?: { readonly body: JsonObject; readonly items: readonly JsonObject[] };
}
export type ImageStreamEvent =
  /** Always the first: the vendor has taken the request. Until then another offer may be tried. */
  | { readonly type: 'started'; readonly dropped: readonly string[] }
  | { readonly type: 'partial'; readonly index: number; readonly file: MediaFile; readonly echo?: JsonObject }
  | { readonly type: 'image'; readonly index: number; readonly file: MediaFile; readonly echo?: JsonObject }
  | { readonly type: 'failed'; readonly index: number; readonly fault: Fault }
  | { readonly type: 'completed'; readonly usage: Usage; readonly vendorUsage?: JsonObject };
export interface ImageAdapter {
  /** What it will fetch for this input: fetched before the account is asked, so that a slow address holds up nobody's call. */
  media?(input: ImageCreate, target: Pick<Upstream, 'model' | 'quirks'>): readonly MediaRequest[];
  generate(input: ImageCreate, upstream: Upstream): Promise<Generated<ImageReply>>;
  /** Absent where the vendor has no stream. */
  stream?(input: ImageCreate, upstream: Upstream): AsyncIterable<ImageStreamEvent>;
}

// ---- video -------------------------------------------------------------------------------------------------------

/** The six request shapes of families A B C D E F (docs/architecture.md#configuration). */
export type VideoShape = 'content' | 'input' | 'image-urls' | 'omni' | 'prompt' | 'seconds';

/** The bodies that callers can use: those of the families, and Google's (`instances`), which every video model takes. */
export type VideoBodyShape = VideoShape | 'instances';

/** The neutral form of the body shapes. */
export interface VideoCreate {
  readonly shape: VideoBodyShape;
  /** The caller's body as it came (callback_url removed): forwarded nearly as it is where the vendor's wire has this very shape. */
  readonly body: JsonObject;
  readonly prompt?: string;
  readonly negativePrompt?: string;
  readonly images: readonly VideoInput<'first_frame' | 'last_frame' | 'reference'>[];
  readonly videos: readonly VideoInput<'reference' | 'base' | 'first_clip'>[];
  readonly audios: readonly VideoInput<'reference' | 'driving'>[];
  /** Ids of reusable subjects (family D). */
  readonly subjects: readonly string[];
  /** Seconds. */
  readonly duration?: number;
  /** `720p`, `1080P`, `4k`: as the caller wrote it. */
  readonly resolution?: string;
  /** `16:9`, `adaptive`. */
  readonly ratio?: string;
  /** `1280x720`. */
  readonly size?: string;
  readonly seed?: number;
  readonly watermark?: boolean;
  readonly audio?: boolean;
  /** Of a video that is made from another one. */
  readonly source?: VideoSource;
  /** Unique to this task and unguessable: the vendor's dedupe key where it has one (Tencent SessionId, Kling external_task_id). At most 40 characters. */
  readonly dedupeKey: string;
  /** Where the vendor may tell that the job has news, for an adapter with `webhooks`; unguessable. */
  readonly webhookUrl?: string;
  /** What the form has no word for, by the caller's own name. */
  readonly extra: JsonObject;
}
/** How a finished video is made into another one. */
export type VideoChange = 'remix' | 'edit' | 'extend';

/** The finished video that another one is made from. */
export interface VideoSource {
  readonly change: VideoChange;
  /** What its vendor gave for it: of use to the account that made it alone. */
  readonly ticket: JsonObject;
}

export interface VideoInput<Role extends string> {
  readonly role: Role;
  /** https, data: or asset:// */
  readonly url: string;
  readonly param: string;
}

export type VideoProgress =
  | {
      readonly state: 'queued' | 'running';
      /** 0–99 where the vendor says. */
      readonly percent?: number;
      readonly checkAfterMs?: number;
      /** The vendor's poll body, for `data.data`. */
      readonly payload: Json;
    }
  | { readonly state: 'succeeded'; readonly files: readonly MediaFile[]; readonly usage: Usage; readonly payload: Json }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  /** The vendor knows no such task (three in a row end it). */
  | { readonly state: 'missing'; readonly payload: Json }
  /** A status word we do not know: keeps the state, is logged and counted. */
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json };

/** What a vendor sends to the address that it was given for a job. */
export interface VendorWebhook {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came: signatures are of the bytes. */
  readonly body: Uint8Array;
}

/** A vendor that tells of its jobs. */
export interface WebhookReader {
  /** When the webhook was signed, milliseconds since 1970; undefined where the vendor signs none. Throws `unauthenticated` where the signature is not the vendor's. */
  signedAt(webhook: VendorWebhook, upstream: Upstream): Promise<number | undefined>;
}

export interface VideoAdapter {
  /** Absent where the vendor cannot be given an address. */
  readonly webhooks?: WebhookReader;
  /**
   * Which changes of a finished video an account makes, and what it knows the video by: its own ticket (`source`), or an address that is among
   * `videos`, as `first_clip` of an extension and as `base` of an edit. Absent: none.
   */
  changes?(account: Pick<Account, 'settings'>): Readonly<Partial<Record<VideoChange, 'ticket' | 'address'>>>;
  /** What `start` will fetch for this input: fetched before the account is asked. */
  media?(input: VideoCreate, account: Pick<Account, 'settings'>): readonly MediaRequest[];
  /** Asks once. `ticket` is stored as it is and given back to `check`, perhaps days later. */
  start(
    input: VideoCreate,
    upstream: Upstream,
  ): Promise<{ readonly ticket: JsonObject; readonly dropped: readonly string[] }>;
  check(ticket: JsonObject, upstream: Upstream): Promise<VideoProgress>;
  /** Throws GatewayError `conflict` when the vendor says it is too late. */
  cancel?(ticket: JsonObject, upstream: Upstream): Promise<void>;
  /** Finds the job of an unanswered `start` by its dedupe key: its ticket, or undefined when the vendor certainly has none. */
  reconcile?(
    input: Pick<VideoCreate, 'dedupeKey'> & { readonly submittedAt: number },
    upstream: Upstream,
  ): Promise<JsonObject | undefined>;
  /** A fresh link for a finished task whose link has expired. */
  refresh?(ticket: JsonObject, upstream: Upstream): Promise<readonly MediaFile[]>;
}

// ---- subjects ----------------------------------------------------------------------------------------------------

export interface SubjectCreate {
  readonly name: string;
  readonly description: string;
  readonly referenceType: string;
  readonly frontalImage?: string;
  readonly referImages: readonly string[];
  readonly referVideos: readonly string[];
  readonly voiceId?: string;
  readonly tags: readonly string[];
  readonly dedupeKey: string;
  readonly extra: JsonObject;
}
export type SubjectProgress =
  | { readonly state: 'running'; readonly percent?: number; readonly payload: Json }
  | { readonly state: 'succeeded'; readonly subjectIds: readonly string[]; readonly payload: Json }
  | { readonly state: 'failed'; readonly fault: Fault; readonly payload: Json }
  /** As for videos. */
  | { readonly state: 'missing'; readonly payload: Json }
  | { readonly state: 'unknown'; readonly word: string; readonly payload: Json };
export interface SubjectAdapter {
  start(input: SubjectCreate, upstream: Upstream): Promise<{ readonly ticket: JsonObject }>;
  /** `payload` is the vendor's detail body in the `Response` envelope of docs/service.md, whatever the vendor's own shape is. */
  check(ticket: JsonObject, upstream: Upstream): Promise<SubjectProgress>;
  /** As for videos. */
  reconcile?(
    input: Pick<SubjectCreate, 'dedupeKey'> & { readonly submittedAt: number },
    upstream: Upstream,
  ): Promise<JsonObject | undefined>;
}

// ---- speech ------------------------------------------------------------------------------------------------------

export interface SpeechCreate {
  /** The request the caller used: chat-completions (`chat`, unless given) or /v1/audio/speech. Says what a field is called. */
  readonly shape?: 'chat' | 'speech';
  /** The caller's body as it came: sent nearly as it is where the vendor's wire has this very form. */
  readonly body?: JsonObject;
  /** Whether the caller wants the vendor's own events (`stream_format: sse`). */
  readonly asEvents?: boolean;
  /** The text to speak, byte for byte. */
  readonly text: string;
  /** Style in natural language. */
  readonly instructions?: string;
  readonly voice?: string;
  /** `wav`, `mp3`, `pcm16`, `opus`, `aac`, `flac`. */
  readonly format: string;
  readonly speed?: number;
  readonly stream: boolean;
  readonly extra: JsonObject;
}
export interface SpeechReply {
  readonly mime: string;
  readonly sampleRate?: number;
  /** Audio bytes as they arrive; with `isEvents` the vendor's events, as text. */
  readonly audio: AsyncIterable<Uint8Array>;
  /** Only where the caller wants events: `audio` is those of the vendor, and `soundBytes` tells how much sound has come in them. */
  readonly isEvents?: true;
  readonly soundBytes?: () => number;
  readonly id?: string;
  /** Read when `audio` has ended. */
  readonly usage: () => Usage;
  readonly dropped: readonly string[];
}
export interface SpeechAdapter {
  speak(input: SpeechCreate, upstream: Upstream): Promise<SpeechReply>;
}
