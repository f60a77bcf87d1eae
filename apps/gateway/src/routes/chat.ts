/** The four chat formats, plain and streamed. */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, type DialectName } from '@model-gateway/contracts';
import { newTrace, type Chat, type ChatTrace, type KeyRing, type Sink } from '@model-gateway/core';
import { callerOf, contextOf, jsonBody } from '../http/context.ts';
import type { Handler, Handlers } from '../http/operation.ts';

/** Caller headers that may travel to a vendor of the same dialect. */
const TRAVELLING: Readonly<Record<DialectName, readonly string[]>> = {
  'openai-chat': [],
  'openai-responses': [],
  'anthropic-messages': ['anthropic-version', 'anthropic-beta'],
  'gemini-generate': [],
};
const LONGEST_HEADER = 4000;
const LARGEST_TEXT_WRITE = 256 * 1024;

export interface ChatRouteParts {
  readonly chat: Chat;
  readonly ring: KeyRing;
  readonly now: () => number;
}

/** Handlers of the chat operations. */
export function chatRoutes(parts: ChatRouteParts): Handlers {
  return {
    createChatCompletion: handler(parts, 'openai-chat', '/v1/chat/completions'),
    createResponse: handler(parts, 'openai-responses', '/v1/responses'),
    createMessage: handler(parts, 'anthropic-messages', '/v1/messages'),
  };
}

function handler({ chat, ring, now }: ChatRouteParts, dialect: DialectName, endpoint: string): Handler {
  return async (request, response) => {
    const caller = callerOf(response);
    const context = contextOf(response);
    const json = jsonBody(request);
    if (!isJsonObject(json)) throw new GatewayError('invalid_request', 'the body must be a JSON object');
    const model = json['model'];
    if (typeof model !== 'string' || model === '')
      throw new GatewayError('invalid_request', 'model is missing; name a model code of GET /v1/models', {
        param: 'model',
      });
    context.model = model;
    ring.checkModel(caller.key, model);
    const trace = newTrace();
    context.trace = trace;
    const stream = json['stream'] === true;
    const bytes = context.rawBody ?? Buffer.from(JSON.stringify(json));
    try {
      const { reply } = await chat.answer(
        { caller, dialect, body: { bytes, json }, model, stream, headers: travelling(request, dialect), endpoint },
        trace,
      );
      writeTrace(response, trace);
      context.firstByteAt = now();
      if (reply.type === 'whole') {
        sendJsonBytes(response, reply.body);
        return;
      }
      startEventStream(response);
      await reply.pipe(sinkOf(response));
      response.end();
    } catch (error) {
      if (!response.headersSent) writeTrace(response, trace);
      if (caller.signal.aborted) {
        response.destroy();
        return;
      }
      throw error;
    }
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

/** Says what happened without naming secrets: `x-gateway-account`, `-attempts`, `-dropped`. */
export function writeTrace(response: Response, trace: ChatTrace): void {
  if (trace.accountId !== undefined) response.setHeader('x-gateway-account', String(trace.accountId));
  if (trace.attempts > 0) response.setHeader('x-gateway-attempts', String(trace.attempts));
  if (trace.dropped.length > 0)
    response.setHeader('x-gateway-dropped', headerText(trace.dropped.map(({ field }) => field).join(', ')));
}

/** Header values are latin-1 and bounded. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_HEADER);
}

/** Sends JSON bytes that were made elsewhere; tests validate them against the document, so they go through `json` there. */
function sendJsonBytes(response: Response, body: Uint8Array | string): void {
  if (response.app.get('validate replies') === true) {
    response.status(200).json(JSON.parse(Buffer.from(body).toString('utf8')));
    return;
  }
  // As latin-1 text the bytes stay what they are and leave in one write together with the head.
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  if (bytes.length <= LARGEST_TEXT_WRITE) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(bytes);
}

/** The head of a server-sent-event answer; sent at once. */
export function startEventStream(response: Response): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
}

/** A response as the end of a stream. */
export function sinkOf(response: Response): Sink {
  return {
    write: (chunk) => response.write(chunk),
    drained: async () => {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    },
  };
}
