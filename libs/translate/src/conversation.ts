/**
 * The form between the four chat dialects: a superset of Anthropic blocks and Responses items
 * (docs/wire/chat-translation.md#the-form-between), so that nothing a dialect can say has to be thrown away before the target is
 * known. Pure data; no vendor words but inside `opaque`.
 */
import type { DialectName, Json, JsonObject, Usage } from '@model-gateway/contracts';

/**
 * Opaque vendor state (signature, encrypted reasoning): only the dialect and model that made it can read it
 * (docs/wire/chat-translation.md#reasoning-state).
 */
export interface Opaque {
  /** Who made it: `anthropic`, `openai`, `gemini`, or another vendor's word. */
  readonly provider: string;
  /** The model it is bound to, as the vendor names it; absent when the wire did not say. */
  readonly model?: string;
  readonly kind: 'signature' | 'redacted' | 'encrypted';
  readonly value: string;
  /** The item id it belongs to on the Responses wire. */
  readonly itemId?: string;
}

/** A cache mark: everything up to here may be cached (Anthropic `cache_control`, OpenAI `prompt_cache_breakpoint`). */
export interface CacheMark {
  readonly ttl?: string;
}

interface PartBase {
  readonly cache?: CacheMark;
  /** Opaque state that rides on this very part (Gemini `thoughtSignature`). */
  readonly opaque?: Opaque;
  /** Where the caller wrote it: `messages[2].content[0]`; for error messages and dropped reports. */
  readonly place?: string;
}

export type MediaSource =
  | { readonly type: 'base64'; readonly mime: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mime?: string }
  /** An id in one vendor's file store: never portable. */
  | { readonly type: 'file'; readonly provider: string; readonly id: string; readonly mime?: string };

export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** Per token, as both OpenAI wires write it: `{token, logprob, bytes, top_logprobs}`. */
  readonly logprobs?: readonly Json[];
}
export interface ImagePart extends PartBase {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly detail?: string;
}
export interface DocumentPart extends PartBase {
  readonly type: 'document';
  readonly source: MediaSource | { readonly type: 'text'; readonly text: string };
  readonly title?: string;
}
export interface AudioPart extends PartBase {
  readonly type: 'audio';
  readonly source: MediaSource;
  /** Of audio a model spoke: the vendor's id of it, its words, and until when (Unix seconds) the id may be sent back. */
  readonly id?: string;
  readonly transcript?: string;
  readonly expiresAt?: number;
}
export interface VideoPart extends PartBase {
  readonly type: 'video';
  readonly source: MediaSource;
}
export interface RefusalPart extends PartBase {
  readonly type: 'refusal';
  readonly text: string;
}
/** Visible reasoning, possibly empty, and the opaque state that proves it. Never dropped because its text is empty. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
  /** Several summary parts of one Responses item; `text` is their join by a blank line. */
  readonly summaries?: readonly string[];
}
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call';
  /** The id results refer to (`call_id` on Responses). Synthesised deterministically when the wire has none. */
  readonly id: string;
  readonly name: string;
  /** `custom` tools take free text instead of JSON arguments. */
  readonly kind: 'function' | 'custom';
  /** JSON text as the model wrote it ('' = no arguments), or the free text of a custom tool. */
  readonly arguments: string;
  /** Of a tool that its caller keeps in a group; `name` is the flat one. */
  readonly group?: ToolGroup;
  /** The Responses item id (`fc_…`), when there was one. */
  readonly itemId?: string;
}
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  readonly callId: string;
  /** Known where the wire says it (Gemini) or the history tells. */
  readonly name?: string;
  readonly content: readonly (TextPart | ImagePart | DocumentPart)[];
  /** The structured result, where the wire had an object (Gemini `response`). */
  readonly data?: JsonObject;
  readonly isError?: boolean;
}
/** A tool the vendor ran itself (web search, code execution): the raw items, carried only back to their own dialect. */
export interface ServerToolPart extends PartBase {
  readonly type: 'server-tool';
  readonly provider: string;
  /** `web_search` where it is one; else the vendor's word. */
  readonly name: string;
  readonly phase: 'call' | 'result';
  readonly id?: string;
  readonly query?: string;
  readonly raw: JsonObject;
}

export type UserPart = TextPart | ImagePart | DocumentPart | AudioPart | VideoPart | ToolResultPart;
export type AssistantPart =
  | TextPart
  | RefusalPart
  | ReasoningPart
  | ToolCallPart
  | ServerToolPart
  | ImagePart
  | AudioPart;

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly text?: string;
  /** Character offsets in the text it belongs to, where the wire has them. */
  readonly start?: number;
  readonly end?: number;
  readonly raw?: JsonObject;
}

