/** What a caller was answered, out of the bytes that were sent: of a stream the answer that its events come to. */
import { isJsonObject, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  createSseParser,
  dialects,
  type AssistantPart,
  type ChatDialect,
  type ChatEvent,
  type ChatReply,
  type SseEvent,
} from '@model-gateway/translate';
import { requestOf } from '../../kinds/chat/taken-request.ts';
import { createPartCollector, type PartCollector } from '../../kinds/chat/part-collector.ts';

export interface SentAnswer {
  /** Of a chat. */
  readonly dialect?: DialectName | undefined;
  readonly model?: string | undefined;
  readonly asked: Json | undefined;
  readonly requestId: string;
  readonly at: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** All that were sent: more than are there when they were too many. */
  readonly size: number;
}

/** The answer as JSON; null when nothing was sent. Throws nothing. */
export function assembled(sent: SentAnswer): Json {
  const { contentType, bytes, size } = sent;
  if (size === 0) return null;
  try {
    if (contentType.startsWith('text/event-stream')) return ofStream(sent, eventsIn(bytes));
    if (/\bjson\b/.test(contentType)) return ofJson(sent);
  } catch {
    // Broken off, or by a vendor who writes otherwise: that it was there is told.
  }
  return `[${contentType.split(';')[0] ?? ''}, ${size} bytes]`;
}

/** Whether bytes of it are needed: of the rest only their number is. */
export function isReadable(contentType: string): boolean {
  return contentType.startsWith('text/event-stream') || /\bjson\b/.test(contentType);
}

function eventsIn(bytes: Uint8Array): readonly SseEvent[] {
  return createSseParser().push(bytes);
}

function ofJson(sent: SentAnswer): Json {
  const text = Buffer.from(sent.bytes).toString();
  const whole = parsed(text) ?? parsed(`${text.replace(/,\s*$/, '')}]`);
  if (whole === undefined) throw new Error('no JSON');
  // Answers that come as one array in pieces are streams, too.
  if (sent.dialect === undefined || !Array.isArray(whole)) return whole;
  return ofStream(
    sent,
    whole.map((each) => ({ event: '', data: JSON.stringify(each) })),
  );
}

function ofStream(sent: SentAnswer, events: readonly SseEvent[]): Json {
  if (sent.dialect === undefined) return dataOf(events);
  // A stream of the Responses format says at its end what it comes to.
  const last = lastOf(events);
  if (isJsonObject(last) && isJsonObject(last['response']) && Array.isArray(last['response']['output']))
    if (last['response']['output'].length > 0 || last['type'] === 'response.completed') return last['response'];
  try {
    return replyOf(dialects[sent.dialect], sent, events);
  } catch {
    return dataOf(events);
  }
}

function dataOf(events: readonly SseEvent[]): Json[] {
  return events.flatMap((event) => parsed(event.data) ?? []);
}

/** Decoders read the others. */
function lastOf(events: readonly SseEvent[]): Json | undefined {
  for (const event of events.toReversed()) {
    const data = parsed(event.data) ?? undefined;
    if (data !== undefined) return data;
  }
  return undefined;
}

/** No format has a word for an answer that its caller did not wait for: it is as one that was too long. */
const UNFINISHED = 'length';

interface OpenChoice {
  readonly collector: PartCollector;
  end: Omit<ChatReply['choices'][number], 'parts'>;
}

function replyOf(dialect: ChatDialect, sent: SentAnswer, events: readonly SseEvent[]): Json {
  const { asked, model = '', requestId, at } = sent;
  const body = isJsonObject(asked) ? asked : {};
  const choices = new Map<number, OpenChoice>();
  const choiceOf = new Map<number, number>();
  let reply: Omit<ChatReply, 'choices'> = {};
  let error: JsonObject | undefined;
  const choice = (index: number): OpenChoice => {
    const found = choices.get(index) ?? { collector: createPartCollector(), end: { stop: UNFINISHED } };
    choices.set(index, found);
    return found;
  };
  const hear = (event: ChatEvent): void => {
    if (event.type === 'start') {
      const { type: _, ...start } = event;
      reply = { ...reply, ...start };
    } else if (event.type === 'usage') reply = { ...reply, usage: { ...reply.usage, ...event.usage } };
    else if (event.type === 'error') error = { code: event.error.code, message: event.error.message };
    else if (event.type === 'finish') {
      const { type: _, choice: index, ...end } = event;
      choice(index).end = end;
    } else if ('choice' in event) {
      choiceOf.set(event.block, event.choice);
      choice(event.choice).collector.push(event);
    } else if ('block' in event) choice(choiceOf.get(event.block) ?? 0).collector.push(event);
  };
  const decoder = dialect.streamDecoder();
  for (const event of events) decoder.push(event).forEach(hear);
  // Some formats finish with their connection; that it broke off is no word of the answer.
  for (const event of decoder.end()) if (event.type === 'finish') hear(event);
  const answer = dialect.encodeReply(
    {
      ...reply,
      choices: [...choices.values()].map(({ collector, end }) => ({ ...end, parts: worded(collector.parts()) })),
    },
    {
      model,
      request: requestOf(dialect, body, { model, stream: true }),
      body,
      id: requestId,
      now: Math.floor(at / 1000),
      requestId,
    },
  );
  const { id } = reply;
  return { ...answer, ...(id !== undefined && 'id' in answer && { id }), ...(error !== undefined && { error }) };
}

/** Calls whose arguments broke off are no JSON, which some formats need. */
function worded(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  return parts.map((part) =>
    part.type === 'tool-call' && part.kind === 'function' && parsed(part.arguments) === undefined
      ? { ...part, arguments: JSON.stringify({ unfinished: part.arguments }) }
      : part,
  );
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
