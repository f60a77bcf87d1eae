/** Runs one paid chat: sends it to vendors, passes the answer to the caller, and determines the usage to bill. */
import { GatewayError, type Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { PaidRequest } from '../../paid/paid-request.ts';
import type { Outcome, Payment } from '../../paid/payment.ts';
import { delivered } from '../../paid/delivery.ts';
import { UNTIL_ANSWERED, type RepeatPolicy } from '../../paid/repeat.ts';
import { createRequestMedia, type RequestMedia } from '../../paid/request-media.ts';
import type { Caller } from '../../parts.ts';
import { asked, askStream, askWhole, requestOf } from './ask.ts';
import { estimate, estimateCut, mayThink, tokensOf, usageOf, usageSoFar, type StreamBilling } from './billed-usage.ts';
import {
  createDialectTranslator,
  createForwardingTranslator,
  type Sink,
  type StreamEnd,
  type StreamTranslator,
} from './chat-stream.ts';
import type { Resumption } from './continuations.ts';
import { ContinuableTranslator } from './continuable-translator.ts';
import type { GoOn } from './continued-elsewhere.ts';
import { withNamedFiles } from './named-files.ts';
import { resumedPlan } from './next-plan.ts';
import { isReady, type Plan } from './plan.ts';
import { fetchingNothing, readyPlan } from './ready-plan.ts';
import type { GenerationRates } from './generation-rate.ts';
import { withUncounted } from './pricing.ts';
import { quoteOf, type ChatQuote } from './reservation.ts';
import { anyOf } from './routed.ts';
import { createPictureStream, createShowPicture, type PictureStream } from './shown-pictures.ts';
import { pipeStream, type ContinuationStream, type Progress } from './stream-pipe.ts';
import { observeFirst, type ReplyObserver, type VendorState } from './vendor-state.ts';
import { promptTooLong, truncatedPrompt } from './truncated-prompt.ts';
import type { ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';

export interface ChatRunOptions {
  readonly parts: ChatParts;
  readonly state: VendorState;
  readonly rates: GenerationRates;
  readonly call: ChatCall;
  readonly row: ModelRow;
  readonly trace: ChatTrace;
}

/** A chat for one model; its offers are tried in order. */
export class ChatRun implements PaidRequest<Plan, ChatAnswer> {
  readonly row: ModelRow;
  readonly trace: ChatTrace;
  readonly endpoint: string;
  readonly candidates: readonly Plan[];
  readonly quote: ChatQuote;
  readonly factors: { readonly asked: number };
  readonly caller: Caller;
  readonly repeat: RepeatPolicy = UNTIL_ANSWERED;
  readonly isDelivered = true;
  protected readonly parts: ChatParts;
  protected readonly call: ChatCall;
  /** The attempt that is reported: the last one, or the winner of a hedge. */
  protected answering: Plan | undefined;
  private readonly state: VendorState;
  private readonly rates: GenerationRates;
  private media: RequestMedia | undefined;
  /** An empty answer was discarded and another attempt was made. */
  private hasReplaced = false;

  constructor({ parts, state, rates, call, row, trace }: ChatRunOptions, plans: readonly Plan[], caller = call.caller) {
    this.parts = parts;
    this.state = state;
    this.rates = rates;
    this.call = call;
    this.row = row;
    this.trace = trace;
    this.endpoint = call.endpoint;
    this.candidates = plans;
    this.caller = caller;
    this.quote = quoteOf(plans, row);
    this.factors = { asked: this.quote.factor };
  }

  prepare(plan: Plan): Plan | Promise<Plan> {
    if (isReady(plan)) return this.call.files === undefined ? plan : withNamedFiles(this.parts, this.call, plan);
    // The answer of a vendor's batch is already known: the files of the request may have expired, and no vendor is asked.
    const isAnswered = this.caller.delivery?.answeredBy !== undefined;
    const media = isAnswered ? fetchingNothing(plan) : (this.media ??= createRequestMedia(this.parts, this.caller));
    const ready = readyPlan(plan, media);
    return this.call.files === undefined ? ready : ready.then((whole) => withNamedFiles(this.parts, this.call, whole));
  }

  attempt(plan: Plan, payment: Payment): Promise<ChatAnswer> {
    this.answering = plan;
    this.trace.dropped = plan.dropped;
    this.trace.keepsPrompt = plan.keepsPrompt === true;
    const since = this.parts.now();
    return this.ask(plan, payment).catch((error: unknown) => {
      // The gateway disconnected while the vendor was working. The vendor bills at least the input, and any hidden reasoning.
      if (this.isCut(plan)) {
        const usage = estimateCut(this.billingOf(plan, payment, since), this.call.stream);
        payment.settle({ usage, inconclusive: true });
      }
      throw error;
    });
  }

  completed(reported: Usage): Usage {
    const { answering } = this;
    return answering === undefined ? reported : withUncounted(reported, answering.charging.cost, answering.row.price);
  }

  protected ask(plan: Plan, payment: Payment, over?: AbortSignal): Promise<ChatAnswer> {
    return this.call.stream ? this.answerStream(plan, payment, over) : this.answerWhole(plan, payment, over);
  }

  /** Whether the gateway disconnected from the vendor before its answer. */
  protected isCut(plan: Plan): boolean {
    return this.call.caller.signal.aborted && this.isLeft(plan);
  }

  /** Whether to disconnect from the vendor when the caller disconnects. */
  private isLeft({ offer: { account } }: Plan): boolean {
    const { chatStreams, others } = account.onDisconnect;
    return (this.call.stream ? chatStreams : others) === 'abort';
  }

  private billingOf(plan: Plan, { most }: Pick<Payment, 'most'>, since: number): StreamBilling {
    const { call, parts, rates } = this;
    const generated = (): number => rates.generatedIn(plan.offer, parts.now() - since);
    return { call, most, mayThink: mayThink(call, plan.row.price), generated };
  }

  /** Learns the speed of the model, to estimate answers that are cut off. */
  private measure({ offer }: Plan, usage: Usage | undefined, since: number): void {
    if (offer.account.onDisconnect.chatStreams === 'abort')
      this.rates.measure(offer, usage?.outputTokens, this.parts.now() - since);
  }

  /** Continues a stream of this model that breaks off; undefined if streams are not continued. */
  protected continuation(): GoOn | undefined {
    return undefined;
  }

  private async answerWhole(plan: Plan, payment: Payment, over: AbortSignal | undefined): Promise<ChatAnswer> {
    const { parts, call, trace } = this;
    const gone = this.isLeft(plan) ? call.caller.signal : undefined;
    const since = parts.now();
    const opened = parts.openOffer(plan.offer, over === undefined ? gone : anyOf(gone, over), trace);
    const target = { offer: plan.offer, row: plan.row, isPlain: plan.charging.factor === 1 };
    const upstream = delivered(call.caller.delivery, target, opened);
    const { body, usage, isEmpty } = await asked(call, plan, {
      trace,
      ask: (ready) => askWhole(parts, { call, plan: ready, observer: this.observerOf(ready) }, upstream),
    });
    const billed = usage ?? estimate(call, payment.most, tokensOf(body.length));
    if (this.repeat.replacesEmpty === true && !this.hasReplaced && isEmpty()) {
      this.hasReplaced = true;
      const details = { answered: { usage: billed }, isEmpty: true as const };
      throw new GatewayError('upstream_malformed', 'the vendor’s answer is empty', details);
    }
    this.lookForTruncation(plan, usage);
    payment.settle({ usage: billed });
    this.measure(plan, usage, since);
    this.logDropped();
    return { trace, reply: { type: 'whole', body } };
  }

  private async answerStream(plan: Plan, payment: Payment, over: AbortSignal | undefined): Promise<ChatAnswer> {
    const { parts, call, trace } = this;
    const { signal } = call.caller;
    const hangUp = new AbortController();
    const onGone = (): void => hangUp.abort();
    const since = parts.now();
    if (this.isLeft(plan)) signal.addEventListener('abort', onGone, { once: true });
    over?.addEventListener('abort', onGone, { once: true });
    // The loser of a hedge is cut off even if its answer has begun.
    payment.over?.addEventListener('abort', onGone, { once: true });
    if (over?.aborted === true || this.isCut(plan)) hangUp.abort();
    const upstream = parts.openOffer(plan.offer, hangUp.signal, trace);
    // Once it has begun the pipe decides what a hang-up does: a drained stream must outlive its caller.
    const { raw, first, ready } = await asked(call, plan, {
      trace,
      ask: async (attempted) => ({
        ...(await askStream(call, attempted, upstream, (usage) => this.lookForTruncation(attempted, usage))),
        ready: attempted,
      }),
    }).finally(() => {
      signal.removeEventListener('abort', onGone);
      over?.removeEventListener('abort', onGone);
    });
    this.logDropped();
    const observer = this.observerOf(ready);
    if (observer !== undefined) observeFirst(first, observer);
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
        pipe: (sink) => this.pipe({ raw, first, resume }, { ready, payment, observer, sink, since }),
      },
    };
  }

  /** Moves the stream to the caller and settles the payment by how it ended. */
  private async pipe(
    source: Pick<Parameters<typeof pipeStream>[0], 'raw' | 'first' | 'resume'>,
    { ready, payment, observer, sink, since }: Piped,
  ): Promise<StreamEnd> {
    const { parts, call } = this;
    const goOn = this.continuation();
    const pictures = pictureStreamOf(parts, call, ready, sink);
    const continuable = goOn === undefined ? undefined : continuableOf(ready, pictures?.dialect);
    const translator = continuable ?? translatorOf(call, ready, observer, pictures?.dialect);
    const billing = this.billingOf(ready, payment, since);
    const continuing = continuable === undefined ? undefined : goOn?.(continuable, ready, billing);
    const end = await pipeStream({
      ...source,
      translator,
      sink: pictures?.sink ?? sink,
      signal: call.caller.signal,
      onDisconnect: ready.offer.account.onDisconnect.chatStreams,
      progress: checkpointing(payment, billing, translator),
      ...(continuing !== undefined && { elsewhere: continuing.elsewhere }),
    });
    payment.settle(continuing?.ended(end) ?? outcomeOf(end, billing));
    if (end.finished && !end.abandoned) {
      this.measure(ready, end.usage, since);
      this.lookForTruncation(ready, end.usage, true);
    }
    if (pictures !== undefined) await pictures.settled();
    return end;
  }

  /** Vendor ids reach a caller only if the vendor's bytes are forwarded. */
  private observerOf({ offer, translation }: Plan): ReplyObserver | undefined {
    return translation === undefined ? this.state.observer(this.call, offer.account.id) : undefined;
  }

  /** Throws `context_length_exceeded` where the account refuses answers to a part of the prompt; of a stream, whose answer has gone, it is only told. */
  private lookForTruncation({ offer: { account, model } }: Plan, usage: Usage | undefined, hasGone = false): void {
    if (account.onTruncation === undefined) return;
    const found = truncatedPrompt(this.call, usage);
    if (found === undefined) return;
    this.parts.log.warn(
      { request_id: this.call.caller.requestId, account: account.name, model, ...found },
      'the server read far less of the prompt than was sent; give the model more context',
    );
    if (account.onTruncation === 'refuse' && !hasGone) throw promptTooLong(found);
    this.trace.truncatedPrompt = found;
  }

  /** What a translation could not carry, with the reasons; the header names the fields only. */
  private logDropped(): void {
    const { dropped, upstreamDialect } = this.trace;
    if (dropped.length === 0) return;
    this.parts.log.debug(
      { request_id: this.call.caller.requestId, model: this.call.model, upstream: upstreamDialect, dropped },
      'a translation left something out',
    );
  }
}

interface Piped {
  /** What was sent. */
  readonly ready: Plan;
  readonly payment: Payment;
  readonly observer: ReplyObserver | undefined;
  readonly sink: Sink;
  /** When the vendor was asked. */
  readonly since: number;
}

/** A disconnected caller, or a refusal in the middle of an answer, does not affect the account's health. */
function outcomeOf(end: StreamEnd, billing: StreamBilling): Outcome {
  return {
    usage: usageOf(end, billing),
    ...(end.error !== undefined && { error: end.error }),
    inconclusive: end.abandoned || end.failed,
  };
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
  return translation === undefined ? undefined : new ContinuableTranslator(upstreamDialect, shownBy, translation);
}

function translatorOf(
  { body, caller }: ChatCall,
  { offer, callerDialect, upstreamDialect, translation }: Plan,
  observer: ReplyObserver | undefined,
  shownBy = callerDialect,
) {
  if (translation !== undefined) return createDialectTranslator(upstreamDialect, shownBy, translation);
  return createForwardingTranslator(callerDialect, {
    request: body.json,
    quirks: offer.quirks,
    requestId: caller.requestId,
    ...(observer !== undefined && { onData: observer.observe }),
  });
}
