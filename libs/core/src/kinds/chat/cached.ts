/** Chat answers given again to the same request, where the model's row wants it (docs/decisions/0026-a-response-cache.md). */
import { createHash } from 'node:crypto';
import { dialects, nothingDelivered, type ChatRequest } from '@model-gateway/translate';
import { LARGEST_CACHED, type AnswerCache } from '../../cache/answer-cache.ts';
import {
  chargeAgain,
  keepAnswer,
  keepingRow,
  findCachedAnswer,
  type Asking,
  type KeptRequest,
} from '../../cache/kept-answers.ts';
import type { CacheRule, ModelRow } from '../../catalogue.ts';
import { newTrace } from '../../paid/trace.ts';
import type { CachedAnswer } from '../../ports.ts';
import type { Sink, StreamEnd } from './chat-stream.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';

export interface CachedChatParts extends ChatParts {
  readonly cache: AnswerCache;
}

/** The same chat, whose answers are kept and given again by the rules of their rows; without such a row nothing is looked at. */
export function createCachedChat(parts: CachedChatParts, chat: Chat): Chat {
  const answerCached = async (
    call: ChatCall,
    row: ModelRow,
    rule: CacheRule,
    trace: ChatTrace,
  ): Promise<ChatAnswer> => {
    const { caller, endpoint } = call;
    const request = { caller, row, rule, endpoint, trace };
    const looked = await findCachedAnswer(parts, request, keyOf(call, row), call.cache);
    if (looked.hit !== undefined) return given(parts, call, request, looked.hit);
    try {
      return kept(await chat.answer(call, trace), looked);
    } catch (error) {
      await looked.forget();
      throw error;
    }
  };
  return {
    answer(call, trace = newTrace()) {
      const keeping = keepingRow(parts.catalogue(), call.model, call.cache);
      if (keeping === undefined || !mayBeKept(call, keeping.rule)) return chat.answer(call, trace);
      return answerCached(call, keeping.row, keeping.rule, trace);
    },
  };
}

/** Whether the same words always mean the same answer, as far as the rule asks for it. */
function mayBeKept({ dialect, body, model, stream }: ChatCall, { when }: CacheRule): boolean {
  const format = dialects[dialect];
  // What a vendor keeps changes behind its id.
  if (format.vendorIds.inRequest(body.json).length > 0 || body.json['background'] === true) return false;
  let request: ChatRequest;
  try {
    request = format.decodeRequest(body.json, { model, stream });
  } catch {
    // Whoever answers says what is wrong.
    return false;
  }
  if ((request.unportable ?? []).length > 0) return false;
  return when === 'always' || (request.temperature === 0 && request.tools.every(isCallers));
}

/** A tool that the vendor runs finds something else tomorrow. */
function isCallers({ type }: ChatRequest['tools'][number]): boolean {
  return type === 'function' || type === 'custom';
}

/** Everything that the answer depends on, byte for byte, and whose it is. */
function keyOf({ caller, dialect, body, stream, headers, control }: ChatCall, row: ModelRow): string {
  const { key, mode } = caller;
  return createHash('sha256')
    .update(
      JSON.stringify([
        key.ownerId,
        mode,
        key.group,
        dialect,
        row.code,
        stream,
        Object.entries(headers).sort(),
        control ?? null,
      ]),
    )
    .update(body.bytes)
    .digest('base64url');
}

/** The vendor's answer on its way to the caller, kept when it is whole. */
function kept({ trace, reply }: ChatAnswer, looked: Asking): ChatAnswer {
  if (reply.type === 'whole') {
    void keepAnswer(trace, bytesOf(reply.body), looked);
    return { trace, reply };
  }
  return {
    trace,
    reply: {
      type: 'stream',
      async pipe(sink) {
        const chunks: Uint8Array[] = [];
        const end = await reply.pipe(copying(sink, chunks));
        const isWhole = end.finished && !end.failed && !end.abandoned && end.error === undefined;
        await (isWhole ? keepAnswer(trace, Buffer.concat(chunks), looked) : looked.forget());
        return end;
      },
    },
  };
}

function copying(sink: Sink, chunks: Uint8Array[]): Sink {
  let size = 0;
  return {
    write(chunk) {
      // One byte more than is kept tells that it is too large.
      if (size <= LARGEST_CACHED) {
        const bytes = bytesOf(chunk);
        size += bytes.length;
        chunks.push(bytes);
      }
      return sink.write(chunk);
    },
    drained: () => sink.drained(),
  };
}

/** Gives what is kept, for the operator's share. */
async function given(
  parts: ChatParts,
  { stream }: ChatCall,
  request: KeptRequest,
  answer: CachedAnswer,
): Promise<ChatAnswer> {
  await chargeAgain(parts, request, answer);
  const { trace } = request;
  if (!stream) return { trace, reply: { type: 'whole', body: answer.body } };
  return { trace, reply: { type: 'stream', pipe: (sink) => pour(sink, answer) } };
}

async function pour(sink: Sink, { body, usage }: CachedAnswer): Promise<StreamEnd> {
  if (!sink.write(body)) await sink.drained();
  return { usage, delivered: nothingDelivered(), finished: true, failed: false, abandoned: false, cut: false };
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