/** One turn. Neighbours of the same role are kept apart as the caller wrote them; encoders merge where their wire wants it. */
export type Turn =
  | { readonly role: 'system'; readonly parts: readonly TextPart[]; readonly place?: string }
  | { readonly role: 'user'; readonly parts: readonly UserPart[]; readonly name?: string; readonly place?: string }
  | {
      readonly role: 'assistant';
      readonly parts: readonly AssistantPart[];
      readonly name?: string;
      /** Responses `phase`. */
      readonly phase?: string;
      readonly place?: string;
    };

/** Where a tool stands that Responses callers group (`namespace`): on all other wires it has one flat name. */
export interface ToolGroup {
  readonly namespace: string;
  /** Its name within the group. */
  readonly name: string;
}
/** A grouped tool of a request, with its whole group as the caller wrote it. */
export interface GroupMember extends ToolGroup {
  readonly raw: JsonObject;
}

export type Tool =
  | {
      readonly type: 'function';
      readonly name: string;
      readonly description?: string;
      /** JSON Schema; absent = no parameters. */
      readonly parameters?: JsonObject;
      readonly strict?: boolean;
      readonly cache?: CacheMark;
      readonly group?: GroupMember;
      readonly place?: string;
    }
  | {
      readonly type: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly format?: JsonObject;
      readonly group?: GroupMember;
      readonly place?: string;
    }
  | {
      readonly type: 'web-search';
      readonly allowedDomains?: readonly string[];
      readonly blockedDomains?: readonly string[];
      readonly contextSize?: 'low' | 'medium' | 'high';
      readonly maxUses?: number;
      readonly location?: JsonObject;
      readonly place?: string;
    }
  /** Any other hosted tool: known to one provider only. */
  | {
      readonly type: 'hosted';
      readonly provider: string;
      readonly name: string;
      readonly raw: JsonObject;
      readonly place?: string;
    };

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'subset'; readonly mode: 'auto' | 'required'; readonly names: readonly string[] };

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface ReasoningRequest {
  readonly effort?: Effort;
  /** Explicit token budget; -1 = the model decides, 0 = off. */
  readonly budgetTokens?: number;
  readonly mode?: 'enabled' | 'adaptive' | 'disabled';
  /** The caller wants to see reasoning text (Responses `summary`, Anthropic `display`, Gemini `includeThoughts`). */
  readonly visible?: boolean;
  /** The caller's own word for how (`auto`, `concise`, `detailed`, `summarized`). */
  readonly summary?: string;
}

