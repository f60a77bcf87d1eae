/** The objects of a Responses answer: items, and the response around them with its echoes (docs/wire/openai-responses.md#answer, docs/service.md). */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Citation, Opaque, ServerToolPart, StopReason } from '../conversation.ts';
import type { ReplyContext } from '../dialect.ts';
import { withPrefix } from '../shared/ids.ts';
import { writeOpaque } from '../shared/opaque-envelope.ts';
import { urlCitation } from '../shared/openai-words.ts';
import { isEnvelope } from '../shared/opaque-envelope.ts';
import { toResponsesUsage } from '../shared/usage.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function responseId(id: string | undefined, context: ReplyContext): string {
  return id?.startsWith('resp_') === true ? id : withPrefix('resp_', context.id);
}

export function textPart(text: string, annotations: JsonObject[] = [], logprobs: Json[] = []): JsonObject {
  return { type: 'output_text', text, annotations, logprobs };
}

export function messageItem(id: string, status: ItemStatus, content: JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function reasoningItem(id: string, summaries: readonly string[], opaque: Opaque | undefined): JsonObject {
  return {
    id,
    type: 'reasoning',
    summary: summaries.map((text) => ({ type: 'summary_text', text })),
    ...(opaque !== undefined && { encrypted_content: writeOpaque(opaque, 'openai') }),
  };
}

export interface CallFields {
  readonly callId: string;
  readonly name: string;
  /** The group that the caller keeps the tool in. */
  readonly namespace?: string;
  readonly custom: boolean;
  readonly text: string;
}

/** A call without arguments still has an object of them once it is complete (docs/wire/chat-streams.md#writing-each-wire). */
export function callItem(id: string, status: ItemStatus, fields: CallFields): JsonObject {
  const { callId, name, custom, text } = fields;
  const group = fields.namespace === undefined ? {} : { namespace: fields.namespace };
  if (custom) return { id, type: 'custom_tool_call', status, call_id: callId, ...group, name, input: text };
  const said = text === '' && status === 'completed' ? '{}' : text;
  return { id, type: 'function_call', status, call_id: callId, ...group, name, arguments: said };
}

/** What a vendor's own tool did, as far as this wire has an item for it; undefined = hidden. */
export function serverToolItem(id: string, part: ServerToolPart): JsonObject | undefined {
  if (part.provider === 'openai') return part.raw;
  if (part.name !== 'web_search' || part.phase !== 'call') return undefined;
  return {
    id,
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: part.query ?? '', queries: part.query === undefined ? [] : [part.query] },
  };
}

export function imageItem(id: string, status: ItemStatus, data: string | null): JsonObject {
  return { id, type: 'image_generation_call', status, result: data };
}

const OWN_ANNOTATIONS: readonly unknown[] = ['file_citation', 'container_file_citation', 'file_path'];

/** Citations as annotations, with offsets in a text of that length. What another wire says of a document beyond its name is kept beside it. */
export function annotationsOf(citations: readonly Citation[], length: number): JsonObject[] {
  return citations.flatMap((citation) => {
    const fields = urlCitation(citation, 0, length);
    if (fields !== undefined) return [{ type: 'url_citation', ...fields }];
    const { raw = {}, title, text } = citation;
    if (OWN_ANNOTATIONS.includes(raw['type'])) return [raw];
    if (title === undefined && text === undefined) return [];
    const { type: _type, document_title: _title, file_id: id, ...place } = raw;
    const said = { ...place, ...(text !== undefined && { cited_text: text }) };
    const file = { file_id: typeof id === 'string' ? id : '', filename: title ?? '', index: length };
    return [{ type: 'file_citation', ...file, ...said }];
  });
}

/** Ids of items: the same reply has the same ids, each item its own. */
export function createItemIds(context: ReplyContext): (prefix: 'msg' | 'rs' | 'fc' | 'ctc' | 'ws' | 'ig') => string {
  let count = 0;
  return (prefix) => {
    const id = `${prefix}_${context.id}_${count}`;
    count += 1;
    return id;
  };
}

