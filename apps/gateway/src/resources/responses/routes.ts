/** Responses, chat completions and conversations that the gateway keeps: read, followed, cancelled, deleted. */
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import type { Conversation, KeyRecord, Page, PageQuery, Responses } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { sendJson, sinkOf, startEventStream } from '../../http/reply.ts';

/** An answer has no more. */
const MOST_PAIRS = 16;

type Handled = (work: KeptWork) => Handler;
/** What is done with what is kept; undefined where the answer has gone out already. */
type KeptWork = (kept: Responses, request: Request, response: Response) => Promise<object | undefined>;

/** Handlers of what is done with kept responses; where none are kept they say what would have them kept. */
export function responseRoutes(responses: Responses | undefined): Handlers {
  const handled: Handled = (work) => async (request, response) => {
    if (responses === undefined) throw nothingKept(request);
    const body = await work(responses, request, response);
    if (body !== undefined) await sendJson(response, body as JsonObject);
  };
  return { ...keptResponses(handled), ...keptCompletions(handled), ...conversationRoutes(handled) };
}

function keptResponses(handled: Handled): Handlers {
  return {
    getResponse: handled(getResponse),
    deleteResponse: handled(async ({ kept }, request, response) => {
      const id = idOf(request, 'response_id');
      await kept.remove(keyOf(response), id);
      return { id, object: 'response', deleted: true };
    }),
    cancelResponse: handled(async ({ kept }, request, response) =>
      kept.cancel(keyOf(response), idOf(request, 'response_id')),
    ),
    listResponseInputItems: handled(async ({ kept }, request, response) =>
      listOf(await kept.inputItems(keyOf(response), idOf(request, 'response_id'), pageIn(request))),
    ),
  };
}

/** Whole, or its events from where the caller left off. */
async function getResponse({ kept }: Responses, request: Request, response: Response): Promise<object | undefined> {
  const { key, signal } = response.locals.exchange.caller;
  const id = idOf(request, 'response_id');
  const after = request.query['starting_after'];
  if (!isTrue(request.query['stream'])) {
    if (after === undefined) return kept.get(key, id);
    throw new GatewayError('invalid_request', 'starting_after needs stream=true', { param: 'starting_after' });
  }
  const events = await kept.follow(key, id, after === undefined ? -1 : Number(after), signal);
  response.locals.exchange.streamed = true;
  startEventStream(response);
  await events.pipe(sinkOf(response));
  response.end();
  return undefined;
}

function keptCompletions(handled: Handled): Handlers {
  return {
    listChatCompletions: handled(async ({ completions }, request, response) => {
      const { model } = request.query;
      const query = { ...pageIn(request), ...(typeof model === 'string' && { model }), metadata: metadataIn(request) };
      return listOf(await completions.list(keyOf(response), query));
    }),
    getChatCompletion: handled(async ({ completions }, request, response) =>
      completions.get(keyOf(response), idOf(request, 'completion_id')),
    ),
    updateChatCompletion: handled(async ({ completions }, request, response) =>
      completions.update(keyOf(response), idOf(request, 'completion_id'), jsonBody(request)['metadata']),
    ),
    deleteChatCompletion: handled(async ({ completions }, request, response) => {
      const id = idOf(request, 'completion_id');
      await completions.remove(keyOf(response), id);
      return { id, object: 'chat.completion.deleted', deleted: true };
    }),
    listChatCompletionMessages: handled(async ({ completions }, request, response) =>
      listOf(await completions.messages(keyOf(response), idOf(request, 'completion_id'), pageIn(request))),
    ),
  };
}

function conversationRoutes(handled: Handled): Handlers {
  return {
    createConversation: handled(async ({ conversations }, request, response) =>
      conversationOf(await conversations.create(keyOf(response), jsonBody(request))),
    ),
    getConversation: handled(async ({ conversations }, request, response) =>
      conversationOf(await conversations.get(keyOf(response), idOf(request, 'conversation_id'))),
    ),
    updateConversation: handled(async ({ conversations }, request, response) => {
      const { metadata } = jsonBody(request);
      return conversationOf(await conversations.update(keyOf(response), idOf(request, 'conversation_id'), metadata));
    }),
    deleteConversation: handled(async ({ conversations }, request, response) => {
      const id = idOf(request, 'conversation_id');
      await conversations.remove(keyOf(response), id);
      return { id, object: 'conversation.deleted', deleted: true };
    }),
    createConversationItems: handled(async ({ conversations }, request, response) => {
      const { items } = jsonBody(request);
      const added = await conversations.addItems(keyOf(response), idOf(request, 'conversation_id'), items);
      return listOf({ items: added, hasMore: false });
    }),
    listConversationItems: handled(async ({ conversations }, request, response) =>
      listOf(await conversations.items(keyOf(response), idOf(request, 'conversation_id'), pageIn(request))),
    ),
    getConversationItem: handled(async ({ conversations }, request, response) =>
      conversations.item(keyOf(response), idOf(request, 'conversation_id'), idOf(request, 'item_id')),
    ),
    deleteConversationItem: handled(async ({ conversations }, request, response) =>
      conversationOf(
        await conversations.removeItem(keyOf(response), idOf(request, 'conversation_id'), idOf(request, 'item_id')),
      ),
    ),
  };
}

function nothingKept(request: Request): GatewayError {
  const message = 'nothing is kept here; the gateway’s operator can set security.encryption_key';
  return request.path.replace(/\/+$/, '') === OPERATIONS.createConversation.path
    ? new GatewayError('invalid_request', message)
    : new GatewayError('not_found', message);
}

function keyOf({ locals }: Response): KeyRecord {
  return locals.exchange.caller.key;
}

function idOf(request: Request, name: string): string {
  return String(request.params[name]);
}

/** Checked against the document; as text or as what the validator made of it. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function pageIn({ query }: Request): PageQuery {
  const { limit, after, order } = query;
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(typeof after === 'string' && { after }),
    ...((order === 'asc' || order === 'desc') && { order }),
  };
}

/** `metadata[name]=text`, as OpenAI's SDKs write pairs that are looked for. */
function metadataIn({ originalUrl }: Request): Readonly<Record<string, string>> {
  const pairs = [...new URL(originalUrl, 'http://gateway').searchParams].flatMap(([name, text]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, text] as const];
  });
  if (pairs.length > MOST_PAIRS)
    throw new GatewayError('invalid_request', `metadata: a filter has at most ${MOST_PAIRS} pairs`, {
      param: 'metadata',
    });
  return Object.fromEntries(pairs);
}

function listOf({ items, hasMore }: Page): JsonObject {
  return {
    object: 'list',
    data: [...items],
    first_id: items[0]?.['id'] ?? null,
    last_id: items.at(-1)?.['id'] ?? null,
    has_more: hasMore,
  };
}

function conversationOf({ id, createdAt, metadata }: Conversation): JsonObject {
  return {
    id,
    object: 'conversation',
    created_at: Math.floor(createdAt / 1000),
    metadata,
  };
}
