/** Chats that are looked through: before a vendor is asked, and before the caller is answered. Where no guardrail is configured nothing is done. */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import { dialects, type ChatDialect } from '@model-gateway/translate';
import type { CountCall, TokenCount } from '../kinds/chat/count.ts';
import type { Sink, StreamEnd } from '../kinds/chat/chat-stream.ts';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import { newTrace } from '../paid/trace.ts';
import { findingsOf, guardrailsFor, refusal } from './findings.ts';
import { StreamGuard } from './guarded-stream.ts';
import type { Guardrail, HookRule } from './guardrail.ts';
import { guardedBody, type Guarding } from './guarded-texts.ts';
import { createDecide, type Decide, type GuardParts } from './judge.ts';
import { JudgedStream } from './judged-stream.ts';
import type { Match, Scanner } from './scanner.ts';
import { findInTexts } from './text-search.ts';

const KIND = 'chat';

/** The chat, looked through. */
export function guardedChat(chat: Chat, parts: GuardParts): Chat {
  const decide = createDecide(parts);
  return {
    answer(call, trace = newTrace()) {
      const { guardrails } = parts.catalogue();
      if (guardrails === undefined) return chat.answer(call, trace);
      const own = guardrailsFor(parts, guardrails, call);
      if (own.length === 0) return chat.answer(call, trace);
      const findings = findingsOf(parts, own, { ...call, kind: KIND }, trace);
      return answerGuarded(chat, { findings, decide, thread: parts.scanThread }, { call, trace });
    },
  };
}

/** The counting of tokens: what it sends to a vendor is looked through, too. */
export function guardedCount(
  count: (call: CountCall) => Promise<TokenCount>,
  parts: GuardParts,
): (call: CountCall) => Promise<TokenCount> {
  const decide = createDecide(parts);
  return async (call) => {
    const { guardrails } = parts.catalogue();
    const own = guardrails === undefined ? [] : guardrailsFor(parts, guardrails, call);
    if (own.length === 0) return count(call);
    const findings = findingsOf(parts, own, { ...call, kind: KIND });
    return count(await guardedRequest({ findings, decide, thread: parts.scanThread }, call));
  };
}

interface Answering {
  readonly call: ChatCall;
  readonly trace: ChatTrace;
}

async function answerGuarded(chat: Chat, guarding: Guarding, { call, trace }: Answering): Promise<ChatAnswer> {
  const { findings } = guarding;
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.caller.signal, stopped.signal]);
  const asked = await guardedRequest(guarding, call);
  const guarded: ChatCall = { ...asked, caller: { ...asked.caller, signal } };
  const answer = await chat.answer(guarded, trace);
  const scanner = findings.scannerFor('answer');
  const judges = findings.judgesFor('answer');
  if (scanner === undefined && judges.length === 0) return answer;
  const { reply } = answer;
  if (reply.type === 'whole')
    return { ...answer, reply: { type: 'whole', body: await guardedReply(guarding, call, reply.body) } };
  return {
    ...answer,
    reply: {
      type: 'stream',
      pipe: (sink) => pipeGuarded((to) => reply.pipe(to), sink, { guarding, scanner, judges, call, stopped }),
    },
  };
}

/** The call with what may be sent of it. Throws `content_refused` naming the place. */
async function guardedRequest<Call extends CountCall>(guarding: Guarding, call: Call): Promise<Call> {
  const { texts } = dialects[call.dialect];
  const changed = await guardedBody(guarding, 'request', call.body.json, (body) => [
    ...texts.inRequest(body),
    ...texts.inDeclarations(body),
  ]);
  if (changed === undefined) return call;
  return { ...call, body: { json: changed, bytes: Buffer.from(JSON.stringify(changed)) } };
}

async function guardedReply(
  guarding: Guarding,
  { dialect }: ChatCall,
  body: Uint8Array | string,
): Promise<Uint8Array | string> {
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const json = JSON.parse(text) as Json;
  if (!isJsonObject(json)) return body;
  const { texts } = dialects[dialect];
  const changed = await guardedBody(guarding, 'answer', json, (reply) => texts.inReply(reply));
  if (changed === undefined) return body;
  texts.dropTokens(changed, true);
  return JSON.stringify(changed);
}

interface Piping {
  readonly guarding: Guarding;
  readonly scanner: Scanner | undefined;
  readonly judges: readonly Guardrail[];
  readonly call: ChatCall;
  readonly stopped: AbortController;
}

/** What is found here is masked before others judge; each of them judges what the one before let through. */
async function pipeGuarded(pipe: (sink: Sink) => Promise<StreamEnd>, sink: Sink, piping: Piping): Promise<StreamEnd> {
  const { guarding, scanner, judges } = piping;
  const streams: JudgedStream[] = [];
  let to = sink;
  for (const guardrail of judges.toReversed())
    streams.unshift((to = judgedStream(guarding.decide, guardrail, to, piping)));
  const found: Match[] = [];
  const guard = scanner === undefined ? undefined : streamGuard(scanner, to, found, piping);
  try {
    return await pipe(guard ?? to);
  } finally {
    await guard?.end();
    guarding.findings.tell('answer', found);
    for (const stream of streams) await stream.end();
  }
}

function streamGuard(scanner: Scanner, sink: Sink, all: Match[], { guarding, call, stopped }: Piping): StreamGuard {
  const dialect: ChatDialect = dialects[call.dialect];
  return new StreamGuard({
    dialect,
    scanner,
    sink,
    find: (texts) => findInTexts(scanner, texts, { thread: guarding.thread, ownerId: call.caller.key.ownerId }),
    found(matchesOfText) {
      all.push(...matchesOfText);
      return !matchesOfText.some(({ mode }) => mode === 'refuse');
    },
    refusal(error = refusal('answer', all, undefined)) {
      // Nobody reads on: the vendor is left as by a caller who hangs up.
      stopped.abort();
      return dialect.errorEvent(error, call.caller.requestId);
    },
  });
}

function judgedStream(
  decide: Decide,
  guardrail: Guardrail,
  sink: Sink,
  { guarding: { findings }, call, stopped }: Piping,
): JudgedStream {
  const dialect: ChatDialect = dialects[call.dialect];
  const { window } = (guardrail.hook ?? guardrail.moderation) as HookRule;
  return new JudgedStream({
    dialect,
    sink,
    window,
    holds: guardrail.mode !== 'observe',
    judge: (texts, at) => decide(findings, guardrail, { stage: 'answer', texts, window: at }),
    refusal(error) {
      stopped.abort();
      return dialect.errorEvent(error, call.caller.requestId);
    },
  });
}
