/** Chat with a model that has routes, or with a request that says where it may go: plans for offers of several models. */
import { hash } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import { type ChatRequest, dialects, prefixText } from '@model-gateway/translate';
import { offersThatServe, rowNamed, type Catalogue, type ModelRow, type Offer } from '../../catalogue.ts';
import { billOf, dollarsOf } from '../../money/price.ts';
import type { FallbacksByCause } from '../../paid/attempt-loop.ts';
import { UNTIL_ANSWERED, type RepeatPolicy } from '../../paid/repeat.ts';
import { candidateName, nobodyFor, repeatFor, routeWords } from '../../paid/routed.ts';
import type { Payment, PriceTerms } from '../../paid/payment.ts';
import type { Caller } from '../../parts.ts';
import type { PlannedRequest } from '../../routing.ts';
import type { RouteCandidate, RoutePlan } from '../../routing/plan-route.ts';
import { isChosen, type RequestControl } from '../../routing/request-control.ts';
import type { GoOn } from './continued-elsewhere.ts';
import { decodedOrNone, PROMPT_CACHE, type Plan } from './plan.ts';
import { plansOf, quoteOf } from './reservation.ts';
import type { ChatAnswer, ChatCall, ChatParts, ChatTrace } from './types.ts';
import type { RequestFacts, RequestInput } from '../../routing/condition.ts';
import { estimateTokens } from './billed-usage.ts';

/** What a routed request has in addition to one for the offers of a single model. */
export interface Routed {
  readonly plans: readonly Plan[];
  readonly instead: FallbacksByCause<Plan>;
  readonly terms: ReadonlyMap<ModelRow, PriceTerms>;
  readonly repeat: RepeatPolicy;
  /** The caller. Its signal also fires at the deadline, which counts as a disconnect. */
  readonly caller: Caller;
  /** When the wait for an answer, or its beginning, is over. */
  readonly deadline: Deadline | undefined;
  /** Hangs up on the vendor that works at a deadline of the operator's; at the caller's own the account decides, as when the caller leaves. */
  readonly over: AbortSignal | undefined;
  /** The requested model, as metrics name it. */
  readonly asked: string;
  /** The deadline of one attempt at a stream, in seconds. */
  readonly firstTokenSeconds: number | undefined;
  /** Of the model that was asked for: when a second vendor is asked, and what begins one attempt tells it. */
  readonly hedge: HedgeOfModel | undefined;
  /** Continues a stream that breaks off; absent if streams are not continued. */
  readonly goOn?: GoOn;
}

type RoutedCall = Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'control' | 'model'>;

/** Whom the call may go to, over accounts and models. Throws `unavailable` when there is nobody, and `invalid_request` when the caller wants nobody of those. */
export function planChat(
  parts: Pick<ChatParts, 'router' | 'catalogue' | 'now' | 'log'>,
  call: RoutedCall,
  row: ModelRow,
  request: () => ChatRequest,
): RoutePlan {
  const catalogue = parts.catalogue();
  const facts = factsOf(call, request, { at: parts.now(), region: catalogue.region });
  const plan = parts.router.plan(row, plannedRequest(catalogue, call, facts));
  if (plan.candidates.length === 0) throw nobodyFor(catalogue, row, call.caller.mode, call.control);
  parts.log.debug(
    { request_id: call.caller.requestId, model: call.model, plan: plan.candidates.map(candidateName) },
    'a request was routed',
  );
  return plan;
}

function plannedRequest(
  catalogue: Catalogue,
  { caller, control }: RoutedCall,
  facts: PlannedRequest['facts'],
): PlannedRequest {
  const { vendors, noFallback } = control ?? {};
  const serving = (row: ModelRow): readonly Offer[] => offersThatServe(catalogue, row, caller.mode);
  return {
    rowOf: (code) => rowNamed(catalogue, code),
    offersOf:
      vendors === undefined ? serving : (row) => serving(row).filter(({ account }) => isChosen(vendors, account)),
    facts,
    ...(noFallback !== undefined && { noFallback }),
  };
}

/** Every offer of a plan. */
export function offersIn({ candidates, instead }: RoutePlan): readonly Offer[] {
  return [...candidates, ...instead.on_context_too_long, ...instead.on_content_refusal].map(({ offer }) => offer);
}

interface Planned {
  readonly plan: RoutePlan;
  /** What was asked for. */
  readonly row: ModelRow;
  /** Offers that have what the request refers to. */
  readonly kept: ReadonlySet<Offer>;
}

/**
 * The plan's candidates, written for each offer; those that cannot carry the request, or may cost more than the caller wants, are left
 * out. Throws what the first of them has against the request when none is left.
 */
