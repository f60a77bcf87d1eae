/** Chat: any chat model through any of the four dialects, with routing, failover before the first byte, and the bill. */
import { GatewayError, type DialectName, type Usage } from '@model-gateway/contracts';
import { dialects, type ChatRequest, type Dropped } from '@model-gateway/translate';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import { billDetail, billOf } from '../../money/price.ts';
import type { Reservation, Spending } from '../../money/spending.ts';
import type { Caller, OpenOffer, Parts } from '../../parts.ts';
import type { Slot } from '../../routing.ts';
import { asked, askStream, askWhole, requestOf } from './ask.ts';
import { estimate, tokensOf, usageOf } from './billed-usage.ts';
import { largestUsage, leastUsage, type ChatBody } from './body.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  pipeStream,
  type ContinuationStream,
  type Sink,
  type StreamEnd,
} from './chat-stream.ts';
import { countAttempt, countFailure, countTokens } from './chat-metrics.ts';
import type { Resumption } from './continuations.ts';
import { planFor, resumedPlan, type Plan } from './plan.ts';

const MOST_ATTEMPTS = 4;
const SAME_OFFER_PAUSE_MS = 150;

export interface ChatCall {
  readonly caller: Caller;
  readonly dialect: DialectName;
  readonly body: ChatBody;
  readonly model: string;
  readonly stream: boolean;
  /** The caller's dialect headers that may travel, lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the ledger: `/v1/chat/completions`. */
  readonly endpoint: string;
}

/** What happened, for headers, logs and metrics; filled while it happens. */
export interface ChatTrace {
  accountId: number | undefined;
  vendor: string | undefined;
  attempts: number;
  dropped: readonly Dropped[];
  usage: Usage | undefined;
  charged: number;
  /** The dialect the vendor was asked in. */
  upstreamDialect: DialectName | undefined;
}

export interface ChatAnswer {
  readonly trace: ChatTrace;
  readonly reply:
    | { readonly type: 'whole'; readonly body: Uint8Array | string }
    | { readonly type: 'stream'; pipe(sink: Sink): Promise<StreamEnd> };
}

export interface Chat {
  /** Throws GatewayError; nothing is charged then. */
  answer(call: ChatCall, trace?: ChatTrace): Promise<ChatAnswer>;
}

export type ChatParts = Parts & { readonly openOffer: OpenOffer; readonly spending: Spending };

/** A fresh trace. */
export function newTrace(): ChatTrace {
  return {
    accountId: undefined,
    vendor: undefined,
    attempts: 0,
    dropped: [],
    usage: undefined,
    charged: 0,
    upstreamDialect: undefined,
  };
}

/** What stays the same over the attempts of one call. */
interface Running {
  readonly call: ChatCall;
  readonly row: ModelRow;
  readonly trace: ChatTrace;
  readonly reservation: Reservation;
}

