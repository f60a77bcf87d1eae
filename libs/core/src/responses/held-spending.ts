/** Paying for an answer in the background: what is set aside was written down with the request, and is settled with its end. */
import type { Caller } from '../parts.ts';
import type { KeyRecord } from '../ports.ts';
import type { Charge, Spending } from '../money/spending.ts';
import type { Need } from '../money/wallet.ts';

/** What one answer has set aside. */
export interface Hold {
  /** A model is about to be asked. Throws when nobody may be. */
  readonly begin: () => Promise<void>;
  /** What its end is charged; undefined while nothing is. */
  bill: Charge | undefined;
}

export type HeldSpending = Pick<Spending, 'reserve'> & {
  /** A key that stands for the record's, with which this hold is drawn from. */
  bind(key: KeyRecord, hold: Hold): KeyRecord;
};

/** Makes the spending of answers in the background. */
export function createHeldSpending(): HeldSpending {
  const holds = new WeakMap<KeyRecord, Hold>();
  return {
    bind(key, hold) {
      const bound = { ...key };
      holds.set(bound, hold);
      return bound;
    },
    async reserve({ key }) {
      const hold = holds.get(key);
      if (hold === undefined) throw new Error('an answer in the background has nothing set aside');
      await hold.begin();
      return {
        charge(charge) {
          hold.bill = charge;
          return { charged: charge.units };
        },
        checkpoint: () => undefined,
        cancel: () => undefined,
      };
    },
  };
}

/** Thrown in place of a reservation: what would be set aside. */
export class Quoted extends Error {
  readonly need: Need;

  constructor(need: Need) {
    super('a quote is no request');
    this.need = need;
  }
}

/** Spending that tells what a request would set aside, and lets no vendor be asked. */
export const quotingSpending: Pick<Spending, 'reserve'> = {
  reserve(_caller: Caller, units) {
    throw new Quoted(typeof units === 'number' ? { most: units, least: units } : units);
  },
};
