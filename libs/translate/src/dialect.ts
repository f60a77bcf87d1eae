import type { DialectName, GatewayError, Json, JsonObject, Usage } from '@model-gateway/contracts';
import type { ChatEvent, ChatReply, ChatRequest } from './conversation.ts';

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
  /** Fine points by name; `CHAT_QUIRKS` lists them with what each may be. */
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
}

/** Wire bytes to middle events, fed one SSE event at a time; `end` is called once when the connection closed. */
export interface StreamDecoder {
  push(event: SseEvent): ChatEvent[];
  /** A connection that closed before the wire's terminator yields `error` unless a finish had been seen (chat.md §9.2). */
  end(): ChatEvent[];
}

/** Middle events to SSE text, ready for the socket ('' = nothing to send yet). */
export interface StreamEncoder {
  push(event: ChatEvent): string;
  /** Said when nothing has come for a while: a legal no-op of the dialect. */
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
  /** Wire name of the one tool that was forced to get a structured answer: its input is the answer's text (chat.md §7.7). */
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
  /** Like `decodeRequest`, for the body of the counting call. */
  decodeRequest(body: Json, path?: { readonly model: string }): ChatRequest;
  encodeRequest(request: ChatRequest, target: Target): Encoded;
  /** Throws GatewayError `upstream_malformed` when there is no count in it. */
  decodeReply(body: Json): number;
  encodeReply(inputTokens: number): JsonObject;
}

/** One chat wire format, both ways. Pure: no I/O, no clock, no randomness of its own. */
export interface ChatDialect {
  readonly name: DialectName;
  /** Throws GatewayError `invalid_request` with the place (`messages[2].content[0]`). For gemini, `model` and `stream` come from the path. */
  decodeRequest(body: Json, path?: { readonly model: string; readonly stream: boolean }): ChatRequest;
  /** Throws GatewayError `invalid_request` where leaving something out would change the meaning (`n: 3`, `logprobs`). */
  encodeRequest(request: ChatRequest, target: Target): Encoded;
  /** `sent` is what `encodeRequest` returned for this call: undoes renamed, custom and JSON tools. */
  decodeReply(body: Json, sent?: Encoded): ChatReply;
  encodeReply(reply: ChatReply, context: ReplyContext): JsonObject;
  streamDecoder(sent?: Encoded): StreamDecoder;
  streamEncoder(context: ReplyContext): StreamEncoder;
  /** The error body a caller of this dialect expects; the status is `error.status(…)`. */
  encodeError(error: GatewayError, requestId: string): JsonObject;
  /** Understands a vendor's refusal (any non-2xx body, or an error inside a 200): typed, scrubbed of nothing yet. */
  decodeError(status: number, headers: Readonly<Record<string, string>>, body: Json | undefined): GatewayError;
  /** Usage of a whole reply, or of one stream event's parsed data; undefined when it has none. Cumulative on streams. */
  readUsage(body: Json, quirks?: JsonObject): Usage | undefined;
  /** One reply of two requests, where a vendor breaks answers off (`ChatReply.continuation`). */
  joinReplies?(before: ChatReply, next: ChatReply): ChatReply;
  /** Absent where vendors of this wire fetch by themselves whatever they take. */
  readonly media?: MediaFetching;
  /** Absent where the wire has no counting call. */
  readonly counting?: TokenCounting;
}