/** Makes the chat side of a gateway. */
export function createChat(parts: ChatParts): Chat {
  /** The caller's request in the middle form; decoded once, and only when some offer speaks another dialect. */
  const decoder = (call: ChatCall): (() => ChatRequest) => {
    let decoded: ChatRequest | undefined;
    return () =>
      (decoded ??= dialects[call.dialect].decodeRequest(call.body.json, { model: call.model, stream: call.stream }));
  };

  const charge = ({ call, row, trace, reservation }: Running, usage: Usage): void => {
    const catalogue = parts.catalogue();
    const bill = billOf(usage, row.price, { group: catalogue.groupFactors[call.caller.key.group] ?? 1 });
    const { charged } = reservation.charge({
      model: row.code,
      endpoint: call.endpoint,
      ...(trace.accountId !== undefined && { accountId: trace.accountId }),
      units: bill.units,
      priceVersion: catalogue.priceVersion,
      detail: billDetail(bill, usage),
    });
    trace.usage = usage;
    trace.charged = charged;
    countTokens(parts, usage, row.code, trace.vendor);
  };

  const attempt = async (
    { call, row, trace, reservation }: Running,
    plan: Plan,
    slot: Slot,
  ): Promise<ChatAnswer['reply']> => {
    const { offer } = plan;
    const { onDisconnect } = offer.account;
    if (!call.stream) {
      const upstream = parts.openOffer(offer, onDisconnect === 'abort' ? call.caller.signal : undefined);
      const { body, usage } = await asked(plan, upstream.upstream, trace, (ready) =>
        askWhole(parts, call, ready, upstream),
      );
      slot.succeed();
      charge({ call, row, trace, reservation }, usage ?? estimate(call, tokensOf(body.length)));
      return { type: 'whole', body };
    }
    const hangUp = new AbortController();
    const onGone = (): void => hangUp.abort();
    if (onDisconnect === 'abort') {
      call.caller.signal.addEventListener('abort', onGone, { once: true });
      if (call.caller.signal.aborted) hangUp.abort();
    }
    const upstream = parts.openOffer(offer, hangUp.signal);
    // RunIdempotently it has begun the pipe decides what a hang-up does: a drained stream must outlive its caller.
    const { raw, first, ready } = await asked(plan, upstream.upstream, trace, async (attempted) => ({
      ...(await askStream(call, attempted, upstream)),
      ready: attempted,
    })).finally(() => call.caller.signal.removeEventListener('abort', onGone));
    return {
      type: 'stream',
      async pipe(sink) {
        const translator =
          ready.translation === undefined
            ? createForwardingTranslator(plan.callerDialect, {
                request: call.body.json,
                quirks: offer.quirks,
                requestId: call.caller.requestId,
              })
            : createDialectTranslator(ready.upstreamDialect, ready.callerDialect, ready.translation);
        const resume = async (resumption: Resumption): Promise<ContinuationStream> => {
          const next = resumedPlan(ready, resumption);
          return {
            sent: next.translation?.sent ?? { body: {}, dropped: [] },
            raw: (await upstream.upstream.stream(requestOf(next, upstream, call, true))).raw,
          };
        };
        const end = await pipeStream({
          raw,
          first,
          translator,
          sink,
          signal: call.caller.signal,
          onDisconnect,
          resume,
        });
        settleStream(slot, end);
        if (end.error !== undefined) countFailure(parts, offer, end.error);
        const usage = usageOf(end, call);
        if (usage === undefined) reservation.cancel();
        else charge({ call, row, trace, reservation }, usage);
        return end;
      },
    };
  };

  return {
    async answer(call, trace = newTrace()) {
      const row = findModel(parts.catalogue(), call.model, ['chat']);
      const offers = parts.router.order(offersFor(parts.catalogue(), row, call.caller.mode));
      const request = decoder(call);
      const plans = plansOf(offers, (offer) =>
        planFor(call, offer, { row, request, id: parts.randomId(), now: Math.floor(parts.now() / 1000) }),
      );
      const most = largestUsage(call.dialect, call.body, numberOf(row.limits['max_output_tokens']));
      const group = parts.catalogue().groupFactors[call.caller.key.group] ?? 1;
      const reserved = parts.spending.reserve(call.caller, {
        most: billOf(most, row.price, { group }).units,
        least: billOf(leastUsage(call.body), row.price, { group }).units,
      });
      const reservation = reserved instanceof Promise ? await reserved : reserved;
      let last: unknown;
      let answered = false;
      try {
        for (const [index, plan] of plans.entries()) {
          if (trace.attempts >= MOST_ATTEMPTS) break;
          const acquiring = enterOffer(parts, plan.offer, call.caller.signal);
          const entered = acquiring instanceof Promise ? await acquiring : acquiring;
          if (entered instanceof GatewayError) {
            last = last instanceof GatewayError && last.code === 'upstream_rate_limited' ? last : entered;
            continue;
          }
          trace.attempts++;
          trace.accountId = plan.offer.account.id;
          trace.vendor = plan.offer.account.vendor;
          trace.upstreamDialect = plan.upstreamDialect.name;
          countAttempt(parts, plan.offer, plan.upstreamDialect.name);
          trace.dropped = plan.translation?.sent.dropped ?? [];
          try {
            const reply = await attempt({ call, row, trace, reservation }, plan, entered);
            answered = true;
            sayDropped(parts, call, trace);
            return { trace, reply };
          } catch (error) {
            last = error;
            const told = error instanceof GatewayError ? error.details.answered?.usage : undefined;
            if (told !== undefined) {
              charge({ call, row, trace, reservation }, told);
              answered = true;
            }
            settleSlot(entered, error, call.caller.signal);
            if (!call.caller.signal.aborted) countFailure(parts, plan.offer, error);
            if (!mayTryElsewhere(error) || call.caller.signal.aborted) break;
            // A lone offer gets one more try when the vendor was never reached or broke at once.
            if (index === plans.length - 2 && plans[index + 1]?.offer === plan.offer) await upstreamPause();
          }
        }
      } finally {
        // A stream that has begun settles it when it ends.
        if (!answered) reservation.cancel();
      }
      throw exhausted(last, parts, offers);
    },
  };
}

