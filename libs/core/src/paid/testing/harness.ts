/** What tests of paid requests stand on: the real router and the real spending over a real store, watched. Not part of the product. */
import type { Catalogue, ModelRow } from '../../catalogue.ts';
import { createSpending, type Spending } from '../../money/spending.ts';
import type { Reservation } from '../../ports.ts';
import type { Caller, Log } from '../../parts.ts';
import type { KeyRecord, Store } from '../../ports.ts';
import { createRouter, type Router, type Slot } from '../../routing.ts';
import { accountOf, offerOf } from '../../routing/testing/accounts.ts';
import type { PaidParts } from '../paid-request.ts';

export const START = 1_790_000_000_000;
/** A log that nobody reads. */
export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface Watched {
  readonly parts: PaidParts;
  readonly router: Router;
  readonly spending: Spending;
  /** What became of every slot, in the order they were taken: `succeed`, `fail` and `release`, each time it was said. */
  readonly slots: string[][];
  /** What became of every reservation: `charge <units>` or `cancel`. */
  readonly reservations: string[][];
  readonly pauses: number[];
  pass(ms: number): void;
}

/** Watches what a runner does with a router and a spending of its own; `store` is shared by many. */
export function watch(store: Store, row: ModelRow, { overdraft = 0 } = {}): Watched {
  let time = START;
  const router = createRouter({ now: () => time, random: () => 0.5 });
  const spending = createSpending({
    ledger: store.ledger,
    owners: store.owners,
    now: () => time,
    log: quiet,
    process: 'runner',
    overdraft,
    graceMs: 0,
    pause: async () => undefined,
  });
  const slots: string[][] = [];
  const reservations: string[][] = [];
  const pauses: number[] = [];
  const catalogue: Catalogue = {
    models: new Map([[row.code, row]]),
    accounts: row.offers.map(({ account }) => account),
    priceVersion: 'test',
    groupFactors: {},
    twinOnly: false,
  };
  const watchedSlot = (slot: Slot): Slot => {
    const said: string[] = [];
    slots.push(said);
    return {
      trial: slot.trial,
      succeed() {
        said.push('succeed');
        slot.succeed();
      },
      fail(error) {
        said.push('fail');
        slot.fail(error);
      },
      release() {
        said.push('release');
        slot.release();
      },
    };
  };
  const watchedReservation = (reservation: Reservation): Reservation => {
    const said: string[] = [];
    reservations.push(said);
    return {
      charge(charge) {
        said.push(`charge ${charge.units}`);
        return reservation.charge(charge);
      },
      cancel() {
        said.push('cancel');
        reservation.cancel();
      },
      checkpoint: (soFar) => reservation.checkpoint(soFar),
    };
  };
  const parts: PaidParts = {
    catalogue: () => catalogue,
    log: quiet,
    meter: { count: () => undefined, observe: () => undefined, series: () => () => undefined },
    pause: async (ms) => void pauses.push(ms),
    router: watchedRouter(router, watchedSlot),
    spending: {
      reserve(caller, units) {
        const reserving = spending.reserve(caller, units);
        return reserving instanceof Promise ? reserving.then(watchedReservation) : watchedReservation(reserving);
      },
    },
  };
  return { parts, router, spending, slots, reservations, pauses, pass: (ms) => void (time += ms) };
}

/** The router itself but for its slots, which are watched. */
function watchedRouter(router: Router, watchedSlot: (slot: Slot) => Slot): Router {
  const acquire: Router['acquire'] = (offer, waiting) => {
    const acquiring = router.acquire(offer, waiting);
    return acquiring instanceof Promise ? acquiring.then(watchedSlot) : watchedSlot(acquiring);
  };
  return Object.assign(Object.create(router) as Router, { acquire });
}

/** A row at one quota unit a picture, with an offer of an own account each. */
export function pictureRow(offers: number): ModelRow {
  return {
    code: 'm',
    kind: 'image',
    description: '',
    price: { image: 1 / 500_000 },
    voices: [],
    limits: {},
    created: 0,
    offers: Array.from({ length: offers }, (_, index) => offerOf(accountOf(index + 1, 2), { priority: index + 1 })),
  };
}

/** An owner with this many quota units, and their calls. */
export async function payer(store: Store, balance: number): Promise<(signal: AbortSignal) => Caller> {
  const owner = await store.owners.create({ name: 'o', group: 'default', creditLimit: 0 }, START);
  await store.ledger.topUp(owner.id, balance, {}, START);
  const key = { id: owner.id, ownerId: owner.id, mode: 'live', group: 'default', limits: {} } as unknown as KeyRecord;
  let serial = 0;
  return (signal) => ({ key, mode: 'live', requestId: `r-${owner.id}-${++serial}`, signal });
}
