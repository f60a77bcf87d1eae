/** Chat: any chat model through any of the four dialects, with failover before the first byte. */
import type { Usage } from '@model-gateway/contracts';
import { dialects, type ChatRequest } from '@model-gateway/translate';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import { UNTIL_ANSWERED } from '../../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../../paid/request-media.ts';
import { runPaid, type PaidRequest } from '../../paid/paid-request.ts';
import type { Payment } from '../../paid/payment.ts';
import { newTrace } from '../../paid/trace.ts';
import { asked, askStream, askWhole, requestOf } from './ask.ts';
import { estimate, mayThink, usageOf, usageSoFar, type StreamBilling, tokensOf } from './billed-usage.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  type Sink,
  type StreamTranslator,
} from './chat-stream.ts';
import type { Resumption } from './continuations.ts';
import { anyOf, offersIn, planChat, routed, routedAttempt, within, type Routed } from './routed.ts';
import { pipeStream, type ContinuationStream, type Progress } from './stream-pipe.ts';
import { isReady, planFor, readyPlan, resumedPlan, type Plan } from './plan.ts';
import { believed, checkBillable, costReader, plansOf, quoteOf } from './reservation.ts';
import { createContinuableTranslator, type ContinuableTranslator, goOnWith, type GoOn } from './continued-elsewhere.ts';
import { createPictureStream, createShowPicture, type PictureStream } from './shown-pictures.ts';
import { createVendorState, hearFirst, type Listener } from './vendor-state.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';

export type * from './types.ts';

/** What stays the same over the attempts of one call. */
interface Running {
  readonly call: ChatCall;
  readonly row: ModelRow;
  readonly trace: ChatTrace;
  /** Ends an attempt before its answer is there, beside the caller; absent: nothing does. */
  readonly over?: AbortSignal | undefined;
  /** Who goes on with a stream that breaks off; absent: nobody. */
  readonly goOn?: GoOn | undefined;
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

  /** Writes the request for one offer after another. */
  const writerOf = (
    call: ChatCall,
    request = decoder(call),
    isRewritten = false,
  ): ((row: ModelRow, offer: Offer) => Plan) => {
    const cost = costReader(call);
    return (row, offer) =>
      planFor(call, offer, {
        row,
        request,
        cost,
        id: parts.randomId(),
        now: Math.floor(parts.now() / 1000),
        isRewritten,
      });
  };
  const plansFor = (call: ChatCall, row: ModelRow, offers: readonly Offer[]): readonly Plan[] => {
    const write = writerOf(call);
    return plansOf(parts.router.order(offers), (offer) => write(row, offer));
  };

  const answerWhole = async ({ call, trace, over }: Running, plan: Plan, payment: Payment): Promise<ChatAnswer> => {
    const gone = plan.offer.account.onDisconnect === 'abort' ? call.caller.signal : undefined;
    const upstream = parts.openOffer(plan.offer, over === undefined ? gone : anyOf(gone, over));
    const { body, usage } = await asked(plan, trace, (ready) =>
      askWhole(parts, { call, plan: ready, listener: listenerOf(call, ready) }, upstream),
    );
    payment.settle({ usage: usage ?? estimate(call, payment.most, tokensOf(body.length)) });
    sayDropped(parts, call, trace);
    return { trace, reply: { type: 'whole', body } };
  };