/** What a translation could not carry, with the reasons; the header names the fields only. */
function sayDropped({ log }: ChatParts, { caller, model }: ChatCall, { dropped, upstreamDialect }: ChatTrace): void {
  if (dropped.length === 0) return;
  log.debug(
    { request_id: caller.requestId, model, upstream: upstreamDialect, dropped },
    'a translation left something out',
  );
}

/** Every offer once, and a lone one twice. Offers that cannot carry this request are left to the last: their 400 is the answer only if no other offer can. */
function plansOf(offers: readonly Offer[], plan: (offer: Offer) => Plan): readonly Plan[] {
  const plans: Plan[] = [];
  let refusal: unknown;
  for (const offer of offers) {
    try {
      plans.push(plan(offer));
    } catch (error) {
      refusal ??= error;
    }
  }
  const first = plans[0];
  if (first === undefined) throw refusal;
  return plans.length === 1 ? [first, first] : plans;
}

type Entered = Slot | GatewayError;

/** Synchronous while the account has a free slot. */
function enterOffer(parts: ChatParts, offer: Offer, signal: AbortSignal): Entered | Promise<Entered> {
  try {
    const acquiring = parts.router.acquire(offer, signal);
    return acquiring instanceof Promise ? acquiring.catch(asRefusal) : acquiring;
  } catch (error) {
    return asRefusal(error);
  }
}

function asRefusal(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** A caller who hung up and a refusal in the middle say nothing about the account. */
function settleStream(slot: Slot, { error, abandoned, failed }: StreamEnd): void {
  if (error !== undefined) slot.fail(error);
  else if (abandoned || failed) slot.release();
  else slot.succeed();
}

function settleSlot(slot: Slot, error: unknown, signal: AbortSignal): void {
  if (error instanceof GatewayError && error.retryElsewhere && !signal.aborted) slot.fail(error);
  else slot.release();
}

function mayTryElsewhere(error: unknown): boolean {
  return error instanceof GatewayError && error.retryElsewhere;
}

function upstreamPause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, SAME_OFFER_PAUSE_MS);
  });
}

function exhausted(last: unknown, parts: ChatParts, offers: readonly Offer[]): unknown {
  if (!(last instanceof GatewayError)) return last ?? new GatewayError('unavailable', 'no vendor could be asked');
  if (last.details.retryAfterSeconds !== undefined || !last.retryElsewhere) return last;
  const retryAfterSeconds = parts.router.retryAfterSeconds(offers);
  return retryAfterSeconds === undefined
    ? last
    : new GatewayError(last.code, last.message, { ...last.details, retryAfterSeconds });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