export function routed(
  parts: Pick<ChatParts, 'router' | 'catalogue' | 'meter'>,
  { caller, control, stream }: RoutedCall & Pick<ChatCall, 'stream'>,
  { plan: { candidates, instead }, row, kept }: Planned,
  write: (candidate: RouteCandidate) => Plan,
): Routed {
  const known = new Map<Offer, Plan>();
  const plan = (candidate: RouteCandidate): Plan => {
    let found = known.get(candidate.offer);
    if (found === undefined) known.set(candidate.offer, (found = write(candidate)));
    const words = routeWords(candidate);
    return { ...found, route: found.keepsPrompt === true ? `${words}; ${PROMPT_CACHE}` : words, by: candidate.by };
  };
  const written = (list: readonly RouteCandidate[]): readonly Plan[] => {
    const usable = list.filter(({ offer }) => kept.has(offer));
    return usable.length === 0 ? [] : plansOf(usable, plan);
  };
  const plans = written(candidates);
  const tooLong = leniently(() => written(instead.on_context_too_long));
  const refused = leniently(() => written(instead.on_content_refusal));
  const group = parts.catalogue().groupFactors[caller.key.group] ?? 1;
  const all = termsOf([...plans, ...tooLong, ...refused]);
  const terms = control?.maxCost === undefined ? all : affordable(all, plans, { most: control.maxCost, group });
  const left = (list: readonly Plan[]): readonly Plan[] => list.filter((each) => terms.has(each.row));
  return {
    plans: left(plans),
    instead: { on_context_too_long: left(tooLong), on_content_refusal: left(refused) },
    terms,
    repeat: repeatFor(parts, row, UNTIL_ANSWERED),
    asked: row.wildcard ?? row.code,
    hedge: hedgeOf(parts, row, stream),
    ...limitsOf(caller, control, row),
  };
}

/** A fallback that cannot express the request is left out. */
function leniently(write: () => readonly Plan[]): readonly Plan[] {
  try {
    return write();
  } catch {
    return [];
  }
}

/** Each row's own price for what its plans may use. */
function termsOf(plans: readonly Plan[]): ReadonlyMap<ModelRow, PriceTerms> {
  return new Map(
    [...Map.groupBy(plans, ({ row }) => row)].map(([row, own]): [ModelRow, PriceTerms] => {
      const quote = quoteOf(own, row);
      return [row, { row, quote, factors: { asked: quote.factor } }];
    }),
  );
}

/** Those that cost no more than the caller allows, in dollars. Throws `invalid_request` when none of the plans does. */
function affordable(
  terms: ReadonlyMap<ModelRow, PriceTerms>,
  plans: readonly Plan[],
  { most, group }: { readonly most: number; readonly group: number },
): ReadonlyMap<ModelRow, PriceTerms> {
  const dollarsOfRow = (row: ModelRow): number => {
    const own = terms.get(row);
    return own === undefined ? 0 : dollarsOf(billOf(own.quote.most, row.price, { ...own.factors, group }).units);
  };
  const left = new Map([...terms].filter(([row]) => dollarsOfRow(row) <= most));
  if (plans.some(({ row }) => left.has(row))) return left;
  const least = Math.min(...plans.map(({ row }) => dollarsOfRow(row)));
  const param = 'x-gateway-max-cost';
  throw new GatewayError(
    'invalid_request',
    `the request may cost $${least}, and ${param} allows $${most}; allow more, or lower the cap on its output tokens`,
    { param },
  );
}

/** Decides when a request for the model asks a second vendor. */
export interface HedgeOfModel {
  /** Undefined while it is not known what is usual. */
  readonly afterMs: number | undefined;
  readonly mayHedge: () => boolean;
  /** The candidates that this request has asked. */
  readonly asked: Set<Offer>;
  /** Which of two answers. */
  readonly decided: (by: 'first' | 'second') => void;
  /** Records how long an answer took to begin. */
  readonly began: (ms: number) => void;
}

function hedgeOf(
  { router, meter }: Pick<ChatParts, 'router' | 'meter'>,
  { code, wildcard, route }: ModelRow,
  stream: boolean,
): HedgeOfModel | undefined {
  const { hedge } = route ?? {};
  if (hedge === undefined) return undefined;
  const name = wildcard ?? code;
  const times = router.firstTimes(name, stream);
  const budget = router.hedgeBudget(name);
  budget.earn(hedge.budget);
  return {
    afterMs: times.quantile(hedge.quantile),
    mayHedge: () => budget.spend(),
    asked: new Set(),
    decided: (by) => meter.count('gateway_hedged_requests_total', { model: name, by }),
    began: (ms) => times.add(ms),
  };
}

/** The shorter of the operator's deadline and the caller's own. */
function limitsOf(
  caller: Caller,
  control: RequestControl | undefined,
  { code, route }: ModelRow,
): Pick<Routed, 'caller' | 'deadline' | 'over' | 'firstTokenSeconds'> {
  const { totalSeconds = Infinity, firstTokenSeconds } = route ?? {};
  const asked = control?.timeoutSeconds ?? Infinity;
  const seconds = Math.min(totalSeconds, asked);
  if (seconds === Infinity) return { caller, deadline: undefined, over: undefined, firstTokenSeconds };
  const isCallers = asked <= totalSeconds;
  const said = isCallers ? `x-gateway-timeout allows` : `the model '${code}' is given`;
  const deadline = startDeadline(seconds, `there was no answer within the ${seconds} s that ${said}`);
  return {
    caller: { ...caller, signal: anyOf(caller.signal, deadline.signal) ?? caller.signal },
    deadline,
    over: isCallers ? undefined : deadline.signal,
    firstTokenSeconds,
  };
}

