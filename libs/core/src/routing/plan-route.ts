/**
 * Plans a request: an ordered list of offers over accounts and models. Requests, `explain` and the
 * simulator all use it. Pure: depends only on the catalogue, the facts of the request, the state of the offers, and a random number.
 */
import type { ModelRow, Offer } from '../catalogue.ts';
import { unmet, type RequestFacts } from './condition.ts';
import { FALLBACK_CAUSES, type Affinity, type FallbackCause, type Route, type Strategy } from './route.ts';
import { arrange, type Choice, type OfferView } from './strategy.ts';

/** An offer, and the row by which it is priced. */
export interface RouteCandidate {
  readonly row: ModelRow;
  readonly offer: Offer;
  /** How the request came to this model. */
  readonly by: 'own' | 'route' | FallbackCause;
  /** What decided its position. */
  readonly strategy: Strategy;
  /** What replaced the random choice among them. */
  readonly affinity?: Affinity;
}

export interface RoutePlan {
  /** In the order to ask them: what failed at one may be answered by the next. */
  readonly candidates: readonly RouteCandidate[];
  /** The candidates to use instead when a vendor finds the input too long or refuses its content. */
  readonly instead: Readonly<Record<Exclude<FallbackCause, 'on_error'>, readonly RouteCandidate[]>>;
  /** What the strategies prefer from now on, by model code. */
  readonly favourites: ReadonlyMap<string, string>;
}

/** Why a model or an offer has its place, or none; for people. */
export interface RouteNote {
  readonly model: string;
  /** The account's name, where it is about one. */
  readonly account?: string;
  readonly isLeftOut: boolean;
  readonly reason: string;
}

export interface RouteSituation {
  readonly rowOf: (code: string) => ModelRow | undefined;
  /** Those that this request may use; none where no account is on. */
  readonly offersOf: (row: ModelRow) => readonly Offer[];
  readonly facts: RequestFacts;
  readonly view: (offer: Offer) => OfferView;
  /** What the last plan preferred, by model code. */
  readonly favouriteOf: (code: string) => string | undefined;
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
  /** The first model and no other. */
  readonly noFallback?: boolean;
  /** What this request may cost by a row's price, for `cheapest`; a usual one when absent. */
  readonly priceOf?: (row: ModelRow) => number;
  readonly note?: (note: RouteNote) => void;
}

/** Candidates of one list: a request is written once for each. */
const MOST_CANDIDATES = 16;
/** The candidates of one model, before those that are cooling down are moved to the end. */
const MOST_BELOW = 64;
/** Routes that lead to routes; more is a fault of the configuration. */
export const DEEPEST_ROUTE = 8;
const PLAIN: Route = { targets: [], strategy: 'weighted', fallbacks: {} };

/** Plans a request for this row. The plan is empty when nobody can be asked. */
export function planRoute(row: ModelRow, situation: RouteSituation): RoutePlan {
  const favourites = new Map<string, string>();
  const walk: Walk = { ...situation, favourites, met: new Map(), expanded: new Map() };
  const main = inTurn(walk, expand(walk, row, 'own', 0));
  const first = main[0]?.row;
  const only = (list: readonly RouteCandidate[]): readonly RouteCandidate[] =>
    situation.noFallback === true ? list.filter(({ row: { code } }) => code === first?.code) : list;
  return {
    candidates: only(main).slice(0, MOST_CANDIDATES),
    instead: {
      on_context_too_long: only(inTurn(walk, fallbacksOf(walk, 'on_context_too_long'))).slice(0, MOST_CANDIDATES),
      on_content_refusal: only(inTurn(walk, fallbacksOf(walk, 'on_content_refusal'))).slice(0, MOST_CANDIDATES),
    },
    favourites,
  };
}

interface Walk extends RouteSituation {
  readonly favourites: Map<string, string>;
  /** Models that a request may come to by routes alone, in the order they were met: their own fallbacks count. */
  readonly met: Map<string, ModelRow>;
  /** By how they were come to and their codes: rows are met more than once where routes join again. */
  readonly expanded: Map<string, readonly RouteCandidate[]>;
}

/** The candidates of a model, computed once. */
function expand(walk: Walk, row: ModelRow, by: RouteCandidate['by'], depth: number): readonly RouteCandidate[] {
  const name = `${by} ${row.code}`;
  const known = walk.expanded.get(name);
  if (known !== undefined) return known;
  const found = distinct(expandAnew(walk, row, by, depth)).slice(0, MOST_BELOW);
  walk.expanded.set(name, found);
  return found;
}

