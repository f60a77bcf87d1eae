/** One answer of two vendors: the stream of the first broke off, and another model goes on with its text (docs/guides/routing-fallbacks.md#streams-that-break). */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import { addUsage } from '@model-gateway/provider-kit';
import {
  createSseParser,
  nothingDelivered,
  type ChatDialect,
  type ChatEvent,
  type Delivered,
  type Encoded,
  type ReplyContext,
} from '@model-gateway/translate';
import { countPart, streamCode, type StreamTranslator, type StreamEnd } from './chat-stream.ts';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { freeSlot, settleFailed } from '../../paid/attempt-loop.ts';
import type { Outcome, PriceTerms } from '../../paid/payment.ts';
import type { Slot } from '../../routing.ts';
import { askStream } from './ask.ts';
import { mayThink, usageOf, type StreamBilling } from './billed-usage.ts';
import type { Elsewhere } from './stream-pipe.ts';
import { goingOnPlan, isReady, type Plan } from './plan.ts';
import type { ChatCall, ChatParts } from './types.ts';

/** A translator whose vendor may change once. What it tells of usage and of what came is that of the vendor that speaks. */
export interface ContinuableTranslator extends StreamTranslator {
  /** The text that was said, where another model can go on from it: text and thoughts alone. */
  said(): string | undefined;
  /** The stream of another model is pushed from now on; `by` is its code. */
  goOn(from: ChatDialect, sent: Encoded, by: string): void;
}

