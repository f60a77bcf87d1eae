/** One answer of two vendors: the stream of the first broke off, and another model goes on with its text (docs/guides/routing-fallbacks.md#streams-that-break). */
import type { GatewayError } from '@model-gateway/contracts';
import type { StreamEnd } from './chat-stream.ts';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { freeSlot, settleFailed } from '../../paid/attempt-loop.ts';
import type { Outcome, PriceTerms } from '../../paid/payment.ts';
import type { Slot } from '../../routing.ts';
import { askStream } from './ask.ts';
import { mayThink, usageOf, type StreamBilling } from './billed-usage.ts';
import type { ContinuableTranslator } from './continuable-translator.ts';
import type { Elsewhere } from './stream-pipe.ts';
import { goingOnPlan } from './next-plan.ts';
import { isReady, type Plan } from './plan.ts';
import type { ChatCall, ChatParts } from './types.ts';

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