/** The id of a reasoning item: its own where the state is bound to it. */
export function reasoningId(opaque: Opaque | undefined, own: string): string {
  return opaque?.provider === 'openai' && opaque.itemId !== undefined && !isEnvelope(opaque.value)
    ? opaque.itemId
    : own;
}

export interface Ending {
  readonly status: 'completed' | 'incomplete';
  readonly reason?: 'max_output_tokens' | 'content_filter';
}

/**
 * How a stop reason ends a response (docs/wire/openai-responses.md#how-an-answer-ends,
 * docs/wire/chat-translation.md#why-an-answer-ended). A refusal in words is a complete answer.
 */
export function endingOf(stop: StopReason, refused: boolean): Ending {
  switch (stop) {
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    // Explained in a refusal.
    case 'malformed-call':
      return { status: 'completed' };
    case 'length':
    case 'context-full':
    case 'paused':
      return { status: 'incomplete', reason: 'max_output_tokens' };
    case 'refusal':
      return refused ? { status: 'completed' } : { status: 'incomplete', reason: 'content_filter' };
    case 'content-filter':
      return { status: 'incomplete', reason: 'content_filter' };
  }
}

interface ResponseState {
  readonly id: string;
  readonly createdAt: number;
  readonly status: 'queued' | 'in_progress' | 'failed' | Ending['status'];
  readonly output: JsonObject[];
  readonly reason?: Ending['reason'];
  readonly error?: JsonObject;
  readonly usage?: Usage | undefined;
  readonly serviceTier?: string | undefined;
}

const asked = (body: JsonObject, field: string, otherwise: Json): Json => body[field] ?? otherwise;

/** The tools of the request; a function has every member that clients' schemas require, null for what was not said. */
function askedTools({ tools }: JsonObject): Json {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool) =>
    isJsonObject(tool) && tool['type'] === 'function'
      ? { description: null, parameters: null, strict: null, ...tool }
      : tool,
  );
}

/** The response object; what it echoes comes from the caller's body. */
export function responseObject(
  { body, model, now }: Pick<ReplyContext, 'body' | 'model' | 'now'>,
  state: ResponseState,
): JsonObject {
  const reasoning = body['reasoning'];
  const text = body['text'];
  return {
    id: state.id,
    object: 'response',
    created_at: state.createdAt,
    completed_at: state.status === 'completed' ? Math.max(now, state.createdAt) : null,
    status: state.status,
    background: false,
    error: state.error ?? null,
    frequency_penalty: asked(body, 'frequency_penalty', 0),
    incomplete_details: state.reason === undefined ? null : { reason: state.reason },
    instructions: asked(body, 'instructions', null),
    max_output_tokens: asked(body, 'max_output_tokens', null),
    max_tool_calls: asked(body, 'max_tool_calls', null),
    model,
    output: state.output,
    parallel_tool_calls: asked(body, 'parallel_tool_calls', true),
    presence_penalty: asked(body, 'presence_penalty', 0),
    previous_response_id: asked(body, 'previous_response_id', null),
    prompt_cache_key: asked(body, 'prompt_cache_key', null),
    reasoning: {
      effort: null,
      summary: null,
      ...(typeof reasoning === 'object' && !Array.isArray(reasoning) && reasoning),
    },
    safety_identifier: asked(body, 'safety_identifier', null),
    service_tier:
      state.serviceTier ??
      (state.status === 'in_progress' || state.status === 'queued' ? asked(body, 'service_tier', 'auto') : 'default'),
    // Whoever keeps it says so.
    store: false,
    temperature: asked(body, 'temperature', 1),
    text: { format: { type: 'text' }, ...(typeof text === 'object' && !Array.isArray(text) && text) },
    tool_choice: asked(body, 'tool_choice', 'auto'),
    tools: askedTools(body),
    top_logprobs: asked(body, 'top_logprobs', 0),
    top_p: asked(body, 'top_p', 1),
    truncation: asked(body, 'truncation', 'disabled'),
    usage: state.usage === undefined ? null : toResponsesUsage(state.usage),
    user: asked(body, 'user', null),
    metadata: asked(body, 'metadata', {}),
  };
}