  const answerStream = async (
    { call, trace, over, goOn }: Running,
    plan: Plan,
    payment: Payment,
  ): Promise<ChatAnswer> => {
    const { offer } = plan;
    const { onDisconnect } = offer.account;
    const hangUp = new AbortController();
    const onGone = (): void => hangUp.abort();
    if (onDisconnect === 'abort') {
      call.caller.signal.addEventListener('abort', onGone, { once: true });
      if (call.caller.signal.aborted) hangUp.abort();
    }
    if (over?.aborted === true) hangUp.abort();
    over?.addEventListener('abort', onGone, { once: true });
    // An answer that another one has come before is cut even when it has begun.
    payment.over?.addEventListener('abort', onGone, { once: true });
    const upstream = parts.openOffer(offer, hangUp.signal);
    // Once it has begun the pipe decides what a hang-up does: a drained stream must outlive its caller.
    const { raw, first, ready } = await asked(plan, trace, async (attempted) => ({
      ...(await askStream(call, attempted, upstream)),
      ready: attempted,
    })).finally(() => {
      call.caller.signal.removeEventListener('abort', onGone);
      over?.removeEventListener('abort', onGone);
    });
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
          const { signal } = call.caller;
          const pictures = pictureStreamOf(parts, call, ready, sink);
          const continuable = goOn === undefined ? undefined : continuableOf(ready, pictures?.dialect);
          const translator = continuable ?? translatorOf(call, ready, listener, pictures?.dialect);
          const billing: StreamBilling = { call, most: payment.most, mayThink: mayThink(call, plan.row.price) };
          const progress = checkpointing(payment, billing, translator);
          const to = pictures?.sink ?? sink;
          const going = continuable === undefined ? undefined : goOn?.(continuable, ready, billing);
          const end = await pipeStream({
            raw,
            first,
            translator,
            sink: to,
            signal,
            onDisconnect,
            progress,
            resume,
            ...(going !== undefined && { elsewhere: going.elsewhere }),
          });
          const continued = going?.ended(end);
          if (continued !== undefined) payment.settle(continued);
          payment.settle({
            usage: usageOf(end, billing),
            ...(end.error !== undefined && { error: end.error }),
            // A caller who hung up and a refusal in the middle say nothing about the account.
            inconclusive: end.abandoned || end.failed,
          });
          if (pictures !== undefined) await pictures.settled();
          return end;
        },
      },
    };
  };

  const run = (running: Running, candidates: readonly Plan[], way?: Routed): Promise<ChatAnswer> => {
    const { call, row, trace } = running;
    const caller = way?.caller ?? call.caller;
    const quote = quoteOf(candidates, row);
    let media: RequestMedia | undefined;
    let answering: Plan | undefined;
    return runPaid(parts, {
      caller,
      row,
      endpoint: call.endpoint,
      trace,
      candidates,
      repeat: way?.repeat ?? UNTIL_ANSWERED,
      quote,
      factors: { asked: quote.factor },
      ...(way !== undefined && {
        terms: way.terms,
        instead: way.instead,
        ...hedged(call, way, (plan) => (answering = plan)),
        answers: 1 + Number(way.hedge?.afterMs !== undefined) + Number(way.goOn !== undefined),
      }),
      prepare: (plan) => (isReady(plan) ? plan : readyPlan(plan, (media ??= createRequestMedia(parts, caller)))),
      attempt(plan, payment) {
        answering = plan;
        way?.hedge?.asked.add(plan.offer);
        trace.dropped = plan.dropped;
        const ask = call.stream ? answerStream : answerWhole;
        const reply =
          way === undefined
            ? ask(running, plan, payment)
            : routedAttempt(parts, way, { plan, payment, stream: call.stream }, (timed, over) =>
                ask({ ...running, over, goOn: way.goOn }, plan, timed),
              );
        return reply.catch((error: unknown) => {
          // The vendor was hung up on while it worked: it bills what it had read at least.
          const isCut = call.caller.signal.aborted && plan.offer.account.onDisconnect === 'abort';
          if (isCut || way?.endedByCaller() === true)
            payment.settle({ usage: estimate(call, payment.most, 0), inconclusive: true });
          throw error;
        });
      },
      boundReport: (reported) =>
        answering === undefined
          ? reported
          : believed(parts, running, { row: answering.row, plan: answering, reported }),
    });
  };

  /** Where the model has routes, or the caller says something of the way: over several models, each at its own price. */
  const runRouted = async (running: Running): Promise<ChatAnswer> => {
    const { call, row } = running;
    const request = decoder(call);
    const plan = planChat(parts, call, row, request);
    const kept = new Set(await state.reachable(call, offersIn(plan)));
    const continues = call.stream && row.route?.continuesBroken === true;
    const write = writerOf(call, request, continues);
    const way = routed(parts, call, { plan, row, kept }, ({ row: own, offer }) => write(own, offer));
    const goOn = continues ? goOnWith(parts, call, way) : undefined;
    return within(way, () => run(running, way.plans, goOn === undefined ? way : { ...way, goOn }));
  };

  return {
    answer(call, trace = newTrace()) {
      try {
        const row = findModel(parts.catalogue(), call.model, ['chat']);
        checkBillable(call);
        if (row.route !== undefined || call.control !== undefined) return runRouted({ call, row, trace });
        const offers = state.reachable(call, offersFor(parts.catalogue(), row, call.caller.mode));
        if (offers instanceof Promise)
          return offers.then((kept) => run({ call, row, trace }, plansFor(call, row, kept)));
        return run({ call, row, trace }, plansFor(call, row, offers));
      } catch (error) {
        return refused(error);
      }
    },
  };
}