/**
 * Runs a routed request within its deadline, which holds until there is an answer. At the caller's own the error is told at once; what
 * becomes of the answer is what becomes of one whose caller has left, and it is paid for alike.
 */
export async function within(
  { deadline, over }: Pick<Routed, 'deadline' | 'over'>,
  trace: Pick<ChatTrace, 'late'>,
  work: () => Promise<ChatAnswer>,
): Promise<ChatAnswer> {
  if (deadline === undefined) return work();
  const { signal } = deadline;
  const answering = work();
  try {
    if (over !== undefined) return await answering;
    return await Promise.race([answering, endOf(signal)]);
  } catch (error) {
    if (over === undefined && signal.aborted) trace.late = answering.then(readToNobody).catch(() => undefined);
    throw deadline.errorOf(error);
  } finally {
    deadline.clear();
  }
}

/** Rejects when the signal is aborted. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new GatewayError('upstream_timeout', 'too late')), { once: true });
  });
}

/** A stream ends and is paid for as its reader ends; here there is none any more. */
async function readToNobody({ reply }: ChatAnswer): Promise<void> {
  if (reply.type === 'stream') await reply.pipe({ write: () => true, drained: () => Promise.resolve() });
}

interface Attempting {
  readonly plan: Plan;
  readonly payment: Payment;
  readonly stream: boolean;
}

/** One attempt of a routed request: within its deadline for the first token, and measured for strategies that go by it. */
export async function routedAttempt<T>(
  { router, meter, now }: Pick<ChatParts, 'router' | 'meter' | 'now'>,
  { over, firstTokenSeconds, asked, hedge }: Pick<Routed, 'over' | 'firstTokenSeconds' | 'asked' | 'hedge'>,
  { plan: { offer, row, by = 'own' }, payment, stream }: Attempting,
  ask: (payment: Payment, over: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const first =
    stream && firstTokenSeconds !== undefined
      ? startDeadline(firstTokenSeconds, `the vendor said nothing for ${firstTokenSeconds} s`)
      : undefined;
  const began = now();
  let firstMs: number | undefined;
  const timed: Payment = {
    most: payment.most,
    ...(payment.over !== undefined && { over: payment.over }),
    checkpoint: (soFar) => payment.checkpoint(soFar),
    settle(outcome) {
      const { usage, error, inconclusive } = outcome;
      payment.settle(outcome);
      if (usage === undefined || error !== undefined || inconclusive === true) return;
      const tokens = usage.outputTokens ?? 0;
      router.measure(offer, { totalMs: now() - began, tokens, ...(firstMs !== undefined && { firstMs }) });
    },
  };
  try {
    const answer = await ask(timed, anyOf(over, first?.signal, payment.over));
    // A whole answer is settled by now; of a stream it is the first event.
    firstMs = now() - began;
    hedge?.began(firstMs);
    meter.count('gateway_routed_requests_total', { model: asked, answered_by: row.wildcard ?? row.code, by });
    return answer;
  } catch (error) {
    throw first?.errorOf(error) ?? error;
  } finally {
    first?.clear();
  }
}

export interface Deadline {
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
  /** The error of what it ended: the deadline's own when it is over. */
  errorOf(error: unknown): unknown;
  /** It holds no longer. */
  clear(): void;
}

/** Starts one; `message` is told when it is over. */
export function startDeadline(seconds: number, message: string): Deadline {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), seconds * 1000);
  return {
    signal: over.signal,
    errorOf: (error) => (over.signal.aborted ? new GatewayError('upstream_timeout', message) : error),
    clear: () => clearTimeout(timer),
  };
}

/** Aborted with the first of them. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}

/** The facts of a call; `request` decodes it, and may throw for what only the caller's own dialect knows. */
export function factsOf(
  { caller, dialect, body, control }: Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'control'>,
  request: () => ChatRequest,
  { at, region }: Pick<RequestFacts, 'at' | 'region'>,
): RequestFacts {
  // Each is found out once, whatever comes of it: many routes may ask.
  const known = once(() => decodedOrNone(request));
  return {
    key: caller.key.name,
    group: caller.key.group,
    region,
    at,
    tags: once(() => ({ ...tagsIn(known()), ...control?.tags })),
    inputTokens: once(() => estimateTokens(body.json)),
    inputs: once(() => inputsIn(known())),
    prefix: once(() => `${caller.key.id} ${hash('sha1', prefixText(dialects[dialect].prefix(body.json)))}`),
  };
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

function tagsIn(request: ChatRequest | undefined): Record<string, string> {
  const entries = Object.entries(request?.metadata ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function inputsIn(request: ChatRequest | undefined): ReadonlySet<RequestInput> {
  const found = new Set<RequestInput>();
  if (request === undefined) return found;
  if (request.tools.length > 0) found.add('tools');
  for (const { parts } of request.turns) {
    for (const part of parts) {
      for (const { type } of part.type === 'tool-result' ? part.content : [part])
        if (type === 'image' || type === 'audio' || type === 'video' || type === 'document') found.add(type);
    }
  }
  return found;
}
