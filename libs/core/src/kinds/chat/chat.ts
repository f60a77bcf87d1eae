/** Chat: any chat model through any of the four dialects, with failover before the first byte. */
import type { Usage } from '@model-gateway/contracts';
import { dialects, type ChatRequest } from '@model-gateway/translate';
import { findModel, offersFor, type GatewayAccount, type ModelRow, type Offer } from '../../catalogue.ts';
import { UNTIL_ANSWERED } from '../../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../../paid/request-media.ts';
import { runPaid, type Payment } from '../../paid/run-paid.ts';
import { newTrace } from '../../paid/trace.ts';
import { asked, askStream, askWhole, requestOf } from './ask.ts';
import { estimate, mayThink, usageOf, usageSoFar, type StreamBilling } from './billed-usage.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  pipeStream,
  type ContinuationStream,
  type Progress,
} from './chat-stream.ts';
import { countTokens } from './chat-metrics.ts';
import type { Resumption } from './continuations.ts';
import { tokensOf } from './delivered-tokens.ts';
import { isReady, planFor, readyPlan, resumedPlan, type Plan } from './plan.ts';
import { believed, checkBillable, costReader, plansOf, quoteOf } from './reservation.ts';
import { createVendorState, hearFirst, type Listener } from './vendor-state.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';

export type * from './types.ts';

/** What stays the same over the attempts of one call. */
interface Running {
  readonly call: ChatCall;
  readonly row: ModelRow;
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

  const state = createVendorState(parts);
  /** Ids reach a caller only where the vendor's own bytes do. */
  const listenerOf = (call: ChatCall, { offer, translation }: Plan): Listener | undefined =>
    translation === undefined ? state.listener(call, offer.account.id) : undefined;

  const plansFor = (call: ChatCall, row: ModelRow, offers: readonly Offer[]): readonly Plan[] => {
    const request = decoder(call);
    const cost = costReader(call);
    return plansOf(parts.router.order(offers), (offer) =>
      planFor(call, offer, { row, request, cost, id: parts.randomId(), now: Math.floor(parts.now() / 1000) }),
    );
  };

  const answerWhole = async ({ call, trace }: Running, plan: Plan, payment: Payment): Promise<ChatAnswer> => {
    const upstream = parts.openOffer(
      plan.offer,
      plan.offer.account.onDisconnect === 'abort' ? call.caller.signal : undefined,
    );
    const { body, usage } = await asked(plan, trace, (ready) =>
      askWhole(parts, { call, plan: ready, listener: listenerOf(call, ready) }, upstream),
    );
    payment.settle({ usage: usage ?? estimate(call, payment.most, tokensOf(body.length)) });
    sayDropped(parts, call, trace);
    return { trace, reply: { type: 'whole', body } };
  };

  const answerStream = async ({ call, row, trace }: Running, plan: Plan, payment: Payment): Promise<ChatAnswer> => {
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
    const { raw, first, ready } = await asked(plan, trace, async (attempted) => ({
      ...(await askStream(call, attempted, upstream)),
      ready: attempted,
    })).finally(() => call.caller.signal.removeEventListener('abort', onGone));
    sayDropped(parts, call, trace);
    const listener = listenerOf(call, ready);
    if (listener !== undefined) hearFirst(first, listener);
    const resume = async (resumption: Resumption): Promise<ContinuationStream> => {
      const next = resumedPlan(ready, resumption);
      return {
        sent: next.translation?.sent ?? { body: {}, dropped: [] },
        raw: (await upstream.upstream.stream(requestOf(next, upstream, true))).raw,
      };
    };
    return {
      trace,
      reply: {
        type: 'stream',
        async pipe(sink) {
          const translator = translatorOf(call, ready, listener);
          const { signal } = call.caller;
          const billing: StreamBilling = { call, most: payment.most, mayThink: mayThink(call, row.price) };
          const progress = checkpointing(payment, billing);
          const end = await pipeStream({ raw, first, translator, sink, signal, onDisconnect, progress, resume });
          payment.settle({
            usage: usageOf(end, billing),
            ...(end.error !== undefined && { error: end.error }),
            // A caller who hung up and a refusal in the middle say nothing about the account.
            inconclusive: end.abandoned || end.failed,
          });
          return end;
        },
      },
    };
  };

  const run = (running: Running, offers: readonly Offer[]): Promise<ChatAnswer> => {
    const { call, row, trace } = running;
    const candidates = plansFor(call, row, offers);
    const quote = quoteOf(candidates, row);
    let media: RequestMedia | undefined;
    let answering: Plan | undefined;
    return runPaid(parts, {
      caller: call.caller,
      row,
      endpoint: call.endpoint,
      trace,
      candidates,
      repeat: UNTIL_ANSWERED,
      quote,
      factors: { asked: quote.factor },
      prepare: (plan) => (isReady(plan) ? plan : readyPlan(plan, (media ??= createRequestMedia(parts, call.caller)))),
      attempt(plan, payment) {
        answering = plan;
        trace.dropped = plan.dropped;
        return (call.stream ? answerStream : answerWhole)(running, plan, payment).catch((error: unknown) => {
          // The vendor was hung up on while it worked: it bills what it had read at least.
          if (call.caller.signal.aborted && plan.offer.account.onDisconnect === 'abort')
            payment.settle({ usage: estimate(call, payment.most, 0), inconclusive: true });
          throw error;
        });
      },
      believe: (reported) =>
        answering === undefined ? reported : believed(parts, running, { row, plan: answering, reported }),
      charged: (usage: Usage) => countTokens(parts, usage, row.code, accountOf(parts, trace)),
    });
  };

  return {
    answer(call, trace = newTrace()) {
      try {
        const row = findModel(parts.catalogue(), call.model, ['chat']);
        checkBillable(call);
        const offers = state.reachable(call, offersFor(parts.catalogue(), row, call.caller.mode));
        if (offers instanceof Promise) return offers.then((kept) => run({ call, row, trace }, kept));
        return run({ call, row, trace }, offers);
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

/** Checkpoints of one stream: so many that what came since the last one is a small part of what was set aside. */
const CHECKPOINTS = 64;

function checkpointing(payment: Payment, billing: StreamBilling): Progress {
  return {
    everyTokens: (payment.most.outputTokens ?? 0) / CHECKPOINTS,
    report(usage, delivered) {
      const soFar = usageSoFar(usage, delivered, billing);
      if (soFar !== undefined) payment.checkpoint(soFar);
    },
  };
}

function translatorOf(
  { body, caller }: ChatCall,
  { offer, callerDialect, upstreamDialect, translation }: Plan,
  onData: Listener | undefined,
) {
  if (translation !== undefined) return createDialectTranslator(upstreamDialect, callerDialect, translation);
  return createForwardingTranslator(callerDialect, {
    request: body.json,
    quirks: offer.quirks,
    requestId: caller.requestId,
    ...(onData !== undefined && { onData }),
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

/** Who answered. */
function accountOf({ catalogue }: Pick<ChatParts, 'catalogue'>, { accountId }: ChatTrace): GatewayAccount | undefined {
  return catalogue().accounts.find(({ id }) => id === accountId);
}
