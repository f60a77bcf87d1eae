/**
 * What a gateway that keeps responses for its callers must know of their wire (docs/wire/openai-responses.md#kept-responses): what a request
 * continues, which items a later one is given, and how an answer is shown under an id of the gateway's own.
 */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { isGiven } from '../shared/request-cost.ts';
import { formatSse } from '../shared/sse.ts';
import { responseObject } from './output.ts';

/** What a request says of keeping. */
export interface KeepingWish {
  /** Kept unless it says otherwise. */
  readonly store: boolean;
  readonly background: boolean;
  readonly previousId?: string;
  readonly conversationId?: string;
}

/** Throws `invalid_request` naming the field, also for wishes that contradict each other. */
export function keepingWish(body: JsonObject): KeepingWish {
  const previousId = textIn(body['previous_response_id'], 'previous_response_id');
  const { conversation } = body;
  const conversationId = isJsonObject(conversation)
    ? textIn(conversation['id'] ?? '', 'conversation.id')
    : textIn(conversation, 'conversation');
  const background = flagIn(body['background'], 'background') ?? false;
  const store = flagIn(body['store'], 'store') ?? true;
  // With what is kept it is kept, too: nobody else looks at it.
  if (store) metadataIn(body['metadata']);
  if (previousId !== undefined && conversationId !== undefined)
    throw wrong('conversation', 'cannot be given beside previous_response_id; a conversation has its own history');
  if (background && !store)
    throw wrong(
      'background',
      'needs a response that is kept; leave store out, or send true, or ask without background',
    );
  return {
    store,
    background,
    ...(previousId !== undefined && { previousId }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

/** OpenAI's bounds, which only its words state. */
const MOST_PAIRS = 16;
const LONGEST_NAME = 64;
const LONGEST_TEXT = 512;

/** The caller's own pairs of text; none where nothing is given. Throws `invalid_request` beyond OpenAI's bounds. */
export function metadataIn(metadata: Json | undefined): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  const pairs = isJsonObject(metadata) ? Object.entries(metadata) : undefined;
  const fits = pairs?.every(
    ([name, text]) => name.length <= LONGEST_NAME && typeof text === 'string' && text.length <= LONGEST_TEXT,
  );
  if (pairs === undefined || pairs.length > MOST_PAIRS || fits !== true)
    throw wrong(
      'metadata',
      `must be an object of at most ${MOST_PAIRS} texts of at most ${LONGEST_TEXT} characters, with names of at most ${LONGEST_NAME}`,
    );
  return Object.fromEntries(pairs);
}

function textIn(value: Json | undefined, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '' && value.length <= 200) return value;
  throw wrong(field, 'must be an id: a text of 1 to 200 characters');
}

function flagIn(value: Json | undefined, field: string): boolean | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
  throw wrong(field, 'must be true or false');
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${message}`, { param });
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The input as items, each with a type and an id of its own. Throws `invalid_request` for what is no list of items. */
export function inputItems(input: Json | undefined, newId: () => string, place = 'input'): JsonObject[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string')
    return [{ id: `msg_${newId()}`, type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) throw wrong(place, 'must be a text or a list of items');
  const seen = new Set<Json>();
  return input.map((item, index) => {
    if (!isJsonObject(item))
      throw wrong(`${place}[${index}]`, 'must be an item, such as {"role": "user", "content": "Hi"}');
    const type = item['type'] ?? 'message';
    const given = item['id'];
    const isOwn = typeof given === 'string' && /^[\w-]{1,200}$/.test(given) && !seen.has(given);
    const id = isOwn ? given : `${PREFIXES[typeof type === 'string' ? type : ''] ?? 'item'}_${newId()}`;
    seen.add(id);
    return { ...item, id, type };
  });
}

/** Items that are nothing without an id: their vendor reads its own copy, or finds its work by it. */
const NAMED = /^(?:reasoning|item_reference|mcp_approval_request|mcp_list_tools)$|_call$/;
const UNNAMED = new Set<Json | undefined>(['function_call', 'custom_tool_call']);

/**
 * Earlier items as a later request brings them. Nobody but the gateway has kept them: what only refers to a vendor's memory is left out (reasoning
 * without its encrypted content), and so are ids that no vendor knows.
 */
export function asHistory(items: readonly JsonObject[]): JsonObject[] {
  return items.flatMap((item) => {
    const { type } = item;
    if (type === 'reasoning' && !isGiven(item['encrypted_content']) && !isGiven(item['content'])) return [];
    if (typeof type === 'string' && NAMED.test(type) && !UNNAMED.has(type)) return [item];
    const { id: _id, ...rest } = item;
    return [rest];
  });
}

const WITH_STATUS = new Set<Json | undefined>([
  ...['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
]);

/** An item as it is listed: with the members that OpenAI's SDKs require, which nobody has to send. */
export function shownItem(item: JsonObject): JsonObject {
  const { type, role, content } = item;
  if (!WITH_STATUS.has(type)) return item;
  const whole = { ...item, status: item['status'] ?? 'completed' };
  if (type !== 'message') return whole;
  const word = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type: word, text: content }] : content;
  if (!Array.isArray(parts)) return whole;
  return { ...whole, content: parts.map((part) => (isJsonObject(part) ? shownPart(part) : part)) };
}

function shownPart(part: JsonObject): JsonObject {
  if (part['type'] === 'output_text') return { ...part, annotations: part['annotations'] ?? [] };
  return part['type'] === 'input_image' ? { ...part, detail: part['detail'] ?? 'auto' } : part;
}

/** The ids of items that the input names instead of bringing them. */
export function referencesIn({ input }: JsonObject): readonly string[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item) => (isReference(item) && typeof item['id'] === 'string' ? item['id'] : []));
}

/** The body with these items, as earlier ones, in place of their names. */
export function withItems(body: JsonObject, found: ReadonlyMap<string, JsonObject>): JsonObject {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const items = input.flatMap((item): readonly Json[] => {
    const kept = isReference(item) && typeof item['id'] === 'string' ? found.get(item['id']) : undefined;
    return kept === undefined ? [item] : asHistory([kept]);
  });
  return { ...body, input: items };
}

/** OpenAI's SDKs may leave the type out: nothing else has an id alone. */
function isReference(item: Json): item is JsonObject {
  if (!isJsonObject(item)) return false;
  const type = item['type'] ?? undefined;
  return (
    type === 'item_reference' ||
    (type === undefined && Object.keys(item).every((name) => name === 'id' || name === 'type'))
  );
}

/** The request as a model is asked: with everything that was said before, and nothing for a vendor to keep. What says nothing stays as it is. */
export function continued(body: JsonObject, history: readonly JsonObject[], stream: boolean): JsonObject {
  const asked = Object.fromEntries(Object.entries(body).filter(([name, value]) => !isOfKeeping(name, value)));
  return {
    ...asked,
    ...(history.length > 0 && { input: [...history, ...saidIn(body)] }),
    ...(thinks(body) && { include: withSealedThoughts(body['include']) }),
    store: false,
    ...((body['stream'] ?? false) !== stream && { stream }),
  };
}

/** The input as a list, as it came: a text is what the user says. */
export function saidIn({ input }: JsonObject): readonly Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? input : [];
}

/** What is said before a request that goes on from this one's answer. */
export function historyAfter(asked: JsonObject, response: JsonObject): JsonObject[] {
  return asHistory([...saidIn(asked).filter(isJsonObject), ...outputOf(response)]);
}

/** Whether a request asks for thoughts. */
export function thinks({ reasoning }: JsonObject): boolean {
  return isJsonObject(reasoning) && reasoning['effort'] !== 'none';
}

/** Members that the gateway answers itself; without a value they ask for nothing. */
function isOfKeeping(name: string, value: Json): boolean {
  if (name === 'background') return value === true;
  return (name === 'previous_response_id' || name === 'conversation') && value !== null;
}

/** A model of the vendor's own goes on thinking where it stopped only with what it thought; nobody else keeps that for it. */
export function withSealedThoughts(include: Json | undefined): Json {
  const words = Array.isArray(include) ? include : [];
  return words.includes('reasoning.encrypted_content') ? words : [...words, 'reasoning.encrypted_content'];
}

/** By what an answer is shown that the gateway keeps. */
export interface KeptAs {
  readonly id: string;
  readonly background: boolean;
  readonly previousId?: string;
  readonly conversationId?: string;
}

/** A response object as its caller is shown it; `store` says whether it was kept. */
export function shownAs(response: JsonObject, kept: KeptAs, store = true): JsonObject {
  return {
    ...response,
    id: kept.id,
    background: kept.background,
    previous_response_id: kept.previousId ?? null,
    conversation: kept.conversationId === undefined ? null : { id: kept.conversationId },
    store,
  };
}

/** What an answer has brought, item by item. */
export function outputOf({ output }: JsonObject): JsonObject[] {
  return Array.isArray(output) ? output.filter(isJsonObject) : [];
}

/** The response that a stream's event carries. */
export function responseIn(event: JsonObject): JsonObject | undefined {
  const { response } = event;
  return isJsonObject(response) ? response : undefined;
}

/** Whether an event ends the stream. */
export function isEnding({ type }: JsonObject): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}

/** The event that ends the stream of this response. */
export function endingEvent(response: JsonObject, sequenceNumber: number): JsonObject {
  const { status } = response;
  const word = status === 'completed' || status === 'incomplete' ? status : 'failed';
  return { type: `response.${word}`, sequence_number: sequenceNumber, response };
}

/** A response of which no model has said anything. */
export function bareResponse(
  {
    body,
    model,
    id,
    at,
  }: { readonly body: JsonObject; readonly model: string; readonly id: string; readonly at: number },
  state: { readonly status: 'queued' | 'in_progress' | 'failed'; readonly error?: JsonObject },
): JsonObject {
  return responseObject({ body, model, now: at }, { id, createdAt: at, output: [], ...state });
}

/** One event as it is written on the wire. */
export function eventText(event: JsonObject): string {
  const { type } = event;
  return formatSse(JSON.stringify(event), typeof type === 'string' ? type : undefined);
}
