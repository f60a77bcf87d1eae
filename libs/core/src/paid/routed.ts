/** What requests of all kinds share when their model has routes: whom they may go to, at what price, and how often. */
import { GatewayError } from '@model-gateway/contracts';
import {
  offersFor,
  offersThatServe,
  rowNamed,
  type Catalogue,
  type KeyMode,
  type ModelRow,
  type Offer,
} from '../catalogue.ts';
import { billOf, dollarsOf } from '../money/price.ts';
import type { Caller, Parts } from '../parts.ts';
import type { PlannedRequest, Router } from '../routing.ts';
import type { RequestFacts, RequestInput } from '../routing/condition.ts';
import { modelsBelow, type RouteCandidate } from '../routing/plan-route.ts';
import { isChosen, type RequestControl } from '../routing/request-control.ts';
import { RETRIED_FAULTS } from '../routing/route.ts';
import type { Candidate, FallbacksByCause } from './attempt-loop.ts';
import type { RepeatPolicy } from './repeat.ts';
import type { PriceTerms } from './payment.ts';

/** The policy of a request for this row: its `retries` over what its kind does anyway. */
export function repeatFor(
  { router }: { readonly router: Pick<Router, 'retryBudget'> },
  { code, wildcard, route }: Pick<ModelRow, 'code' | 'wildcard' | 'route'>,
  usual: RepeatPolicy,
): RepeatPolicy {
  const retries = route?.retries;
  if (retries === undefined) return usual;
  const { attempts = usual.mostAttempts, on, budget: share } = retries;
  const budget = router.retryBudget(wildcard ?? code);
  budget.earn(share);
  return {
    ...usual,
    mostAttempts: attempts,
    ...(on !== undefined && { only: on.flatMap((fault) => RETRIED_FAULTS[fault]) }),
    ...(on?.includes('empty_answer') === true && { replacesEmpty: true }),
    mayRepeat: () => budget.spend(),
  };
}

/** For `x-gateway-route`. */
export function routeWords({ row, by, strategy, affinity }: RouteCandidate): string {
  if (by !== 'own' && by !== 'route') return `${row.code}; ${by}`;
  return `${row.code}; ${by}; ${strategy}${affinity === undefined ? '' : `; affinity: ${affinity}`}`;
}

/** How a candidate is told in the log. */
export function candidateName({ row, offer, by }: RouteCandidate): string {
  return `${row.code} by ${offer.account.name} (${by})`;
}

/** What a caller is told who wants to pay less than the request may cost; dollars. */
export function tooDear(least: number, most: number): GatewayError {
  const param = 'x-gateway-max-cost';
  return new GatewayError(
    'invalid_request',
    `the request may cost $${least}, and ${param} allows $${most}; allow more, or ask for less`,
    { param },
  );
}

/** Why nobody can be asked for the row. */
export function nobodyFor(catalogue: Catalogue, row: ModelRow, mode: KeyMode, control: RequestControl = {}): unknown {
  if (control.vendors !== undefined) {
    const param = 'x-gateway-vendors';
    return new GatewayError('invalid_request', `${param} leaves no vendor for the model '${row.code}'`, { param });
  }
  try {
    // Says why.
    return offersFor(catalogue, { ...row, offers: [] }, mode);
  } catch (error) {
    return error;
  }
}

/** The row itself, or those it may lead to: by any of them a request may be answered. */
export function rowsBelow(catalogue: Catalogue, row: ModelRow): readonly ModelRow[] {
  return row.route === undefined ? [row] : modelsBelow(row, (code) => rowNamed(catalogue, code));
}

/** The model that an account answers by, of those that were asked for by `code`; undefined when the catalogue has it no more. */
export function answeringRow(
  catalogue: Catalogue,
  code: string,
  { accountId, model }: { readonly accountId: number; readonly model: string },
): ModelRow | undefined {
  const row = rowNamed(catalogue, code);
  if (row?.route === undefined) return row;
  return rowsBelow(catalogue, row).find(({ offers }) =>
    offers.some((offer) => offer.account.id === accountId && offer.model === model),
  );
}

/** A body that says what it asks for in the same words for every model of its kind. */
export interface MediaRequest<Input> {
  readonly caller: Caller;
  readonly row: ModelRow;
  /** The input for one of the models. Throws what the model has against it. */
  readonly read: (row: ModelRow) => Input;
  /** What is set aside for it, at the model's price. */
  readonly termsOf: (input: Input, row: ModelRow) => Omit<PriceTerms, 'row'>;
  /** For conditions. */
  readonly facts: () => { readonly text: string; readonly inputs: ReadonlySet<RequestInput> };
  readonly repeat: RepeatPolicy;
  /** What the caller says of the way that the request may take. */
  readonly control?: MediaControl;
  /** Offers beyond those of key and catalogue that cannot be asked are left out. */
  readonly maySend?: (offer: Offer) => boolean;
}

/** Media have no deadline of the caller's: what a vendor makes it bills. */
export type MediaControl = Omit<RequestControl, 'timeoutSeconds'>;

export interface MediaCandidate<Input> extends Candidate {
  readonly row: ModelRow;
  readonly input: Input;
  readonly by: RouteCandidate['by'];
}

/** Whom a request for pictures, speech or a video may go to, each with the input as its model takes it. */
export interface RoutedMedia<Input> {
  readonly candidates: readonly MediaCandidate<Input>[];
  readonly instead: FallbacksByCause<MediaCandidate<Input>>;
  readonly terms: ReadonlyMap<ModelRow, PriceTerms>;
  readonly repeat: RepeatPolicy;
}

const CHARACTERS_PER_TOKEN = 4;

