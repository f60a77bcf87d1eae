/** Responses, chat completions and conversations that the gateway keeps: read, followed, cancelled, deleted. */
import type { Request, Response } from 'express';
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import type { Conversation, Page, PageQuery, Responses } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { sendJson, sinkOf, startEventStream } from '../../http/reply.ts';

/** An answer has no more. */
const MOST_PAIRS = 16;

/** Handlers of what is done with kept responses; where none are kept they say what would have them kept. */
export function responseRoutes(responses: Responses | undefined): Handlers {
  const handled =
    (work: (kept: Responses, request: Request, response: Response) => Promise<object | undefined>): Handler =>
    async (request, response) => {
      if (responses === undefined) throw nothingKept(request);
      const body = await work(responses, request, response);
      if (body !== undefined) await sendJson(response, body as JsonObject);
    };
  return {
    getResponse: handled(async ({ kept }, request, response) => {
      const { key, signal } = response.locals.exchange.caller;
      const id = idOf(request, 'response_id');
      const after = request.query['starting_after'];
      if (!isTrue(request.query['stream'])) {
        if (after !== undefined)
          throw new GatewayError('invalid_request', 'starting_after needs stream=true', {
            param: 'starting_after',
          });
        return kept.get(key, id);
      }
      const events = await kept.follow(key, id, after === undefined ? -1 : Number(after), signal);
      response.locals.exchange.streamed = true;
      startEventStream(response);
      await events.pipe(sinkOf(response));
      response.end();
      return undefined;
    }),
    deleteResponse: handled(async ({ kept }, request, response) => {
      const id = idOf(request, 'response_id');
      await kept.remove(response.locals.exchange.caller.key, id);
      return { id, object: 'response', deleted: true };
    }),
    cancelResponse: handled(async ({ kept }, request, response) =>
      kept.cancel(response.locals.exchange.caller.key, idOf(request, 'response_id')),
    ),
    listResponseInputItems: handled(async ({ kept }, request, response) =>
      listOf(await kept.inputItems(response.locals.exchange.caller.key, idOf(request, 'response_id'), pageIn(request))),
    ),
    listChatCompletions: handled(async ({ completions }, request, response) => {
      const { model } = request.query;
      const query = { ...pageIn(request), ...(typeof model === 'string' && { model }), metadata: metadataIn(request) };
      return listOf(await completions.list(response.locals.exchange.caller.key, query));
    }),
    getChatCompletion: handled(async ({ completions }, request, response) =>
      completions.get(response.locals.exchange.caller.key, idOf(request, 'completion_id')),
    ),
    updateChatCompletion: handled(async ({ completions }, request, response) =>
      completions.update(
        response.locals.exchange.caller.key,
        idOf(request, 'completion_id'),
        jsonBody(request)['metadata'],
      ),
    ),
    deleteChatCompletion: handled(async ({ completions }, request, response) => {
      const id = idOf(request, 'completion_id');
      await completions.remove(response.locals.exchange.caller.key, id);
      return { id, object: 'chat.completion.deleted', deleted: true };
    }),
    listChatCompletionMessages: handled(async ({ completions }, request, response) =>
      listOf(
        await completions.messages(
          response.locals.exchange.caller.key,
          idOf(request, 'completion_id'),
          pageIn(request),
        ),
      ),
    ),
    createConversation: handled(async ({ conversations }, request, response) =>
      conversationOf(await conversations.create(response.locals.exchange.caller.key, jsonBody(request))),
    ),
    getConversation: handled(async ({ conversations }, request, response) =>
      conversationOf(await conversations.get(response.locals.exchange.caller.key, idOf(request, 'conversation_id'))),
    ),
    updateConversation: handled(async ({ conversations }, request, response) => {
      const { metadata } = jsonBody(request);
      return conversationOf(
        await conversations.update(response.locals.exchange.caller.key, idOf(request, 'conversation_id'), metadata),
      );
    }),
    deleteConversation: handled(async ({ conversations }, request, response) => {
      const id = idOf(request, 'conversation_id');
      await conversations.remove(response.locals.exchange.caller.key, id);
      return { id, object: 'conversation.deleted', deleted: true };
    }),
    createConversationItems: handled(async ({ conversations }, request, response) => {
      const { items } = jsonBody(request);
      const added = await conversations.addItems(
        response.locals.exchange.caller.key,
        idOf(request, 'conversation_id'),
        items,
      );
      return listOf({ items: added, hasMore: false });
    }),
    listConversationItems: handled(async ({ conversations }, request, response) =>
      listOf(
        await conversations.items(
          response.locals.exchange.caller.key,
          idOf(request, 'conversation_id'),
          pageIn(request),
        ),
      ),
    ),
    getConversationItem: handled(async ({ conversations }, request, response) =>
      conversations.item(
        response.locals.exchange.caller.key,
        idOf(request, 'conversation_id'),
        idOf(request, 'item_id'),
      ),
    ),
    deleteConversationItem: handled(async ({ conversations }, request, response) =>
      conversationOf(
        await conversations.removeItem(
          response.locals.exchange.caller.key,
          idOf(request, 'conversation_id'),
          idOf(request, 'item_id'),
        ),
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
