import type { PrefixParts } from './shared/stable-prefix.ts';
import type { PromptCacheRules, PromptParts } from './shared/prompt-parts.ts';
import type { DialectName, GatewayError, Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, ChatReply, ChatRequest } from './conversation.ts';
import type { McpForm } from './shared/mcp.ts';
import type { RequestCost, Unbillable } from './shared/request-cost.ts';
import type { DialectTexts } from './shared/texts.ts';

/** One event of a text/event-stream: its name ('' when the wire gave none) and its data, already joined. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** What the target model can do; from the catalogue. Absent = the newest behaviour of its dialect. */
export interface Target {
  /** The vendor's model name to write into the body. */
  readonly model: string;
  /** Provider word that opaque state must carry to be sent there: `anthropic`, `openai`, `gemini`, … */
  readonly provider: string;
  /** Largest output the model takes; Anthropic needs a cap in every request. */
  readonly maxOutputTokens?: number;
  /** Kinds of input it takes; absent = everything its dialect has. An image to a model without `image` is a 400. */
  readonly inputs?: readonly ('text' | 'image' | 'document' | 'audio' | 'video')[];
  /** Fine points by name; `DialectFacts.quirks` lists them with what each may be. */
  readonly quirks?: JsonObject;
}

/** Something a translation could not carry or had to approximate; `field` is the caller's own name and place. */
export interface Dropped {
  readonly field: string;
  /** Half a sentence: `no such setting in anthropic-messages`. */
  readonly reason: string;
}

/** What an encoder of replies must know of the request: names to print, echoes, renamed tools. */
export interface ReplyContext {
  /** The model code the caller wrote. */
  readonly model: string;
  /** The caller's request, for echoes (Responses) and `include_usage`. */
  readonly request: ChatRequest;
  /** The caller's body as it came, for the echo fields of Responses. */
  readonly body: JsonObject;
  /** Random id without prefix (letters and digits), used where the caller's wire needs an id of its own form. */
  readonly id: string;
  /** Unix seconds now. */
  readonly now: number;
  /** What an error in the stream is named by. */
  readonly requestId: string;
}

/** Wire bytes to middle events, fed one SSE event at a time; `end` is called once when the connection closed. */
export interface StreamDecoder {
  push(event: SseEvent): ChatEvent[];
  /** A connection that closed before the wire's terminator yields `error` unless a finish had been seen (docs/wire/chat-streams.md#reading-each-wire). */
  end(): ChatEvent[];
}

/** Middle events to SSE text, ready for the socket ('' = nothing to send yet). */
export interface StreamEncoder {
  push(event: ChatEvent): string;
  /** Said when nothing has come for a while: a legal no-op of the dialect; '' where it has none. */
  keepAlive(): string;
}

export interface Encoded {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
  /** Extra request headers the body needs (`anthropic-beta`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Undo table for tool names that had to be renamed: wire name → caller's name. */
  readonly toolNames?: ReadonlyMap<string, string>;
  /** Wire names of the tools that stand for `custom` ones: their one string field `input` is the free text. */
  readonly customTools?: ReadonlySet<string>;
  /** Wire name of the one tool that was forced to get a structured answer: its input is the answer's text (docs/wire/chat-translation.md#structured-output). */
  readonly jsonTool?: string;
  /** Stop sequences the wire has no word for: its decoders end the answer there. */
  readonly stops?: readonly string[];
  /** Who it was written for: gives opaque state its model, and usage its quirks, on the way back. */
  readonly target?: Target;
  /** Set by a gateway that resumes answers the vendor broke off: `StreamDecoder.end` then yields `continuation` where there is a
   *  token, and the next stream is fed to the same decoder. */
  readonly resumes?: boolean;
}

/** Media by address, for models that fetch none themselves: fetched by the gateway, put into the request before it is encoded. */
export interface MediaFetching {
  /** The addresses this target would be refused; each once. */
  urls(request: ChatRequest, target: Target): readonly string[];
  /** The request with the bytes of these addresses in their place. */
  inline(request: ChatRequest, fetched: ReadonlyMap<string, FetchedMedia>): ChatRequest;
}
export interface FetchedMedia {
  /** Base64. */
  readonly data: string;
  /** As the server declared it; the bytes have the last word. */
  readonly mime?: string;
}

/** Counting tokens without an answer (`count_tokens`, `countTokens`, `input_tokens`). */
export interface TokenCounting {
  /** Whether vendors of this wire are asked; where not, the call exists for callers only. */
  readonly byVendors: boolean;
  /** Like `decodeRequest`, for the body of the counting call. */
  decodeRequest(body: Json, path?: { readonly model: string }): ChatRequest;
  encodeRequest(request: ChatRequest, target: Target): Encoded;
  /** Throws GatewayError `upstream_malformed` when there is no count in it. */
  decodeReply(body: Json): number;
  encodeReply(inputTokens: number): JsonObject;
}

export interface ForwardOptions {
  /** The vendor's model name. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the vendor may be asked to report the usage of a stream. */
  readonly askUsage: boolean;
}