/** Plans it over the models that the row leads to. Throws `unavailable` when there is nobody, and what the first model has against the input when none takes it. */
export function routeMedia<Input>(
  parts: Pick<Parts, 'router' | 'catalogue' | 'now' | 'log'>,
  { caller, row, read, termsOf, facts, repeat, control = {}, maySend }: MediaRequest<Input>,
): RoutedMedia<Input> {
  const catalogue = parts.catalogue();
  const group = catalogue.groupFactors[caller.key.group] ?? 1;
  const known = new Map<
    ModelRow,
    { readonly input: Input; readonly terms: PriceTerms } | { readonly error: unknown }
  >();
  const readFor = (each: ModelRow) => {
    let found = known.get(each);
    if (found === undefined) known.set(each, (found = readingFor(each)));
    return found;
  };
  const readingFor = (each: ModelRow) => {
    try {
      const input = read(each);
      return { input, terms: { row: each, ...termsOf(input, each) } };
    } catch (error) {
      return { error };
    }
  };
  const priceOf = (each: ModelRow): number => {
    const found = readFor(each);
    if ('error' in found) return Infinity;
    const { quote, factors } = found.terms;
    return billOf(quote.most, each.price, { ...factors, group }).units;
  };
  const planned: PlannedRequest = {
    rowOf: (code) => rowNamed(catalogue, code),
    offersOf: (each) => {
      const { vendors } = control;
      return offersThatServe(catalogue, each, caller.mode).filter(
        (offer) => maySend?.(offer) !== false && (vendors === undefined || isChosen(vendors, offer.account)),
      );
    },
    ...(control.noFallback !== undefined && { noFallback: control.noFallback }),
    facts: mediaFacts(caller, facts(), control.tags ?? {}, { at: parts.now(), region: catalogue.region }),
    priceOf,
  };
  const plan = parts.router.plan(row, planned);
  if (plan.candidates.length === 0) throw nobodyFor(catalogue, row, caller.mode, control);
  parts.log.debug(
    { request_id: caller.requestId, model: row.code, plan: plan.candidates.map(candidateName) },
    'a request was routed',
  );
  const usable = (list: readonly RouteCandidate[]): readonly MediaCandidate<Input>[] =>
    list.flatMap((candidate) => {
      const found = readFor(candidate.row);
      if ('error' in found || dollarsOf(priceOf(candidate.row)) > (control.maxCost ?? Infinity)) return [];
      const { row: own, offer, by } = candidate;
      return [{ offer, row: own, by, input: found.input, route: routeWords(candidate) }];
    });
  const candidates = usable(plan.candidates);
  if (candidates.length === 0) {
    const least = Math.min(...plan.candidates.map(({ row: own }) => priceOf(own)));
    if (least !== Infinity && control.maxCost !== undefined) throw tooDear(dollarsOf(least), control.maxCost);
    throw firstError(plan.candidates.map(({ row: own }) => readFor(own)));
  }
  const instead = {
    on_context_too_long: usable(plan.instead.on_context_too_long),
    on_content_refusal: usable(plan.instead.on_content_refusal),
  };
  return {
    candidates,
    instead,
    terms: new Map(
      [...candidates, ...instead.on_context_too_long, ...instead.on_content_refusal].flatMap(({ row: own }) => {
        const found = readFor(own);
        return 'error' in found ? [] : [[own, found.terms]];
      }),
    ),
    repeat: repeatFor(parts, row, repeat),
  };
}

/** A candidate with the input as its model takes it; `row` and `by` are there where the request was routed. */
export interface InputCandidate<Input> extends Candidate {
  readonly input: Input;
  readonly by?: RouteCandidate['by'];
}

/** Whom a request may go to: where its model has routes, or its caller says something of the way, as `routeMedia` plans it; else by the row's own offers. */
export function mediaCandidates<Input>(
  parts: Parameters<typeof routeMedia>[0],
  input: Input,
  request: MediaRequest<Input>,
): RoutedMedia<Input> | { readonly candidates: readonly InputCandidate<Input>[] } {
  const { caller, row, control } = request;
  if (row.route !== undefined || control !== undefined) return routeMedia(parts, request);
  const offers = parts.router.order(offersFor(parts.catalogue(), row, caller.mode), row);
  return { candidates: offers.map((offer) => ({ offer, input })) };
}

function firstError(readings: readonly object[]): unknown {
  const [first] = readings;
  return first !== undefined && 'error' in first
    ? first.error
    : new GatewayError('unavailable', 'no vendor account can take the request at the moment', { taken: 'no' });
}

function mediaFacts(
  { key }: Caller,
  { text, inputs }: ReturnType<MediaRequest<unknown>['facts']>,
  tags: Readonly<Record<string, string>>,
  { at, region }: Pick<RequestFacts, 'at' | 'region'>,
): RequestFacts {
  return {
    key: key.name,
    group: key.group,
    region,
    at,
    tags: () => tags,
    inputTokens: () => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
    inputs: () => inputs,
  };
}

/** Counts a routed answer, and learns how long it took; `size` in what its prices and times are compared by. */
export function answered(
  { router, meter, now }: Pick<Parts, 'router' | 'meter' | 'now'>,
  asked: Pick<ModelRow, 'code' | 'wildcard'>,
  { offer, row, by }: Pick<MediaCandidate<unknown>, 'offer' | 'row' | 'by'>,
  took: { readonly since: number; readonly size: number } | undefined,
): void {
  if (took !== undefined) router.measure(offer, { totalMs: now() - took.since, tokens: took.size });
  meter.count('gateway_routed_requests_total', {
    model: asked.wildcard ?? asked.code,
    answered_by: row.wildcard ?? row.code,
    by,
  });
}
