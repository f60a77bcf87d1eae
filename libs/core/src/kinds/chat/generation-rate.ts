/** How fast vendor models usually generate: what a cut answer may have cost, where its vendor says no more. */
import type { Offer } from '../../catalogue.ts';

/** Of a model that no answer of this process has ended of: what models that think unseen do in a second. */
const USUAL_PER_SECOND = 100;
/** Vendors finish what they have begun, and no two answers are alike. */
const MARGIN = 1.25;
/** A faster answer counts at once, a slower one little by little: callers who read slowly slow their answer down. */
const WEIGHT_OF_FASTER = 0.5;
const WEIGHT_OF_SLOWER = 0.05;
/** Shorter answers tell the time to the first token alone. */
const FEWEST_TOKENS = 20;
/** Names of models may be the callers' choice. */
const MOST_MODELS = 1_000;

type Answering = Pick<Offer, 'account' | 'model'>;

/** Remembers, for one process, the output tokens in a second of each vendor model of an account: thoughts included, waiting for the first one too. */
export class GenerationRates {
  readonly #perSecond = new Map<string, number>();

  /** An answer that its vendor reported on. */
  measure(offer: Answering, outputTokens: number | undefined, ms: number): void {
    if (outputTokens === undefined || outputTokens < FEWEST_TOKENS || ms <= 0) return;
    const name = nameOf(offer);
    const [known, measured] = [this.#perSecond.get(name), (outputTokens * 1000) / ms];
    const weight = known === undefined ? 1 : measured > known ? WEIGHT_OF_FASTER : WEIGHT_OF_SLOWER;
    const next = (known ?? 0) + weight * (measured - (known ?? 0));
    if (known === undefined && this.#perSecond.size >= MOST_MODELS) {
      const [oldest] = this.#perSecond.keys();
      if (oldest !== undefined) this.#perSecond.delete(oldest);
    }
    this.#perSecond.set(name, next);
  }

  /** How many output tokens the model may have generated in so many milliseconds. */
  generatedIn(offer: Answering, ms: number): number {
    const perSecond = this.#perSecond.get(nameOf(offer)) ?? USUAL_PER_SECOND;
    return Math.ceil((perSecond * MARGIN * Math.max(0, ms)) / 1000);
  }
}

function nameOf({ account, model }: Answering): string {
  return `${account.id} ${model}`;
}