/** New data for an event, null to leave the event out, undefined to leave it as it is. */
export type EventEdit = (data: JsonObject) => JsonObject | null | undefined;

/** What is read and edited when the vendor speaks the caller's own wire; every other byte passes as it came. */
export interface ForwardingRules {
  /** Top-level members to write into the body before it goes out, as JSON text by name. */
  requestEdits(body: JsonObject, options: ForwardOptions): ReadonlyMap<string, string>;
  /** Whether a whole reply has what every answer of this wire has: `{"hello":1}` under a 200 is no answer. */
  isAnswer(reply: JsonObject): boolean;
  /** The whole reply as the caller is shown it; undefined = as it came. */
  editReply?(reply: JsonObject): JsonObject | undefined;
  /** How events with usage are shown to whoever sent this request; undefined = as they came. */
  usageEdit?(request: JsonObject): EventEdit | undefined;
  /** The end of the name, as it is written, whose object is the usage of an event: a search that begins at a quotation mark stops at every name. */
  readonly usageName: string;
  /** Ends of the names, as they are written, whose string value is output text. */
  readonly outputNames: readonly string[];
  /** Ends of the names whose string value is a picture or sound, in base64 or as a data URL. */
  readonly mediaNames?: readonly string[];
  /** Ends of the names whose string value is a draft of a picture. */
  readonly draftNames?: readonly string[];
  /** Whether the request asks its model to think. */
  asksForThoughts(body: JsonObject): boolean;
  /** Text of events in which the model thinks without showing all of it: its tokens cannot be counted from what is shown. */
  readonly thinksUnseen?: RegExp;
  /** Whether a whole reply, or each element of an array of them, is also an event of a stream. */
  readonly repliesAreEvents?: boolean;
  /** Matches text of events in which the vendor says that it has finished. */
  readonly finished: RegExp;
  /** Matches text that the event of a failure must have: what matches is parsed and asked of `refusalIn`. */
  readonly failed: RegExp;
}

/** Something a vendor keeps, as a request refers to it. */
export interface VendorReference {
  readonly id: string;
  /** `previous_response_id`, `input[2].content[0].file_id` */
  readonly param: string;
}

/** A file of the caller's, to be put into a request in place of its id. */
export interface InlineFile {
  readonly filename: string;
  readonly mime: string;
  /** Its bytes as base64. */
  readonly data: string;
  /** Of a text: itself. */
  readonly text?: string;
}

/** How parts of requests name a file by its id, and how they have the file itself in them. */
export interface FileParts {
  /** What the part names, whoever keeps it. */
  idIn(part: JsonObject): string | undefined;
  /** The same part with the file in it. */
  inline(part: JsonObject, file: InlineFile): JsonObject;
  /** The base64 of a file that the part has in it, where the part could name one that its vendor keeps. */
  dataIn(part: JsonObject): string | undefined;
  /** The same part naming a file that its vendor keeps. */
  named(part: JsonObject, file: { readonly name: string; readonly mime: string }): JsonObject;
  /** Headers of requests that name such files. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ids of what vendors of this wire keep: whoever knows one can have what is behind it read to him. */
export interface VendorIds {
  /** What a request refers to. */
  inRequest(body: JsonObject): readonly VendorReference[];
  /** Top-level fields that no other wire has an answer to: `decodeRequest` marks them `unportable`, with what to send instead. */
  readonly onlyHere: readonly string[];
  /** Whether an answer to this request may bring ids that a later request can refer to. */
  isKept(body: JsonObject): boolean;
  /** What a whole reply, or the data of one event, brings. */
  inReply(data: JsonObject): readonly string[];
  /** Ends of names, as they are written, of which an event with ids has one, beside a stream's first event and those with usage. */
  readonly eventNames: readonly string[];
}

/** A stream that leaves as one JSON body in pieces. */
export interface JsonPieces {
  /** What to send for some bytes of the event stream. */
  push(chunk: Uint8Array | string): string;
  /** What closes the body. */
  end(): string;
}

/** What a vendor remembers of a socket: the last response, and everything that was said up to it. */
export interface SocketTurn {
  readonly id: string;
  /** Items of the input that the next request brings of it. */
  readonly count: number;
  readonly digest: string;
}

/** How a wire goes over a WebSocket that stays open, one request after another. */
export interface SocketMode {
  /** The message that asks; where the vendor remembers what the request goes on from, with what is new alone. */
  message(
    body: { readonly bytes: Buffer; readonly json: JsonObject },
    known: SocketTurn | undefined,
  ): { readonly text: string; readonly goesOn: boolean };
  /** The event that ends an answer; undefined for any other. */
  endOf(text: string): JsonObject | undefined;
  /** A refusal in place of an answer, as it would be over HTTP. */
  refusalIn(
    text: string,
  ):
    | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly json: JsonObject }
    | undefined;
  /** What the vendor remembers after an answer with this end; undefined: nothing. */
  remembered(body: { readonly json: JsonObject }, end: JsonObject): SocketTurn | undefined;
}

