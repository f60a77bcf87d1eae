/** The four chat formats, plain and streamed, and counting. */
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, type DialectName, type JsonObject } from '@model-gateway/contracts';
import { newTrace, type Chat, type CountCall, type ApiKeyAuthenticator, type TokenCount } from '@model-gateway/core';
import { dialects } from '@model-gateway/translate';
import { callerOf, contextOf, jsonBody } from '../http/context.ts';
import type { Handler, Handlers } from '../http/operation.ts';
import { piecesSink, sendJsonBytes, sinkOf, startEventStream, startJsonArray, writeTrace } from '../http/reply.ts';

const LONGEST_HEADER = 4000;

export interface ChatRouteParts {
  readonly chat: Chat;
  readonly countTokens: (call: CountCall) => Promise<TokenCount>;
  readonly authenticator: ApiKeyAuthenticator;
  readonly now: () => number;
}

/** What a route knows of its call before the body is looked at. */
interface Asked {
  readonly dialect: DialectName;
  readonly endpoint: string;
  /** Whether the path asks for a stream, where it is the path that says so. */
  readonly streamed?: boolean;
}

/** Handlers of the chat operations. */
export function chatRoutes(parts: ChatRouteParts): Handlers {
  const generate = answer(parts, {
    dialect: 'gemini-generate',
    endpoint: 'generateContent',
  });
  const streamed = answer(parts, {
    dialect: 'gemini-generate',
    endpoint: 'streamGenerateContent',
    streamed: true,
  });
  const countContent = count(parts, { dialect: 'gemini-generate', endpoint: 'countTokens' });
  return {
    createChatCompletion: answer(parts, { dialect: 'openai-chat', endpoint: '/v1/chat/completions' }),
    createResponse: answer(parts, { dialect: 'openai-responses', endpoint: '/v1/responses' }),
    createMessage: answer(parts, { dialect: 'anthropic-messages', endpoint: '/v1/messages' }),
    countMessageTokens: count(parts, { dialect: 'anthropic-messages', endpoint: '/v1/messages/count_tokens' }),
    generateContent: generate,
    generateContentV1: generate,
    streamGenerateContent: streamed,
    streamGenerateContentV1: streamed,
    countContentTokens: countContent,
    countContentTokensV1: countContent,
  };
}

function answer({ chat, authenticator, now }: ChatRouteParts, asked: Asked): Handler {
  return async (request, response) => {
    const call = callOf(request, response, asked, authenticator);
    const context = contextOf(response);
    const trace = newTrace();
    context.trace = trace;
    try {
      const { reply } = await chat.answer(call, trace);
      writeTrace(response, trace);
      context.firstByteAt = now();
      if (reply.type === 'whole') {
        await sendJsonBytes(response, reply.body);
        return;
      }
      const pieces = request.query['alt'] === 'sse' ? undefined : dialects[asked.dialect].jsonPieces?.();
      if (pieces !== undefined) {
        startJsonArray(response);
        await reply.pipe(piecesSink(sinkOf(response), pieces));
        response.end(pieces.end());
        return;
      }
      startEventStream(response);
      await reply.pipe(sinkOf(response));
      response.end();
    } catch (error) {
      if (!response.headersSent) writeTrace(response, trace);
      if (call.caller.signal.aborted) {
        response.destroy();
        return;
      }
      throw error;
    }
  };
}

function count({ countTokens, authenticator }: ChatRouteParts, asked: Asked): Handler {
  return async (request, response) => {
    const { body, estimated, accountId } = await countTokens(callOf(request, response, asked, authenticator));
    if (accountId !== undefined) response.setHeader('x-gateway-account', String(accountId));
    if (estimated) response.setHeader('x-gateway-estimated', 'true');
    response.json(body);
  };
}

function callOf(
  request: Request,
  response: Response,
  { dialect, endpoint, streamed }: Asked,
  authenticator: ApiKeyAuthenticator,
) {
  const caller = callerOf(response);
  const context = contextOf(response);
  const json = jsonBody(request);
  if (!isJsonObject(json)) throw new GatewayError('invalid_request', 'the body must be a JSON object');
  const inBody = dialects[dialect].addressing === 'body';
  const model = inBody ? modelOf(json) : String(request.params['model']);
  context.model = model;
  authenticator.checkModel(caller.key, model);
  return {
    caller,
    dialect,
    endpoint,
    model,
    body: { bytes: context.rawBody ?? Buffer.from(JSON.stringify(json)), json },
    stream: inBody ? json['stream'] === true : streamed === true,
    headers: travelling(request, dialect),
  };
}

function modelOf(json: JsonObject): string {
  const { model } = json;
  if (typeof model === 'string' && model !== '') return model;
  throw new GatewayError('invalid_request', 'model is missing; name a model code of GET /v1/models', {
    param: 'model',
  });
}

function travelling(request: Request, dialect: DialectName): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of dialects[dialect].headers) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value.slice(0, LONGEST_HEADER);
  }
  return headers;
}