/** Makes it. */
export function createContinuableTranslator(
  from: ChatDialect,
  to: ChatDialect,
  { sent, context }: { readonly sent: Encoded; readonly context: ReplyContext },
): ContinuableTranslator {
  const encoder = to.streamEncoder(context);
  let vendor = from;
  let parser = createSseParser();
  let decoder = from.streamDecoder(sent);
  let usage: Usage | undefined;
  let delivered: Delivered = nothingDelivered();
  let finished = false;
  let failed = false;
  let over = false;
  let broke: GatewayError | undefined;
  let text = '';
  let isText = true;
  /** The text block that is open, and the next that is free. */
  let openText: number | undefined;
  let next = 0;
  let before: { readonly usage: Usage | undefined; readonly offset: number; joins: number | undefined } | undefined;
  /** Of the second vendor those that stand for a block of the first. */
  const joined = new Map<number, number>();
  let mark = '';

  const placed = (event: ChatEvent): ChatEvent | undefined => {
    if (before === undefined) return event;
    if (event.type === 'start' || event.type === 'usage') {
      const both = [before.usage, event.usage].filter((each) => each !== undefined);
      return both.length === 0 ? undefined : { type: 'usage', usage: addUsage(both) };
    }
    if (!('block' in event)) return event;
    if (event.type === 'text-start' && before.joins !== undefined) {
      joined.set(event.block, before.joins);
      before.joins = undefined;
      return undefined;
    }
    return { ...event, block: joined.get(event.block) ?? event.block + before.offset };
  };
  const note = (event: ChatEvent): void => {
    if (event.type === 'start' || event.type === 'usage')
      usage = event.usage === undefined ? usage : { ...usage, ...event.usage };
    else if (event.type === 'delta') delivered.text += Buffer.byteLength(event.text);
    else if (event.type === 'end' || event.type === 'error') over = true;
    else countPart(delivered, event, vendor);
    if (event.type === 'error') failed = true;
  };
  /** What was said in the caller's eyes. */
  const remember = (event: ChatEvent): void => {
    if ('block' in event) next = Math.max(next, event.block + 1);
    if (event.type === 'text-start') openText = event.block;
    else if (event.type === 'block-stop' && event.block === openText) openText = undefined;
    else if (event.type === 'delta' && event.block === openText) text += event.text;
    else if (!HARMLESS.has(event.type)) isText = false;
  };
  const say = (said: readonly ChatEvent[]): string => {
    let out = '';
    for (const event of said) {
      if (event.type === 'error' && before === undefined && isText) {
        broke = new GatewayError(event.error.code, event.error.message);
        return out;
      }
      note(event);
      const shown = placed(event);
      if (shown === undefined) continue;
      remember(shown);
      out += encoder.push(shown);
    }
    return marked(out);
  };
  /** Every event is an object: a member that no client knows is passed over by all. */
  const marked = (out: string): string => {
    if (mark === '' || !/^data: \{/m.test(out)) return out;
    const written = out.replace(/^data: \{/m, `data: {${mark},`);
    mark = '';
    return written;
  };

  return {
    push(chunk) {
      let out = '';
      for (const event of parser.push(chunk)) out += say(decoder.push(event));
      finished = over;
      return out;
    },
    end() {
      let out = '';
      for (const event of parser.end()) out += say(decoder.push(event));
      finished ||= over;
      const last = decoder.end();
      if (!finished && !last.some(({ type }) => type === 'error')) finished = last.some(({ type }) => type === 'end');
      return out + say(last);
    },
    usage: () => usage,
    delivered: () => delivered,
    finished: () => finished,
    failed: () => failed,
    broke: () => broke,
    fail(error) {
      if (over) return '';
      over = true;
      failed = true;
      return encoder.push({ type: 'error', error: { code: streamCode(error), message: error.message } });
    },
    keepAlive: () => encoder.keepAlive(),
    said: () => (isText && !over ? text : undefined),
    goOn(other, otherSent, by) {
      before = { usage, offset: next, joins: openText };
      vendor = other;
      parser = createSseParser();
      decoder = other.streamDecoder(otherSent);
      usage = undefined;
      delivered = nothingDelivered();
      broke = undefined;
      mark = `"gateway":{"continued_by":${JSON.stringify(by)}}`;
    },
  };
}

const HARMLESS: ReadonlySet<ChatEvent['type']> = new Set([
  'start',
  'delta',
  'block-stop',
  'reasoning-start',
  'reasoning-break',
  'opaque',
  'usage',
  'ping',
  'finish',
  'end',
]);

/** What one stream does when it breaks off. */
export interface Going {
  /** Asks the next that has room; undefined when nobody can go on. */
  readonly elsewhere: (error: GatewayError) => Promise<Elsewhere> | undefined;
  /** What the whole answer comes to, when somebody has gone on with it. */
  readonly ended: (end: StreamEnd) => Outcome | undefined;
}
export type GoOn = (translator: ContinuableTranslator, plan: Plan, billing: StreamBilling) => Going;

interface Way {
  readonly plans: readonly Plan[];
  readonly terms: ReadonlyMap<ModelRow, PriceTerms>;
}

/** Faults after which another vendor may go on. */
const BREAKS: ReadonlySet<string> = new Set([
  'upstream_unavailable',
  'upstream_timeout',
  'upstream_malformed',
  'upstream_rate_limited',
  'internal',
]);

/** Makes it for the plans of a request. */
export function goOnWith(parts: ChatParts, call: ChatCall, { plans, terms }: Way): GoOn {
  return (translator, broken, billing) => {
    let before:
      | { readonly outcome: Outcome; readonly slot: Slot; readonly offer: Offer; readonly terms: PriceTerms }
      | undefined;

    const asked = async (plan: Plan, slot: Slot): Promise<Elsewhere> => {
      const gone = plan.offer.account.onDisconnect.chatStreams === 'abort' ? call.caller.signal : undefined;
      try {
        return await askStream(call, plan, parts.openOffer(plan.offer, gone));
      } catch (error) {
        settleFailed(parts, plan.offer, slot, { error, isGone: call.caller.signal.aborted });
        throw error;
      }
    };

    return {
      elsewhere(error) {
        const said = translator.said();
        if (said === undefined || !BREAKS.has(error.code)) return undefined;
        for (const plan of plans) {
          const own = terms.get(plan.row);
          if (plan.offer === broken.offer || own === undefined || !isReady(plan)) continue;
          const next = goingOnPlan(plan, said);
          const slot = next === undefined ? undefined : freeSlot(parts, plan.offer);
          if (next === undefined || slot === undefined) continue;
          const end = {
            usage: translator.usage(),
            delivered: translator.delivered(),
            finished: false,
            failed: false,
            abandoned: false,
            cut: false,
            error,
          };
          const outcome = { usage: usageOf(end, billing), error };
          const { log, meter } = parts;
          return asked(next, slot).then((stream) => {
            before = { outcome, slot, offer: plan.offer, terms: own };
            translator.goOn(next.upstreamDialect, next.translation?.sent ?? { body: {}, dropped: [] }, plan.row.code);
            meter.count('gateway_continued_streams_total', { model: plan.row.wildcard ?? plan.row.code });
            log.info(
              { request_id: call.caller.requestId, model: call.model, by: plan.row.code },
              'a stream that broke off is continued by another model',
            );
            return stream;
          });
        }
        return undefined;
      },
      ended(end) {
        if (before === undefined) return undefined;
        const { outcome, slot, offer, terms: own } = before;
        if (end.error !== undefined) settleFailed(parts, offer, slot, { error: end.error, isGone: false });
        else if (end.abandoned || end.failed) slot.release();
        else slot.succeed();
        const { most } = own.quote;
        const usage = usageOf(end, { ...billing, most, mayThink: mayThink(call, own.row.price) }) ?? {};
        return { ...outcome, usage: outcome.usage ?? {}, extra: [{ why: 'continuation', offer, terms: own, usage }] };
      },
    };
  };
}
