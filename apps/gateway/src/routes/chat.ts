/** The four chat formats, plain and streamed, and counting. */
import type { Request, Response } from 'express';
import { OPERATIONS, type DialectName } from '@model-gateway/contracts';
import { newTrace, type Chat, type CountCall, type TokenCount } from '@model-gateway/core';
import { dialects } from '@model-gateway/translate';
import { callerOf, contextOf, jsonBody, modelOf } from '../http/context.ts';
import type { Handler, Handlers } from '../http/operation.ts';
import { piecesSink, sendJsonBytes, sinkOf, startEventStream, startJsonArray, writeTrace } from '../http/reply.ts';

const LONGEST_HEADER = 4000;

export interface ChatRouteParts {
  readonly chat: Chat;
  readonly countTokens: (call: CountCall) => Promise<TokenCount>;
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
    createChatCompletion: answer(parts, { dialect: 'openai-chat', endpoint: OPERATIONS.createChatCompletion.path }),
    createResponse: answer(parts, { dialect: 'openai-responses', endpoint: OPERATIONS.createResponse.path }),
    createMessage: answer(parts, { dialect: 'anthropic-messages', endpoint: OPERATIONS.createMessage.path }),
    countMessageTokens: count(parts, { dialect: 'anthropic-messages', endpoint: OPERATIONS.countMessageTokens.path }),
    generateContent: generate,
    generateContentV1: generate,
    streamGenerateContent: streamed,
    streamGenerateContentV1: streamed,
    countContentTokens: countContent,
    countContentTokensV1: countContent,
  };
}

function answer({ chat, now }: ChatRouteParts, asked: Asked): Handler {
  return async (request, response) => {
    const call = callOf(request, response, asked);
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

function count({ countTokens }: ChatRouteParts, asked: Asked): Handler {
  return async (request, response) => {
    const { body, estimated, accountId } = await countTokens(callOf(request, response, asked));
    if (accountId !== undefined) response.setHeader('x-gateway-account', String(accountId));
    if (estimated) response.setHeader('x-gateway-estimated', 'true');
    response.json(body);
  };
}

function callOf(request: Request, response: Response, { dialect, endpoint, streamed }: Asked) {
  const caller = callerOf(response);
  const json = jsonBody(request);
  const { rawBody } = contextOf(response);
  return {
    caller,
    dialect,
    endpoint,
    model: modelOf(response),
    body: { bytes: rawBody ?? Buffer.from(JSON.stringify(json)), json },
    stream: dialects[dialect].addressing === 'body' ? json['stream'] === true : streamed === true,
    headers: travelling(request, dialect),
  };
}

function travelling(request: Request, dialect: DialectName): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of dialects[dialect].headers) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value.slice(0, LONGEST_HEADER);
  }
  return headers;
}
