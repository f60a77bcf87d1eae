/** The four chat formats, plain and streamed, and counting. */
import type { Request, Response } from 'express';
import { OPERATIONS, type DialectName } from '@model-gateway/contracts';
import { newTrace, type Chat, type CountCall, type TokenCount } from '@model-gateway/core';
import { callerOf, contextOf, jsonBody, modelOf } from '../http/context.ts';
import type { Handler, Handlers } from '../http/operation.ts';
import { arraySink, sendJsonBytes, sinkOf, startEventStream, startJsonArray, writeTrace } from '../http/reply.ts';

/** Caller headers that may travel to a vendor of the same dialect. */
const TRAVELLING: Readonly<Record<DialectName, readonly string[]>> = {
  'openai-chat': [],
  'openai-responses': [],
  'anthropic-messages': ['anthropic-version', 'anthropic-beta'],
  'gemini-generate': [],
};
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
  /** Gemini: model and stream are in the path. */
  readonly inPath?: { readonly stream: boolean };
}

/** Handlers of the chat operations. */
export function chatRoutes(parts: ChatRouteParts): Handlers {
  const generate = answer(parts, {
    dialect: 'gemini-generate',
    endpoint: 'generateContent',
    inPath: { stream: false },
  });
  const streamed = answer(parts, {
    dialect: 'gemini-generate',
    endpoint: 'streamGenerateContent',
    inPath: { stream: true },
  });
  const countContent = count(parts, { dialect: 'gemini-generate', endpoint: 'countTokens', inPath: { stream: false } });
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
      if (asked.inPath !== undefined && request.query['alt'] !== 'sse') {
        startJsonArray(response);
        const array = arraySink(sinkOf(response));
        await reply.pipe(array);
        response.end(array.end());
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

function callOf(request: Request, response: Response, { dialect, endpoint, inPath }: Asked) {
  const caller = callerOf(response);
  const json = jsonBody(request);
  const { rawBody } = contextOf(response);
  return {
    caller,
    dialect,
    endpoint,
    model: modelOf(response),
    body: { bytes: rawBody ?? Buffer.from(JSON.stringify(json)), json },
    stream: inPath === undefined ? json['stream'] === true : inPath.stream,
    headers: travelling(request, dialect),
  };
}

function travelling(request: Request, dialect: DialectName): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of TRAVELLING[dialect]) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value.slice(0, LONGEST_HEADER);
  }
  return headers;
}
