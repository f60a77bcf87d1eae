/** Refusals by a limit, said as the last message of the model to callers who ask for that (docs/guides/limits.md#as-a-message). */
import { GatewayError } from '@model-gateway/contracts';
import { dialects, nothingDelivered, type ChatEvent, type ReplyContext } from '@model-gateway/translate';
import { isMoneyRefusal } from '../../money/spend-scopes.ts';
import { newTrace } from '../../paid/trace.ts';
import type { Parts } from '../../parts.ts';
import type { Sink, StreamEnd } from './chat-stream.ts';
import { requestOf } from './taken-request.ts';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from './types.ts';

type FinalMessageParts = Pick<Parts, 'now' | 'randomId'>;

/** The same chat; calls with `onLimit` get a message where it would refuse them. */
export function withFinalMessages(chat: Chat, parts: FinalMessageParts): Chat {
  return {
    answer(call, trace = newTrace()) {
      return call.onLimit === undefined ? chat.answer(call, trace) : answerOrSay(chat, parts, call, trace);
    },
  };
}

/** The same chat; nothing is done for calls that are refused already, by guardrails or tools, before the refusal is said. */
export function sayingRefusals(chat: Chat, parts: FinalMessageParts): Chat {
  return {
    answer(call, trace = newTrace()) {
      const refusal = call.onLimit?.refusal;
      return refusal === undefined ? chat.answer(call, trace) : said(parts, call, refusal, trace);
    },
  };
}

async function answerOrSay(
  chat: Chat,
  parts: FinalMessageParts,
  { onLimit: _, ...call }: ChatCall,
  trace: ChatTrace,
): Promise<ChatAnswer> {
  try {
    return await chat.answer(call, trace);
  } catch (error) {
    if (!isLimit(error)) throw error;
    return said(parts, call, error, trace);
  }
}

/** Whether the gateway itself refuses, for a limit that is used up: what is only set aside comes back, and is worth waiting for. */
function isLimit(error: unknown): error is GatewayError {
  return error instanceof GatewayError && isMoneyRefusal(error.code) && error.details.limit !== undefined;
}

const STOP = 'Stop and report what you have.';

function textOf({ message }: GatewayError): string {
  return message.endsWith(STOP) ? message : `${message} ${STOP}`;
}

async function said(
  parts: FinalMessageParts,
  { model, body, stream, caller, dialect: name }: ChatCall,
  refusal: GatewayError,
  trace: ChatTrace,
): Promise<ChatAnswer> {
  trace.saidRefusal = refusal;
  const text = textOf(refusal);
  const dialect = dialects[name];
  const created = Math.floor(parts.now() / 1000);
  const context: ReplyContext = {
    ...{ model, request: requestOf(dialect, body.json, { model, stream }), body: body.json },
    ...{ id: parts.randomId(), now: created, requestId: caller.requestId },
  };
  const usage = { inputTokens: 0, outputTokens: 0 };
  if (!stream) {
    const choices = [{ parts: [{ type: 'text', text }], stop: 'stop' }] as const;
    const reply = dialect.encodeReply({ model, created, choices, usage }, context);
    return { trace, reply: { type: 'whole', body: JSON.stringify(reply) } };
  }
  const of = { block: 0, choice: 0 } as const;
  const events: readonly ChatEvent[] = [
    { type: 'start', model, created },
    { type: 'text-start', ...of },
    { type: 'delta', block: of.block, text },
    { type: 'block-stop', block: of.block },
    { type: 'usage', usage },
    { type: 'finish', choice: of.choice, stop: 'stop' },
    { type: 'end' },
  ];
  const encoder = dialect.streamEncoder(context);
  const bytes = events.map((event) => encoder.push(event)).join('');
  return { trace, reply: { type: 'stream', pipe: (sink) => pour(sink, bytes) } };
}

async function pour(sink: Sink, bytes: string): Promise<StreamEnd> {
  if (!sink.write(bytes)) await sink.drained();
  return {
    usage: undefined,
    delivered: nothingDelivered(),
    finished: true,
    failed: false,
    abandoned: false,
    cut: false,
  };
}
