import { isJsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { Refusal } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo } from '../chat/answers.ts';
import { inputTokens, lastWords } from '../chat/talk.ts';
import { refuseMissingFile } from './batches.ts';
import { badRequest, complainAsOpenAi, refuseAsOpenAi, standardHeaders } from './errors.ts';
import { memoryOf, type StoredResponse } from './responses-items.ts';
import { ResponseDraft } from './responses-draft.ts';
import { readResponses } from './responses-request.ts';
import { streamResponse } from './responses-stream.ts';

const ONE = /^\/v1\/responses\/(?<id>resp_[^/]+)$/;

/** The Responses endpoints: create (plain and streamed), read, delete, cancel, count. */
export const responsesRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/responses', operation: 'responses', handle: create },
  {
    method: 'GET',
    path: '/v1/responses',
    operation: 'responses-socket',
    handle: () => {
      throw badRequest('This endpoint needs a WebSocket upgrade.', null);
    },
    messages: { read: bodyOfEvent, operation: 'responses', handle: answerEvent },
  },
  { method: 'POST', path: '/v1/responses/input_tokens', operation: 'count', handle: count },
  { method: 'POST', path: '/v1/responses/compact', operation: 'compact', handle: compact },
  { method: 'GET', path: ONE, operation: 'responses', handle: (exchange) => exchange.reply(200, stored(exchange)) },
  { method: 'DELETE', path: ONE, operation: 'responses', handle: remove },
  {
    method: 'POST',
    path: /^\/v1\/responses\/(?<id>resp_[^/]+)\/cancel$/,
    operation: 'cancel',
    handle: (exchange) => {
      stored(exchange);
      throw badRequest('Cannot cancel a synchronous response.', null);
    },
  },
];

/** The body of a `response.create` as it would be over HTTP. */
function bodyOfEvent(message: Buffer): Buffer {
  let event: unknown;
  try {
    event = JSON.parse(message.toString());
  } catch {
    throw badRequest('Could not parse your message as JSON.', null, 'invalid_json');
  }
  if (!isJsonObject(event)) throw badRequest('An event must be a JSON object.', null);
  const { type, ...body } = event;
  if (type !== 'response.create') throw badRequest(`Unsupported event type: '${JSON.stringify(type)}'.`, 'type');
  for (const field of ['stream', 'background'])
    if (field in body) throw badRequest(`Unsupported parameter over a WebSocket: '${field}'.`, field);
  return Buffer.from(JSON.stringify({ ...body, stream: true }));
}

/** What fails takes what it went on from out of the connection's memory. */
async function answerEvent(exchange: Exchange): Promise<void> {
  try {
    await create(exchange);
  } catch (error) {
    if (error instanceof Refusal && error.status < 429) exchange.connection?.clear();
    throw error;
  }
}

async function create(exchange: Exchange): Promise<void> {
  const own = (id: string) => exchange.connection?.get(id) as StoredResponse | undefined;
  const body = exchange.json(complainAsOpenAi);
  refuseMissingFile(exchange, body.value['input']);
  const order = readResponses(body, exchange.stage, own);
  const markers = await exchange.obey(lastWords(order.talk));
  const answer = answerTo(order.talk, markers);
  const response = new ResponseDraft(exchange, order, answer, markers);
  response.remember();
  if (order.stream) {
    await streamResponse(exchange, response, (share, aborted) => record(exchange, response, share, aborted));
    return;
  }
  record(exchange, response, 1, false);
  exchange.reply(200, response.whole(), standardHeaders(exchange));
}

function record(exchange: Exchange, { order, answer, cached }: ResponseDraft, share: number, aborted: boolean): void {
  const { input, output, reasoning } = answer.tokens;
  exchange.record({
    kind: 'chat',
    model: order.talk.model,
    stream: order.stream,
    aborted,
    billed: {
      inputTokens: input,
      cachedInputTokens: cached,
      outputTokens: Math.ceil(output * share),
      reasoningTokens: reasoning,
      ...(answer.searched.length > 0 && { webSearches: answer.searched.length }),
    },
  });
}

function count(exchange: Exchange): void {
  const { talk } = readResponses(exchange.json(complainAsOpenAi), exchange.stage);
  exchange.reply(200, { object: 'response.input_tokens', input_tokens: inputTokens(talk) });
}

/** The user's messages, and one item for the rest. */
async function compact(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  for (const field of ['store', 'stream', 'include'])
    if (body.has(field)) throw badRequest(`Unknown parameter: '${field}'.`, field);
  const order = readResponses(body, exchange.stage);
  const markers = await exchange.obey(lastWords(order.talk));
  const response = new ResponseDraft(exchange, order, answerTo(order.talk, markers), markers);
  record(exchange, response, 1, false);
  const { input } = body.value;
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  const messages = items
    .filter(({ role }) => role === 'user')
    .map(({ content }) => ({
      id: exchange.stage.newId('msg_'),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: typeof content === 'string' ? [{ type: 'input_text', text: content }] : content,
    }));
  const { id, created_at: at, usage } = response.whole();
  const item = { id: exchange.stage.newId('cmp_'), type: 'compaction', encrypted_content: 'gAAAAtwin' };
  exchange.reply(200, { id, object: 'response.compaction', created_at: at, output: [...messages, item], usage });
}

function stored(exchange: Exchange): Record<string, unknown> {
  const id = exchange.params['id'] ?? '';
  const kept = memoryOf(exchange.stage).responses.get(id);
  if (kept === undefined) throw refuseAsOpenAi(404, { message: `Response with id '${id}' not found.` });
  return kept.body;
}

function remove(exchange: Exchange): void {
  const { id } = stored(exchange);
  memoryOf(exchange.stage).responses.delete(String(id));
  exchange.reply(200, { id, object: 'response', deleted: true });
}
