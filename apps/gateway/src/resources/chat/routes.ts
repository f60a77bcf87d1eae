/** The four chat formats and text completions, plain and streamed, and counting. */
import type { Request, Response } from 'express';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import {
  CHAT_OPERATIONS,
  newTrace,
  VendorLane,
  type Catalogue,
  type Chat,
  type ChatAnswer,
  type ChatCall,
  type ChatOperation,
  type ChatTrace,
  type CountCall,
  type Recording,
  type Sink,
  type StreamRecorder,
  type Tenant,
  type TokenCount,
} from '@model-gateway/core';
import { compactions, dialects } from '@model-gateway/translate';
import { jsonBody, type Exchange } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { costSink, includesCost } from '../../http/answer-cost.ts';
import { askedWith } from '../../http/upgrades.ts';
import { requestControl, cacheWordOf, wantsMessageOnLimit } from '../../http/request-control.ts';
import { asksToResume, recordingSink, speaksOfResuming, withoutOption } from '../streams/resumable.ts';
import { listenToChat } from '../../telemetry/content.ts';
import {
  piecesSink,
  sendJsonBytes,
  sinkOf,
  startEventStream,
  startJsonArray,
  writeDropped,
  writeTrace,
} from '../../http/reply.ts';

const LONGEST_HEADER = 4000;

export interface ChatRouteParts {
  readonly chat: Chat;
  /** Chat completions, which may be kept. */
  readonly completions: Chat;
  /** Chat in the Responses format, where something may be kept. */
  readonly responses: Chat;
  /** Makes conversations short. */
  readonly compactor: Chat;
  /** A body of the Responses format with all that it goes on from. */
  readonly asAsked: (tenant: Tenant, body: JsonObject) => Promise<JsonObject>;
  readonly countTokens: (call: CountCall) => Promise<TokenCount>;
  readonly streams: Pick<StreamRecorder, 'open'>;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
  /** Characters of messages that are recorded with a trace; absent: none. */
  readonly contentLimit?: number;
}

/** What a route knows of its call before the body is looked at. */
interface Asked extends ChatOperation {
  /** Whether it may come over a WebSocket. */
  readonly overSockets?: true;
}

/** A stream that is kept while it goes out. */
interface Kept {
  readonly recording: Recording;
  readonly gone: AbortSignal;
  /** Whether its reader can read numbered events. */
  readonly hasIds: boolean;
}

/** Handlers of the chat operations. */
export function chatRoutes(parts: ChatRouteParts): Handlers {
  const others: Partial<Record<ChatOperation['id'], (asked: Asked) => Handler>> = {
    createChatCompletion: (asked) => answer({ ...parts, chat: parts.completions }, asked),
    createResponse: (asked) => answer({ ...parts, chat: parts.responses }, { ...asked, overSockets: true }),
    compactResponse: (asked) => answer({ ...parts, chat: parts.compactor }, asked),
    countResponseTokens: (asked) => countResponse(parts, asked),
  };
  return Object.fromEntries(
    CHAT_OPERATIONS.map((asked) => {
      const handler = others[asked.id]?.(asked) ?? (asked.paid ? answer(parts, asked) : count(parts, asked));
      return [asked.id, handler];
    }),
  );
}

function answer(parts: ChatRouteParts, asked: Asked): Handler {
  return new Answering(parts, asked).handle;
}

type StreamReply = Extract<ChatAnswer['reply'], { type: 'stream' }>;

/** A reply that goes out as it comes. */
interface Streaming {
  readonly reply: StreamReply;
  /** Of which the caller wants the cost. */
  readonly costs: ChatTrace | undefined;
  readonly kept: Kept | undefined;
}

/** Answers the calls of one route. */
class Answering {
  private readonly chat: Chat;
  private readonly streams: ChatRouteParts['streams'];
  private readonly catalogue: () => Catalogue;
  private readonly now: () => number;
  private readonly contentLimit: number | undefined;
  private readonly asked: Asked;

  constructor({ chat, streams, catalogue, now, contentLimit }: ChatRouteParts, asked: Asked) {
    this.chat = chat;
    this.streams = streams;
    this.catalogue = catalogue;
    this.now = now;
    this.contentLimit = contentLimit;
    this.asked = asked;
  }

  readonly handle: Handler = (request, response) => {
    const plain = callOf(request, response, this.asked);
    if (!speaksOfResuming(request, plain.body.json)) return this.answer(request, response, plain);
    return asksToResume(request, plain)
      ? this.answerResumably(request, response, withoutOption(plain))
      : this.answer(request, response, withoutOption(plain));
  };

