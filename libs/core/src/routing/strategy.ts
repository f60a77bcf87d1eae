/** In which order those of one priority are tried (docs/guides/routing-load-balancing.md#strategies). Pure: what it remembers is passed in and given back. */
import { hash } from 'node:crypto';
import type { Strategy } from './route.ts';

/** What is known of an offer at this moment. */
export interface OfferView {
  /** Others should be asked first: it failed of late, or its budget is used up. */
  readonly cooling: boolean;
  /** It is the budget. */
  readonly isSpent?: boolean;
  /** Milliseconds since 1970; only of a cooling one. */
  readonly coolUntil: number;
  /** What it cools for, as callers may hear it. */
  readonly coolCause?: { readonly code: string; readonly message: string };
  /** Calls under way at its account. */
  readonly inFlight: number;
  /** How long it takes; absent while nothing is known. */
  readonly latency?: { readonly ms: number; readonly isFresh: boolean };
  /** Its account has no room for another call at this moment. */
  readonly isFull?: boolean;
}

/** Something that can be asked: an offer, or all offers of a model. */
export interface Choice<T> {
  readonly item: T;
  /** Stays the same from one request to the next. */
  readonly name: string;
  readonly priority: number;
  readonly weight: number;
  /** What it consists of; none when nobody can be asked. */
  readonly views: readonly OfferView[];
  /** US dollars for a usual million tokens. */
  readonly price: number;
}

export interface Arrangement<T> {
  readonly order: readonly T[];
  /** The name of the one that is preferred from now on; of `lowest_latency` only. */
  readonly favourite?: string;
}

/** Another one is preferred only when it takes less than this part of the favourite's time. */
const CLEARLY_FASTER = 0.8;

export interface Chances {
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
  readonly favourite?: string | undefined;
  /** What decides in place of chance: requests that have it in common find the same first choice, as long as it has room. */
  readonly affinity?: string | undefined;
}

/** Puts choices in order: by priority, then as the strategy says. `favourite` is what the last arrangement gave. */
export function arrange<T>(
  choices: readonly Choice<T>[],
  strategy: Strategy,
  { random, favourite, affinity }: Chances,
): Arrangement<T> {
  if (choices.length < 2) return { order: choices.map(({ item }) => item) };
  const drawn = choices.map((choice) => ({
    choice,
    // Weighted random order: the classic exponential keys; with a hash in place of chance it is rendezvous hashing.
    draw:
      -Math.log(1 - (affinity === undefined ? random() : chanceOf(affinity, choice.name))) /
      Math.max(choice.weight, 1e-9),
  }));
  const first = Math.min(...choices.map(({ priority }) => priority));
  const top = choices.filter(({ priority }) => priority === first);
  const preferred = strategy === 'lowest_latency' ? favouriteOf(top, favourite) : undefined;
  const scoreOf = (choice: Choice<T>): number =>
    affinity !== undefined && isFull(choice) ? 1 : scores[strategy](choice, preferred);
  const order = drawn
    .map((each) => ({ ...each, score: scoreOf(each.choice) }))
    .sort((a, b) => a.choice.priority - b.choice.priority || compare(a.score, b.score) || a.draw - b.draw)
    .map(({ choice }) => choice.item);
  return preferred === undefined ? { order } : { order, favourite: preferred };
}

/** 0 ≤ chance < 1, the same for the same texts in every process. */
function chanceOf(affinity: string, name: string): number {
  return Number.parseInt(hash('sha1', `${affinity}\n${name}`).slice(0, 12), 16) / 2 ** 48;
}

function isFull({ views }: Choice<unknown>): boolean {
  return views.length > 0 && views.every((view) => view.isFull === true);
}

/** Infinity is equal to itself. */
function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}

const scores: Readonly<Record<Strategy, (choice: Choice<unknown>, preferred: string | undefined) => number>> = {
  weighted: () => 0,
  least_busy: ({ views, weight }) => least(views.map(({ inFlight }) => inFlight)) / weight,
  cheapest: ({ price }) => price,
  lowest_latency: (choice, preferred) => {
    // One request at a time finds out how fast it is, or whether it still is: nobody is left out for ever.
    if (needsLook(choice)) return -1;
    return choice.name === preferred ? 0 : latencyOf(choice);
  },
};

/** Whether nothing is known of it, or nothing new, and nobody is finding out. */
function needsLook({ views }: Choice<unknown>): boolean {
  const well = views.filter(({ cooling }) => !cooling);
  return well.length > 0 && well.every(({ latency, inFlight }) => latency?.isFresh !== true && inFlight === 0);
}

function latencyOf({ views }: Choice<unknown>): number {
  return least(views.filter(({ cooling }) => !cooling).map(({ latency }) => latency?.ms ?? Infinity));
}

function least(numbers: readonly number[]): number {
  return numbers.length === 0 ? Infinity : Math.min(...numbers);
}

/** The one that was preferred, until another is clearly faster: measurements waver, and so would the choice. */
function favouriteOf(choices: readonly Choice<unknown>[], known: string | undefined): string | undefined {
  let best: Choice<unknown> | undefined;
  for (const choice of choices) if (best === undefined || latencyOf(choice) < latencyOf(best)) best = choice;
  if (best === undefined || latencyOf(best) === Infinity) return known;
  const kept = choices.find(({ name }) => name === known);
  return kept !== undefined && latencyOf(best) >= latencyOf(kept) * CLEARLY_FASTER ? known : best.name;
}
