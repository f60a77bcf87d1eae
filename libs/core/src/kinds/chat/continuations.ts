/**
 * Answers a vendor breaks off and wants to be asked for again: Gemini's continuation tokens
 * (docs/wire/gemini-generate.md#continuation-tokens) and Anthropic's paused turns, which callers of other dialects know nothing
 * of (§8.2). One answer to the caller, however many requests it took.
 */
import type { Usage } from '@model-gateway/contracts';
import { addUsage } from '@model-gateway/provider-kit';
import type {
  AssistantPart,
  ChatDialect,
  ChatEvent,
  ChatReply,
  ChatRequest,
  Encoded,
  SseEvent,
  StreamDecoder,
} from '@model-gateway/translate';
import { createPartCollector, type PartCollector } from './part-collector.ts';

/** Requests beyond the first for one answer; then it ends as it stands. */
export const MOST_CONTINUATIONS = 8;

/** What the next request must carry. */
export type Resumption =
  | { readonly type: 'continuation'; readonly token: string }
  | { readonly type: 'paused'; readonly parts: readonly AssistantPart[] };

/** The request that goes on where the vendor stopped. */
export function resumed(request: ChatRequest, resumption: Resumption): ChatRequest {
  if (resumption.type === 'continuation') return { ...request, continuation: resumption.token };
  return { ...request, turns: [...request.turns, { role: 'assistant', parts: resumption.parts }] };
}

/** What a whole reply needs to be complete; undefined when it is. */
export function resumptionOf(reply: ChatReply): Resumption | undefined {
  if (reply.continuation !== undefined) return { type: 'continuation', token: reply.continuation };
  const choice = reply.choices[0];
  return choice?.stop === 'paused' ? { type: 'paused', parts: choice.parts } : undefined;
}

/** The stream decoder of an answer of several continuations: one row of events, blocks numbered through, usage summed. */
export interface ContinuedDecoder extends StreamDecoder {
  /** After `end`: what the next stream must be asked with. Undefined when the answer is over. */
  resumption(): Resumption | undefined;
  /** The next continuation's request has gone out; its stream is pushed from now on. */
  next(sent: Encoded): void;
}

/** Makes it; `sent` is the first continuation's request. Needs no care where the vendor never breaks off. */
export function createContinuedDecoder(dialect: ChatDialect, sent: Encoded): ContinuedDecoder {
  let decoder = dialect.streamDecoder(sent);
  let collector: PartCollector | undefined = dialect.mayPause(sent.body) ? createPartCollector() : undefined;
  let waiting: Resumption | undefined;
  let continuations = 0;
  let firstBlock = 0;
  let nextBlock = 0;
  let earlier: Usage | undefined;
  let usage: Usage | undefined;

  /** Only where continuations are told apart by the gateway: continuations are counted and numbered by their own decoder. */
  const placed = (event: ChatEvent): ChatEvent | undefined => {
    if (event.type === 'start' || event.type === 'usage') {
      usage = { ...usage, ...event.usage };
      if (earlier === undefined) return event;
      return { type: 'usage', usage: sum(earlier, usage) ?? usage };
    }
    if (!('block' in event)) return event;
    const block = event.block + firstBlock;
    nextBlock = Math.max(nextBlock, block + 1);
    return { ...event, block };
  };

  const seen = (events: readonly ChatEvent[]): ChatEvent[] => {
    const out: ChatEvent[] = [];
    for (const event of events) {
      if (event.type === 'continuation') {
        waiting = continuations < MOST_CONTINUATIONS ? { type: 'continuation', token: event.token } : undefined;
        continue;
      }
      if (collector === undefined) {
        out.push(event);
        continue;
      }
      if (event.type === 'finish' && event.stop === 'paused' && continuations < MOST_CONTINUATIONS) {
        waiting = { type: 'paused', parts: collector.parts() };
        continue;
      }
      if (event.type === 'end' && waiting !== undefined) continue;
      collector.push(event);
      const told = placed(event);
      if (told !== undefined) out.push(told);
    }
    return out;
  };

  return {
    push: (event: SseEvent) => seen(decoder.push(event)),
    end() {
      const events = seen(decoder.end());
      // The last token is spent: a decoder that is asked again ends the answer.
      return waiting === undefined && events.length === 0 ? seen(decoder.end()) : events;
    },
    resumption: () => waiting,
    next(nextSent) {
      continuations++;
      const paused = waiting?.type === 'paused';
      waiting = undefined;
      if (!paused) return;
      decoder = dialect.streamDecoder(nextSent);
      collector = createPartCollector(collector?.parts());
      firstBlock = nextBlock;
      earlier = sum(earlier, usage);
      usage = undefined;
    },
  };
}

function sum(before: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  return addUsage([before, next]);
}