export type OutputFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json-object' }
  | {
      readonly type: 'json-schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** What a request relies on that one vendor keeps, or only one wire can do. */
export interface Unportable {
  /** The caller's own name and place for it. */
  readonly field: string;
  /** The rest of the sentence that begins with the field. */
  readonly reason: string;
  /** The word that the caller's SDK falls back on when it is refused. */
  readonly code?: string;
}

/** What only a request for text completions has (docs/wire/completions.md#request); its prompt is the one message of the user, too. */
export interface TextCompletion {
  /** As the caller wrote it: a text, several, or tokens. */
  readonly prompt?: Json;
  readonly suffix?: string;
  readonly echo?: boolean;
  readonly bestOf?: number;
}

export interface ChatRequest {
  /** The wire it was read from: names fields in reports; only the same dialect is given `extra` back. */
  readonly dialect?: DialectName;
  readonly model: string;
  readonly stream: boolean;
  /** chat-completions `stream_options.include_usage`. */
  readonly streamUsage?: boolean;
  /** Leading instructions, one part per block, cache marks kept. Later ones are `system` turns in their place. */
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  /** How many answers; absent = 1. */
  readonly count?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly logitBias?: JsonObject;
  readonly format?: OutputFormat;
  readonly verbosity?: string;
  readonly reasoning?: ReasoningRequest;
  /** Output modalities other than text, lower case: `audio`, `image`. */
  readonly modalities?: readonly string[];
  readonly audio?: { readonly format?: string; readonly voice?: Json };
  readonly image?: { readonly aspectRatio?: string; readonly size?: string };
  readonly user?: string;
  readonly metadata?: JsonObject;
  readonly serviceTier?: string;
  /** Prompt cache key, or the top-level auto mark of Anthropic. */
  readonly cacheKey?: string;
  readonly autoCache?: CacheMark;
  readonly completion?: TextCompletion;
  /** Top-level fields the middle form has no word for, by the caller's own name: reported as dropped at a translation. */
  readonly extra: JsonObject;
  /** What only the caller's own dialect can do and no answer makes sense without (`cachedContent`, `previous_response_id`): an
   *  encoder of another dialect throws `invalid_request` for the first of them. */
  readonly unportable?: readonly Unportable[];
  /** Places of fields inside other fields that the middle form has no word for (`tools[0].defer_loading`): reported as dropped
   *  at a translation. */
  readonly nested?: readonly string[];
  /** Resume an answer the vendor broke off (Gemini `continuationToken`, docs/wire/gemini-generate.md#continuation-tokens). */
  readonly continuation?: string;
}

export type StopReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-full'
  | 'tool-calls'
  | 'refusal'
  | 'content-filter'
  | 'paused'
  | 'malformed-call';

export interface ChatReply {
  readonly id?: string;
  /** The vendor's model name; encoders print the caller's instead. */
  readonly model?: string;
  /** Unix seconds, where the wire says. */
  readonly created?: number;
  /** One per answer; most wires have exactly one. */
  readonly choices: readonly ChatChoice[];
  readonly usage?: Usage;
  readonly serviceTier?: string;
  /** Not finished: the vendor wants the same request again with this token as `continuation`. */
  readonly continuation?: string;
}
export interface ChatChoice {
  readonly parts: readonly AssistantPart[];
  readonly stop: StopReason;
  readonly stopSequence?: string;
  /** The vendor's explanation of a refusal. */
  readonly refusal?: string;
}

/**
 * A stream, block by block. Blocks of one answer are opened once, in order of first appearance, each with its own number;
 * several may be open at once (chat-completions interleaves parallel calls): an encoder whose wire wants one at a time buffers.
 */
export type ChatEvent =
  | {
      readonly type: 'start';
      readonly id?: string;
      readonly model?: string;
      readonly created?: number;
      readonly usage?: Usage;
    }
  | { readonly type: 'text-start'; readonly block: number; readonly choice: number }
  | { readonly type: 'refusal-start'; readonly block: number; readonly choice: number }
  | { readonly type: 'reasoning-start'; readonly block: number; readonly choice: number; readonly itemId?: string }
  | {
      readonly type: 'tool-call-start';
      readonly block: number;
      readonly choice: number;
      readonly id: string;
      readonly name: string;
      readonly kind: 'function' | 'custom';
    }
  | { readonly type: 'server-tool'; readonly block: number; readonly choice: number; readonly part: ServerToolPart }
  | { readonly type: 'image'; readonly block: number; readonly choice: number; readonly part: ImagePart }
  | {
      readonly type: 'audio-delta';
      readonly block: number;
      readonly choice: number;
      readonly id?: string;
      readonly data?: string;
      readonly transcript?: string;
      readonly expiresAt?: number;
    }
  /** More text, refusal, reasoning or argument text for the block; what it is, its start said. */
  | { readonly type: 'delta'; readonly block: number; readonly text: string; readonly logprobs?: readonly Json[] }
  /** A further summary part begins inside a reasoning block. */
  | { readonly type: 'reasoning-break'; readonly block: number }
  /** State of the block; on a tool call it comes before the first delta, so that wires without a place for it can put it ahead. */
  | { readonly type: 'opaque'; readonly block: number; readonly opaque: Opaque }
  | { readonly type: 'citation'; readonly block: number; readonly citation: Citation }
  | { readonly type: 'block-stop'; readonly block: number }
  /** Cumulative: a later one replaces the counts it names. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly stop: StopReason;
      readonly stopSequence?: string;
      readonly refusal?: string;
    }
  /** The vendor broke off and wants the same request again with this token: the gateway asks, and feeds the next stream to the
   *  same decoder. Encoders have nothing to say to it. */
  | { readonly type: 'continuation'; readonly token: string }
  /** The vendor is alive and has nothing to say. */
  | { readonly type: 'ping' }
  | { readonly type: 'error'; readonly error: StreamError }
  /** The stream ended as its dialect wants it to. Never sent after `error`. */
  | { readonly type: 'end' };

export interface StreamError {
  readonly code:
    | 'upstream_rate_limited'
    | 'upstream_unavailable'
    | 'upstream_malformed'
    | 'upstream_timeout'
    | 'content_refused'
    | 'invalid_request'
    | 'internal';
  readonly message: string;
  readonly vendorCode?: string;
}
