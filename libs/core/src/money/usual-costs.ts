/** What requests of one key for a model usually cost, from those that ended last: how much is held for one of a payer with little money. */

/** Requests that are remembered, by model. */
const REMEMBERED = 128;
const MOST_MODELS = 64;
const SHARE = 0.99;
const MARGIN = 1.5;

interface Sample {
  readonly costs: number[];
  next: number;
  /** What `of` tells, reckoned when so many requests have ended as are worth the sorting. */
  usual: number;
}

/** While fewer have ended each of them may change much. */
const RECKONED_EVERY = 16;

/** The costs of one key's requests in one process. */
export class UsualCosts {
  private readonly samples = new Map<string, Sample>();

  /** A request for this model has cost so many quota units. */
  learn(model: string, units: number): void {
    let sample = this.samples.get(model);
    if (sample === undefined) {
      // Callers choose the models of a wildcard: what is remembered of them has an end.
      if (this.samples.size >= MOST_MODELS) this.samples.delete(this.samples.keys().next().value ?? '');
      this.samples.set(model, (sample = { costs: [], next: 0, usual: 0 }));
    }
    sample.costs[sample.next] = units;
    sample.next = (sample.next + 1) % REMEMBERED;
    if (sample.costs.length < RECKONED_EVERY || sample.next % RECKONED_EVERY === 0)
      sample.usual = usualOf(sample.costs);
  }

  /** What 99 of 100 requests for this model cost at most, with a margin; 0 where none has ended yet. */
  of(model: string): number {
    return this.samples.get(model)?.usual ?? 0;
  }
}

function usualOf(costs: readonly number[]): number {
  const sorted = costs.toSorted((a, b) => a - b);
  return Math.ceil((sorted[Math.ceil(sorted.length * SHARE) - 1] ?? 0) * MARGIN);
}