  /** Keeps the stream while it goes out: its caller may lose the connection and come back. */
  private async answerResumably(request: Request, response: Response, plain: ChatCall): Promise<void> {
    const { key, mode, signal: gone } = plain.caller;
    const tenant = { ownerId: key.ownerId, mode };
    const recording = await this.streams.open({ tenant, format: plain.dialect, gone });
    const call = { ...plain, caller: { ...plain.caller, signal: recording.signal } };
    const hasIds = dialects[plain.dialect].readsEventIds?.(request.headers) ?? true;
    try {
      await this.answer(request, response, call, { recording, gone, hasIds });
    } finally {
      if (response.headersSent) recording.end();
      else await recording.discard();
    }
  }

  private async answer(request: Request, response: Response, plain: ChatCall, kept?: Kept): Promise<void> {
    const exchange = response.locals.exchange;
    const control = requestControl(request, this.catalogue, plain.caller.key.group);
    const cache = cacheWordOf(request);
    const withCost = includesCost(request);
    const { refusal } = exchange;
    const onLimit = wantsMessageOnLimit(request) ? { ...(refusal !== undefined && { refusal }) } : undefined;
    const call =
      control === undefined && cache === undefined && onLimit === undefined
        ? plain
        : {
            ...plain,
            ...(control !== undefined && { control }),
            ...(cache !== undefined && { cache }),
            ...(onLimit !== undefined && { onLimit }),
          };
    const trace = newTrace();
    exchange.trace = trace;
    if (this.contentLimit !== undefined && exchange.span?.isRecorded === true)
      exchange.content = listenToChat({ ...call, body: call.body.json }, this.contentLimit);
    try {
      const { reply } = await this.chat.answer(call, trace);
      exchange.errorCode = trace.saidRefusal?.code;
      writeTrace(response, trace);
      exchange.firstByteAt = this.now();
      if (reply.type === 'whole') {
        exchange.content?.whole(reply.body);
        await sendJsonBytes(response, reply.body);
      } else await this.stream(request, response, { reply, costs: withCost ? trace : undefined, kept });
    } catch (error) {
      if (!response.headersSent) writeTrace(response, trace);
      if (!call.caller.signal.aborted) throw error;
      response.destroy();
    }
  }

  private async stream(request: Request, response: Response, { reply, costs, kept }: Streaming): Promise<void> {
    const exchange = response.locals.exchange;
    exchange.streamed = true;
    const pieces = request.query['alt'] === 'sse' ? undefined : dialects[this.asked.dialect].jsonPieces?.();
    if (pieces !== undefined) {
      startJsonArray(response);
      await pipeReply(exchange, reply, piecesSink(sinkOf(response), pieces), costs);
      response.end(pieces.end());
      return;
    }
    const sink = sinkOf(response);
    if (kept !== undefined) response.setHeader('x-gateway-stream-id', kept.recording.id);
    startEventStream(response);
    kept?.recording.begin();
    await pipeReply(exchange, reply, kept === undefined ? sink : recordingSink(kept.recording, sink, kept), costs);
    response.end();
  }
}

async function pipeReply(
  exchange: Exchange,
  reply: StreamReply,
  sink: Sink,
  costs: ChatTrace | undefined,
): Promise<void> {
  const costed = costs === undefined ? undefined : costSink(sink, costs);
  const { finished, failed, abandoned, error } = await reply.pipe(heard(exchange, costed ?? sink));
  exchange.brokeOff = !finished || failed || abandoned || error !== undefined;
  exchange.errorCode ??= exchange.trace?.saidRefusal?.code;
  costed?.end();
}

function heard({ content }: Exchange, sink: Sink): Sink {
  return content === undefined ? sink : content.sink(sink);
}

/** What it goes on from is counted, too. */
function countResponse(parts: ChatRouteParts, asked: Asked): Handler {
  return count(
    {
      ...parts,
      async countTokens(call) {
        const json = compactions.vendorRequest(await parts.asAsked(call.caller.key, call.body.json));
        return parts.countTokens({ ...call, body: { json, bytes: Buffer.from(JSON.stringify(json)) } });
      },
    },
    asked,
  );
}

function count({ countTokens }: ChatRouteParts, asked: Asked): Handler {
  return async (request, response) => {
    const { body, estimated, accountId } = await countTokens(callOf(request, response, asked));
    if (accountId !== undefined) response.setHeader('x-gateway-account', String(accountId));
    if (estimated) response.setHeader('x-gateway-estimated', 'true');
    writeDropped(response, []);
    await sendJsonBytes(response, body);
  };
}

function callOf(request: Request, response: Response, { dialect, endpoint, streamed, overSockets }: Asked): ChatCall {
  const caller = response.locals.exchange.caller;
  const json = jsonBody(request);
  const { rawBody } = response.locals.exchange;
  const lane = overSockets === true ? askedWith(request) : undefined;
  return {
    caller,
    dialect,
    endpoint,
    model: response.locals.exchange.model,
    body: { bytes: rawBody ?? Buffer.from(JSON.stringify(json)), json },
    stream: dialects[dialect].addressing === 'body' ? json['stream'] === true : streamed === true,
    headers: travelling(request, dialect),
    ...(lane instanceof VendorLane && { vendorLane: lane }),
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