/** One chat wire format, both ways. Pure: no I/O, no clock, no randomness of its own. */
export interface ChatDialect {
  readonly name: DialectName;

  // ---- requests ----
  /** Whether model and stream flag stand in the body or in the path. */
  readonly addressing: 'body' | 'path';
  /** Caller headers that mean something on this wire and travel to a vendor that speaks it; lower case. */
  readonly headers: readonly string[];
  /** Throws GatewayError `invalid_request` with the place (`messages[2].content[0]`). Where `addressing` is `path`, `model` and `stream` come from there. */
  decodeRequest(body: Json, path?: { readonly model: string; readonly stream: boolean }): ChatRequest;
  /** Throws GatewayError `invalid_request` where leaving something out would change the meaning (`n: 3`, `logprobs`). */
  encodeRequest(request: ChatRequest, target: Target): Encoded;
  /** Where the wire keeps prompts only when it is asked to: the request with its marks; undefined where they would not pay or are there. */
  withCacheMarks?(request: ChatRequest): ChatRequest | undefined;
  /** Whether what this target's vendor answers has another form than this wire: it is read and written anew. Absent: never. */
  isRewritten?(target: Target): boolean;
  /** What a body may be billed for, and what in it and its headers changes prices. Throws nothing. */
  readCost(body: JsonObject, headers?: Readonly<Record<string, string>>): RequestCost;
  /** Caps on the output above `most` as top-level members of the body, lowered to it: JSON text by name. */
  capEdits(body: JsonObject, most: number): ReadonlyMap<string, string>;
  /** What the requests of a conversation begin with; throws nothing, whatever the body is. */
  prefix(body: JsonObject): PrefixParts;
  /** The prompt of a request, in the order in which vendors cache it; throws nothing, whatever the body is. */
  promptParts(body: JsonObject): PromptParts;
  readonly promptCache: PromptCacheRules;
  /** Absent where the wire is of HTTP alone. */
  readonly socketMode?: SocketMode;
  /** Why a request is refused whoever answers it: its answer would come where nobody is billed. Absent where there is no such request. */
  unbillable?(body: JsonObject): Unbillable | undefined;
  /** Absent where vendors of this wire fetch by themselves whatever they take. */
  readonly media?: MediaFetching;
  /** Absent where the wire has no counting call. */
  readonly counting?: TokenCounting;

  // ---- replies ----
  /** `sent` is what `encodeRequest` returned for this call: undoes renamed, custom and JSON tools. */
  decodeReply(body: Json, sent?: Encoded): ChatReply;
  encodeReply(reply: ChatReply, context: ReplyContext): JsonObject;
  /** Usage of a whole reply, or of one stream event's parsed data; undefined when it has none. Cumulative on streams. */
  readUsage(body: Json, quirks?: JsonObject): Usage | undefined;
  /** Whether a vendor may break off its answer to this body in order to be sent it back and go on. */
  mayPause(body: JsonObject): boolean;
  /** One reply of two requests, where a vendor breaks answers off (`ChatReply.continuation`, `paused`). */
  joinReplies(before: ChatReply, next: ChatReply): ChatReply;

  /**
   * Whether answers have no place for a picture's bytes: they show it by its address in words, and whoever can keep files gives the encoders
   * an address (`source.type` `url`). Bytes that come all the same are written as a data URL, so that nothing is lost.
   */
  readonly picturesByAddress: boolean;

  // ---- streams ----
  streamDecoder(sent?: Encoded): StreamDecoder;
  streamEncoder(context: ReplyContext): StreamEncoder;
  /** Whether whoever sent these headers can read events with `id:` lines; absent where everybody can. */
  readsEventIds?(headers: Readonly<Record<string, string | string[] | undefined>>): boolean;
  /** Whether a body has `stream_options`. */
  readonly hasStreamOptions?: true;
  /** What a stream asked for without `alt=sse` leaves as; absent where the wire has event streams only. */
  jsonPieces?(): JsonPieces;

  // ---- refusals ----
  /** The error body a caller of this dialect expects beside `status`, which is `error.status(…)`. */
  encodeError(error: GatewayError, requestId: string, status: number): JsonObject;
  /** The event that says, after a 200 has gone out, that the stream is broken. */
  errorEvent(error: GatewayError, requestId: string): string;
  /** Understands a vendor's refusal (any non-2xx body, or an error inside a 200): typed, scrubbed of nothing yet. */
  decodeError(status: number, headers: Readonly<Record<string, string>>, body: Json | undefined): GatewayError;
  /** The refusal that an event of a vendor's stream carries; undefined when it is part of an answer. */
  refusalIn(event: SseEvent): GatewayError | undefined;

  /** Where words stand in bodies and events of this wire. */
  readonly texts: DialectTexts;

  /** What is kept by vendors of this wire. */
  readonly vendorIds: VendorIds;
  readonly files: FileParts;

  /** MCP servers that whoever answers asks itself; absent where the wire has no tools. */
  readonly mcp?: McpForm;

  /** How requests and answers pass when caller and vendor both speak this wire. */
  readonly forwarding: ForwardingRules;
}