/** Asking a second vendor, where the model does and it is known what is usual. */
function hedged(
  call: ChatCall,
  { plans, hedge }: Routed,
  won: (plan: Plan) => void,
): Pick<PaidRequest<Plan, ChatAnswer>, 'hedging' | 'isAsked'> {
  if (hedge?.afterMs === undefined || plans.length < 2) return {};
  const { afterMs, mayHedge, asked } = hedge;
  let beside: Plan | undefined;
  return {
    isAsked: ({ offer }) => asked.has(offer),
    hedging: {
      afterMs,
      mayAsk(plan) {
        if (!mayHedge()) return false;
        beside = plan;
        return true;
      },
      won(plan) {
        won(plan);
        if (beside !== undefined) hedge.decided(plan === beside ? 'second' : 'first');
      },
      // What has to be fetched or written first comes too late.
      others: () => plans.filter((each) => !asked.has(each.offer) && isReady(each)),
      // It is hung up on while it works: it bills what it has read at least.
      lost: (_plan, most) => estimate(call, most, 0),
      discard: () => undefined,
    },
  };
}

/** A refusal before anybody was asked reaches the caller as all others do. */
async function refused(error: unknown): Promise<never> {
  throw error;
}

/** Checkpoints of one stream: so many that what came since the last one is a small part of what was set aside. */
const CHECKPOINTS = 64;

function checkpointing(payment: Payment, billing: StreamBilling, translator: StreamTranslator): Progress {
  const soFar = (): Usage | undefined => usageSoFar(translator.usage(), translator.delivered(), billing);
  return {
    everyTokens: (payment.most.outputTokens ?? 0) / CHECKPOINTS,
    report: () => payment.checkpoint(soFar),
  };
}

/** Undefined where pictures leave as the vendor or the caller's dialect has them. */
function pictureStreamOf(
  parts: ChatParts,
  { caller }: ChatCall,
  { callerDialect, translation }: Plan,
  sink: Sink,
): PictureStream | undefined {
  if (translation === undefined || !callerDialect.picturesByAddress) return undefined;
  const show = createShowPicture(parts, caller);
  return createPictureStream(callerDialect, { show, sink, signal: caller.signal });
}

/** Undefined for a plan whose bytes are forwarded. */
function continuableOf(
  { callerDialect, upstreamDialect, translation }: Plan,
  shownBy = callerDialect,
): ContinuableTranslator | undefined {
  return translation === undefined ? undefined : createContinuableTranslator(upstreamDialect, shownBy, translation);
}

function translatorOf(
  { body, caller }: ChatCall,
  { offer, callerDialect, upstreamDialect, translation }: Plan,
  listener: Listener | undefined,
  shownBy = callerDialect,
) {
  if (translation !== undefined) return createDialectTranslator(upstreamDialect, shownBy, translation);
  return createForwardingTranslator(callerDialect, {
    request: body.json,
    quirks: offer.quirks,
    requestId: caller.requestId,
    ...(listener !== undefined && { onData: listener.hear }),
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