/** A row's candidates: those of the targets that fit, or its own; behind them, for a model that is no fallback itself, its fallbacks. */
function expandAnew(walk: Walk, row: ModelRow, by: RouteCandidate['by'], depth: number): readonly RouteCandidate[] {
  const route = row.route ?? PLAIN;
  if (!isFallback(by)) walk.met.set(row.code, row);
  const fitting = depth < DEEPEST_ROUTE ? targetsFor(walk, row, route) : [];
  const candidates =
    fitting.length === 0
      ? ownCandidates(walk, row, by)
      : chosen(
          walk,
          row,
          fitting.map(({ target, row: next }) => {
            const below = expand(walk, next, isFallback(by) ? by : 'route', depth + 1);
            return {
              ...choiceOf(walk, below, next),
              // Of the models it leads to, this row's strategy chose: what chose among their accounts says less.
              item: below.map((each) => (each.row === next && each.by === 'route' ? chosenBy(route, each) : each)),
              priority: target.priority,
              weight: target.weight,
            };
          }),
        ).flat();
  if (isFallback(by)) return candidates;
  return [...candidates, ...fallbackCandidates(walk, row, 'on_error', depth)];
}

function chosenBy({ strategy, affinity }: Route, { affinity: _own, ...candidate }: RouteCandidate): RouteCandidate {
  return { ...candidate, strategy, ...(affinity !== undefined && { affinity }) };
}

/** The targets that a request fits; those without a condition are for requests that fit no other. */
function targetsFor(walk: Walk, { code }: ModelRow, { targets }: Route) {
  const found = targets.flatMap((target) => {
    const row = walk.rowOf(target.model);
    const reason = target.when === undefined ? undefined : unmet(target.when, walk.facts);
    if (row === undefined || reason !== undefined) {
      walk.note?.({ model: target.model, isLeftOut: true, reason: reason ?? 'there is no such model' });
      return [];
    }
    return [{ target, row }];
  });
  const special = found.filter(({ target }) => target.when !== undefined);
  if (special.length === 0) return found;
  for (const { target } of found) {
    if (target.when === undefined)
      walk.note?.({ model: target.model, isLeftOut: true, reason: `another route of ${code} is for such requests` });
  }
  return special;
}

function ownCandidates(walk: Walk, row: ModelRow, by: RouteCandidate['by']): readonly RouteCandidate[] {
  const offers = walk.offersOf(row);
  if (offers.length === 0) walk.note?.({ model: row.code, isLeftOut: true, reason: 'no account can be asked for it' });
  const { strategy, affinity } = row.route ?? PLAIN;
  const place = { row, by, strategy, ...(affinity !== undefined && { affinity }) };
  return chosen(
    walk,
    row,
    offers.map((offer) => ({ ...offerChoice(offer, walk.view(offer)), item: { ...place, offer } })),
  );
}

function offerChoice(offer: Offer, view: OfferView): Choice<Offer> {
  const { account, model, priority, weight } = offer;
  return { item: offer, name: `${account.id} ${model}`, priority, weight, views: [view], price: 0 };
}

/** A model's own offers in the order of its strategy, those that are cooling down last. Used if no route is planned. */
export function ownOrder(
  offers: readonly Offer[],
  strategy: Strategy,
  { view, random }: Pick<RouteSituation, 'view' | 'random'>,
): readonly Offer[] {
  if (offers.length < 2) return offers;
  const choices = offers.map((offer) => {
    const seen = view(offer);
    return { ...offerChoice(offer, seen), item: { offer, seen } };
  });
  return coolingLast(arrange(choices, strategy, { random }).order, ({ seen }) => seen).map(({ offer }) => offer);
}

/** Those that cool behind the others, the one that is due first before the rest. */
function coolingLast<T>(items: readonly T[], viewOf: (item: T) => OfferView): readonly T[] {
  return items
    .map((item) => {
      const { cooling, coolUntil } = viewOf(item);
      return { item, due: cooling ? coolUntil : 0 };
    })
    .sort((left, right) => left.due - right.due)
    .map(({ item }) => item);
}

