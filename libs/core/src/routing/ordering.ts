/** In which order offers are tried. */
import type { Offer } from '../catalogue.ts';

/** What is known of an offer's account at this moment. */
export interface Standing {
  readonly cooling: boolean;
  /** Milliseconds since 1970; only of a cooling one. */
  readonly coolUntil: number;
}

/** Well ones by priority and then by weighted chance, behind them cooling ones, the one that is due first before the others. */
export function inOrder(
  offers: readonly Offer[],
  standingOf: (offer: Offer) => Standing,
  random: () => number,
): readonly Offer[] {
  if (offers.length === 1) return offers;
  return offers
    .map((offer) => {
      const { cooling, coolUntil } = standingOf(offer);
      // Weighted random order: the classic exponential keys.
      const draw = -Math.log(1 - random()) / Math.max(offer.weight, 1e-9);
      return { offer, due: cooling ? coolUntil : 0, draw };
    })
    .sort((a, b) => a.due - b.due || a.offer.priority - b.offer.priority || a.draw - b.draw)
    .map(({ offer }) => offer);
}
