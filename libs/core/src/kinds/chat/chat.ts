/** Chat: any chat model through any of the four dialects, with failover before the first byte. */
import type { Usage } from '@model-gateway/contracts';
import { dialects, type ChatRequest } from '@model-gateway/translate';
import { findModel, offersFor, type GatewayAccount, type ModelRow, type Offer } from '../../catalogue.ts';
import { UNTIL_ANSWERED } from '../../paid/repeat.ts';
import { runPaid, type Payment } from '../../paid/run-paid.ts';
import { newTrace } from '../../paid/trace.ts';
import { asked, askStream, askWhole, requestOf } from './ask.ts';
import { estimate, tokensOf, usageOf } from './billed-usage.ts';
import { largestUsage, leastUsage } from './body.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  pipeStream,
  type ContinuationStream,
} from './chat-stream.ts';
import { countTokens } from './chat-metrics.ts';
import type { Resumption } from './continuations.ts';
import { planFor, resumedPlan, type Plan } from './plan.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';

export type * from './types.ts';

/** What stays the same over the attempts of one call. */
interface Running {
  readonly call: ChatCall;
  readonly trace: ChatTrace;
}

/** Makes the chat side of a gateway. */
export function createChat(parts: ChatParts): Chat {
  /** The caller's request in the middle form; decoded once, and only when some offer speaks another dialect. */
  const decoder = (call: ChatCall): (() => ChatRequest) => {
    let decoded: ChatRequest | undefined;
    return () =>
      (decoded ??= dialects[call.dialect].decodeRequest(call.body.json, { model: call.model, stream: call.stream }));
  };

  const plansFor = (call: ChatCall, row: ModelRow): readonly Plan[] => {
    const offers = parts.router.order(offersFor(parts.catalogue(), row, call.caller.mode));
    const request = decoder(call);
    return plansOf(offers, (offer) =>
      planFor(call, offer, { row, request, id: parts.randomId(), now: Math.floor(parts.now() / 1000) }),
    );
  };

  const answerWhole = async ({ call, trace }: Running, plan: Plan, payment: Payment): Promise<ChatAnswer> => {
    const upstream = parts.openOffer(
      plan.offer,
      plan.offer.account.onDisconnect === 'abort' ? call.caller.signal : undefined,
    );
    const { body, usage } = await asked(plan, upstream.upstream, trace, (ready) =>
      askWhole(parts, call, ready, upstream),
    );
    payment.settle({ usage: usage ?? estimate(call, tokensOf(body.length)) });
    sayDropped(parts, call, trace);
    return { trace, reply: { type: 'whole', body } };
  };

  const answerStream = async ({ call, trace }: Running, plan: Plan, payment: Payment): Promise<ChatAnswer> => {
    const { offer } = plan;
    const { onDisconnect } = offer.account;
    const hangUp = new AbortController();
    const onGone = (): void => hangUp.abort();
    if (onDisconnect === 'abort') {
      call.caller.signal.addEventListener('abort', onGone, { once: true });
      if (call.caller.signal.aborted) hangUp.abort();
    }
    const upstream = parts.openOffer(offer, hangUp.signal);
    // Once it has begun the pipe decides what a hang-up does: a drained stream must outlive its caller.
    const { raw, first, ready } = await asked(plan, upstream.upstream, trace, async (attempted) => ({
      ...(await askStream(call, attempted, upstream)),
      ready: attempted,
    })).finally(() => call.caller.signal.removeEventListener('abort', onGone));
    sayDropped(parts, call, trace);
    const resume = async (resumption: Resumption): Promise<ContinuationStream> => {
      const next = resumedPlan(ready, resumption);
      return {
        sent: next.translation?.sent ?? { body: {}, dropped: [] },
        raw: (await upstream.upstream.stream(requestOf(next, upstream, call, true))).raw,
      };
    };
    return {
      trace,
      reply: {
        type: 'stream',
        async pipe(sink) {
          const translator = translatorOf(call, ready);
          const { signal } = call.caller;
          const end = await pipeStream({ raw, first, translator, sink, signal, onDisconnect, resume });
          payment.settle({
            usage: usageOf(end, call),
            ...(end.error !== undefined && { error: end.error }),
            // A caller who hung up and a refusal in the middle say nothing about the account.
            inconclusive: end.abandoned || end.failed,
          });
          return end;
        },
      },
    };
  };

  return {
    answer(call, trace = newTrace()) {
      try {
        const row = findModel(parts.catalogue(), call.model, ['chat']);
        const running: Running = { call, trace };
        return runPaid(parts, {
          caller: call.caller,
          row,
          endpoint: call.endpoint,
          trace,
          candidates: plansFor(call, row),
          repeat: UNTIL_ANSWERED,
          quote: {
            most: largestUsage(call.dialect, call.body, numberOf(row.limits['max_output_tokens'])),
            least: leastUsage(call.body),
          },
          attempt(plan, payment) {
            trace.dropped = plan.dropped;
            return (call.stream ? answerStream : answerWhole)(running, plan, payment);
          },
          charged: (usage: Usage) => countTokens(parts, usage, row.code, accountOf(parts, trace)),
        });
      } catch (error) {
        return refused(error);
      }
    },
  };
}

/** A refusal before anybody was asked reaches the caller as all others do. */
async function refused(error: unknown): Promise<never> {
  throw error;
}

function translatorOf({ body, caller }: ChatCall, { offer, callerDialect, upstreamDialect, translation }: Plan) {
  if (translation !== undefined) return createDialectTranslator(upstreamDialect, callerDialect, translation);
  return createForwardingTranslator(callerDialect, {
    request: body.json,
    quirks: offer.quirks,
    requestId: caller.requestId,
  });
}

/** What a translation could not carry, with the reasons; the header names the fields only. */
function sayDropped({ log }: ChatParts, { caller, model }: ChatCall, { dropped, upstreamDialect }: ChatTrace): void {
  if (dropped.length === 0) return;
  log.debug(
    { request_id: caller.requestId, model, upstream: upstreamDialect, dropped },
    'a translation left something out',
  );
}

/** Offers that cannot carry this request are left out: their 400 is the answer only if no other offer can. */
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
  if (plans.length === 0) throw refusal;
  return plans;
}

/** Who answered. */
function accountOf({ catalogue }: Pick<ChatParts, 'catalogue'>, { accountId }: ChatTrace): GatewayAccount | undefined {
  return catalogue().accounts.find(({ id }) => id === accountId);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