/** In the order of the row's strategy, which remembers what it prefers. */
function chosen<T>(walk: Walk, { code, route }: ModelRow, choices: readonly Choice<T>[]): readonly T[] {
  const { order, favourite } = arrange(choices, route?.strategy ?? 'weighted', {
    random: walk.random,
    favourite: walk.favouriteOf(code),
    affinity: route?.affinity === undefined ? undefined : walk.facts.prefix?.(),
  });
  if (favourite !== undefined) walk.favourites.set(code, favourite);
  return order;
}

function choiceOf(walk: Walk, below: readonly RouteCandidate[], { code }: ModelRow) {
  // Its own fallbacks do not speak for it.
  const own = below.filter(({ by }) => by !== 'on_error');
  return {
    item: below,
    name: code,
    views: own.map(({ offer }) => walk.view(offer)),
    price: Math.min(...own.map(({ row }) => (walk.priceOf ?? usualPrice)(row))),
  };
}

/** Every row that a request for this one may come to, itself among them, whatever the request is. */
export function modelsBelow(row: ModelRow, rowOf: (code: string) => ModelRow | undefined): readonly ModelRow[] {
  // Of a model that is a fallback, its own fallbacks do not count; they do where it is met by routes as well.
  const met = { byRoutes: new Map<string, ModelRow>(), byFallbacks: new Map<string, ModelRow>() };
  const walk = (each: ModelRow, way: keyof typeof met): void => {
    if (met[way].has(each.code)) return;
    met[way].set(each.code, each);
    const { targets, fallbacks } = each.route ?? PLAIN;
    const follow = (codes: readonly string[], next: keyof typeof met): void => {
      for (const code of codes) {
        const found = rowOf(code);
        if (found !== undefined) walk(found, next);
      }
    };
    follow(
      targets.map(({ model }) => model),
      way,
    );
    if (way === 'byRoutes') for (const cause of FALLBACK_CAUSES) follow(fallbacks[cause] ?? [], 'byFallbacks');
  };
  walk(row, 'byRoutes');
  return [...new Map([...met.byFallbacks, ...met.byRoutes]).values()];
}

/** Of a request that reads three times what it writes, or of one picture, second or video: for comparison within a kind only. */
export function usualPrice({ price }: Pick<ModelRow, 'price'>): number {
  const { input = 0, output = price.output_tokens ?? 0, image = 0, second = 0, video = 0, character = 0 } = price;
  return (3 * input + output) / 4 + image + second + video + character;
}

function isFallback(by: RouteCandidate['by']): by is FallbackCause {
  return FALLBACK_CAUSES.some((cause) => cause === by);
}

function fallbackCandidates(walk: Walk, row: ModelRow, cause: FallbackCause, depth = 0): readonly RouteCandidate[] {
  return (row.route?.fallbacks[cause] ?? []).flatMap((code) => {
    const next = walk.rowOf(code);
    return next === undefined ? [] : expand(walk, next, cause, depth + 1);
  });
}

function fallbacksOf(walk: Walk, cause: FallbackCause): readonly RouteCandidate[] {
  return [...walk.met.values()].flatMap((row) => fallbackCandidates(walk, row, cause));
}

/** Each offer once. */
function distinct(candidates: readonly RouteCandidate[]): readonly RouteCandidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ offer: { account, model } }) => {
    const name = `${account.id} ${model}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** Each offer once; those that cool last. */
function inTurn(walk: Walk, candidates: readonly RouteCandidate[]): readonly RouteCandidate[] {
  return coolingLast(distinct(candidates), ({ row, offer, by }) => {
    const view = walk.view(offer);
    if (walk.note !== undefined) {
      const reason = byWords(by) + stateWords(view);
      walk.note({ model: row.code, account: offer.account.name, isLeftOut: false, reason });
    }
    return view;
  });
}

/** Why others are asked before it, and until when. */
function stateWords({ cooling, coolUntil, isSpent, coolCause }: OfferView): string {
  if (!cooling) return '';
  const until = ` until ${new Date(coolUntil).toISOString()}`;
  if (isSpent === true) return `; its budget is used up${until}`;
  return `; it cools${until}${coolCause === undefined ? '' : `, after ${coolCause.code}: ${coolCause.message}`}`;
}

function byWords(by: RouteCandidate['by']): string {
  if (by === 'own') return 'the model that was asked for';
  return by === 'route' ? 'a route leads to it' : `a fallback, ${by}`;
}
