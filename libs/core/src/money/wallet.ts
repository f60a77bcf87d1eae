/**
 * How one payer's requests come by money in one process: from a lease that many draw from, from one of their own that the ledger knows
 * before the vendor is asked, or one after the other when money is short.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { LeaseRequest, LedgerStore, Need, Payer } from '../ports.ts';
import type { Journal } from './journal.ts';
import { LEASE_MS, LeaseBook, payableFrom, type MoneyRequest, type Draw, type Lease } from './lease-book.ts';
import type { Turns } from './turns.ts';
import { isMoneyRefusal, periodOf } from './spend-scopes.ts';
import type { UsualCosts } from './usual-costs.ts';

const FIRST_REQUESTS = 20;
const MOST_REQUESTS = 20_000;
const QUICK_MS = 10_000;
/** Below this share of a lease the next one is fetched while requests go on. */
const LOW_SHARE = 0.4;
/** Of what is there one process takes a quarter at a time; the others find the rest. */
const SHARE = 0.25;
const REFUSED_FRESH_MS = 250;
/** After a refusal nothing is fetched ahead for a while. */
const CAREFUL_MS = 1_000;
/** A refusal is asked again once: what others are just giving back may be enough. */
const SECOND_LOOK_MS = 60;
/** How often a request that waits for others looks whether another replica has let go, and how often at most. */
const LOOK_MS = 250;
const MOST_LOOKS = 40;
const MOST_WAIT_MS = LOOK_MS * MOST_LOOKS;
const MOST_ROUNDS = 1_000;

/** When a request is not trusted to memory: it has a lease of its own, which the database knows before the vendor is asked. */
export interface Durability {
  /** Worst cases from here on, quota units. */
  readonly above: number;
  /** Payers who have less than this many worst cases left. */
  readonly worstCases: number;
}

export interface WalletOptions {
  readonly payer: Payer;
  readonly ledger: Pick<LedgerStore, 'lease' | 'recallLeases' | 'extendLease' | 'closeLease'>;
  readonly journal: Pick<Journal, 'note' | 'noted' | 'flush'>;
  readonly now: () => number;
  readonly process: string;
  readonly durability: Durability;
  /** How far one owner's requests together may cost more than there is, counted over all processes. */
  readonly overdraft: number;
  /** Shared by the wallets of one owner. */
  readonly turns: Turns;
  /** Shared by the wallets of one key. */
  readonly usualCosts: UsualCosts;
  /** Gives back what others hold here of the same money and do not use. */
  readonly recallOthers: () => void;
  readonly warn: (error: unknown, message: string) => void;
  /** Controlled time for tests. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface Wallet {
  readonly payer: Payer;
  /** Draws what is asked for from a lease that has it; undefined when the ledger must be asked. */
  take(asked: MoneyRequest): Draw | undefined;
  /** Asks the ledger; waits while other requests of the payer stand in the way; throws `insufficient_quota`. */
  fetch(asked: MoneyRequest, signal: AbortSignal): Promise<Draw>;
  /** For a payer without any cap: writes down what is in flight, takes no money, waits for nothing. */
  record(asked: MoneyRequest): Draw;
  /** What requests for this model have usually cost; 0 while that is unknown. */
  usual(model: string): number;
  /** What a request for this model has cost. */
  learn(model: string, units: number): void;
  /** How much of `units` the draw's lease can pay: all of the draw, and what nobody has set aside; what the overdraft covers is no part of it. */
  payable(draw: Draw, units: number): number;
  /** More has come of the request: what it would be charged if it were cut off now is reckoned and written with the ledger's next batch. */
  checkpoint(draw: Draw, soFar: () => number | undefined): void;
  /** Takes `paid` for good and gives the rest of the draw back to its lease. */
  settle(draw: Draw, paid: number): void;
  /** Renews leases in use, gives idle ones back. Called every second or so; never throws. */
  tend(): Promise<void>;
  /** Gives back what others ask for, as soon as nothing draws from it. */
  recall(leaseIds?: ReadonlySet<number>): void;
  /** Takes no more and gives everything back, each lease when nothing draws from it any more. */
  retire(): Promise<void>;
  /** No lease is left. */
  isEmpty(): boolean;
}

/** Makes the wallet of one payer. */
export function createWallet(options: WalletOptions): Wallet {
  const { payer, ledger, journal, now, process, durability, overdraft, turns, usualCosts, recallOthers } = options;
  const { warn, pause } = options;
  let opening: Promise<void> | undefined;
  let waiting = 0;
  let requests = FIRST_REQUESTS;
  let openedAt = -Infinity;
  let refused: { readonly error: GatewayError; readonly least: number; readonly at: number } | undefined;
  /** The largest request that the payer's money was last known to be plenty for. */
  let plentyFor = Infinity;
  const closed = (): void => {
    refused = undefined;
  };
  const book = new LeaseBook({ periodMs: periodOf(payer), ledger, journal, now, turns, closed, warn });

  /** A lease that more than the asking request may use, as far as the payer has plenty; undefined when others stand in the way. */
  const open = async (
    { most, least, usual }: Pick<MoneyRequest, 'most' | 'least' | 'usual'>,
    ahead = false,
  ): Promise<Lease | undefined> => {
    requests =
      now() - openedAt < QUICK_MS
        ? Math.min(MOST_REQUESTS, requests * 4)
        : Math.max(FIRST_REQUESTS, Math.floor(requests / 2));
    openedAt = now();
    const expiresAt = now() + LEASE_MS;
    const period = book.periodAt(now());
    const isLarge = most >= durability.above;
    const ask: LeaseRequest = {
      want: Math.min(Number.MAX_SAFE_INTEGER, most * Math.max(requests, waiting)),
      enough: most,
      share: SHARE,
      sharedFrom: isLarge ? Infinity : most * durability.worstCases,
      atLeast: least,
      overdraft,
      usual,
      ahead,
      process,
      ttlMs: LEASE_MS,
    };
    const granted = await turns.inLine(() => ledger.lease(payer, ask, now()));
    if (granted === undefined) return undefined;
    const { id, amount, overdraft: risk, available, shared, careful } = granted;
    plentyFor = Math.floor(available / durability.worstCases);
    const largest = shared ? Math.min(plentyFor, durability.above - 1) : -1;
    refused = undefined;
    return book.keep(
      { id, amount, overdraft: risk, largest, forOne: !shared, isTab: false, careful, period, expiresAt },
      Math.min(most, amount + risk),
    );
  };
  const refuse = (error: unknown, least: number): void => {
    if (isRefusal(error)) refused = { error, least, at: now() };
  };
  const throwIfRefused = ({ least }: Need): void => {
    if (refused !== undefined && refused.least <= least && now() - refused.at < REFUSED_FRESH_MS) throw refused.error;
  };
  const openInsisting = async (need: MoneyRequest): Promise<Lease | undefined> => {
    try {
      return await open(need);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await ledger.recallLeases(payer, process);
      recallOthers();
      await pause(SECOND_LOOK_MS);
      try {
        return await open(need);
      } catch (second) {
        refuse(second, need.least);
        throw second;
      }
    }
  };
  /** One shared lease at a time: who comes meanwhile looks at what was brought first. */
  const begin = async (asked: MoneyRequest): Promise<Draw | undefined> => {
    let drawn: Draw | undefined;
    opening = openInsisting(asked)
      .then((lease) => {
        drawn = lease === undefined ? undefined : book.draw(lease, asked, now());
      })
      .finally(() => {
        opening = undefined;
      });
    await opening;
    return drawn;
  };

  /** Asks for the next lease while requests go on; what cannot be had now is asked for again when it is needed. */
  const fetchAhead = (units: number, time: number): void => {
    if (opening !== undefined || (refused !== undefined && time - refused.at < CAREFUL_MS)) return;
    let left = 0;
    let largest = 0;
    for (const lease of book.leases()) {
      if (!book.isUsable(lease, time)) continue;
      left += lease.left;
      largest = Math.max(largest, lease.amount);
    }
    if (left >= largest * LOW_SHARE) return;
    opening = open({ most: units, least: units, usual: 0 }, true)
      .then((lease) => {
        if (lease?.forOne === true) book.giveBackSoon(lease);
      })
      .catch((error: unknown) => refuse(error, units))
      .finally(() => {
        opening = undefined;
      });
  };

  const take = (asked: MoneyRequest): Draw | undefined => {
    const time = now();
    const lease = book.find(asked.most, time);
    if (lease === undefined || lease.careful) return undefined;
    const drawn = book.draw(lease, asked, time);
    if (lease.left < lease.amount * LOW_SHARE) fetchAhead(asked.most, time);
    return drawn;
  };
  /** From a lease that nothing may draw from before the ledger knows. */
  const takeCarefully = async (asked: MoneyRequest): Promise<Draw | undefined> => {
    const time = now();
    const lease = book.find(asked.most, time);
    if (lease === undefined) return undefined;
    const drawn = book.draw(lease, asked, time);
    if (lease.careful) {
      try {
        await journal.noted(lease.exposure);
      } catch (error) {
        book.settle(drawn, 0);
        throw error;
      }
    }
    return drawn;
  };

  /** Puts back what small leases still hold: it may be all there is. */
  const giveIdleBack = async (): Promise<void> => {
    await Promise.all(
      book
        .leases()
        .filter(({ inFlight }) => inFlight.size === 0)
        .map((lease) => book.giveBack(lease)),
    );
    for (const lease of book.leases()) lease.retired = true;
  };
  const drawAlone = async (asked: MoneyRequest): Promise<Draw | undefined> => {
    const lease = await openInsisting(asked);
    return lease === undefined ? undefined : book.draw(lease, asked, now());
  };
  /** What is left is less than this and the payer's other requests may cost: they run one after the other. */
  const waitForRoom = async (asked: MoneyRequest, signal: AbortSignal, since: number): Promise<Draw> => {
    for (let looks = 0; looks < MOST_LOOKS && now() - since < MOST_WAIT_MS; looks++) {
      throwIfRefused(asked);
      await giveIdleBack();
      recallOthers();
      const drawn = await drawAlone(asked);
      if (drawn !== undefined) return drawn;
      if (looks === 0) await ledger.recallLeases(payer, process);
      await turns.woken(pause(LOOK_MS));
      if (signal.aborted) throw new GatewayError('unavailable', 'the caller has hung up');
    }
    throw new GatewayError(
      'insufficient_quota',
      'Other running requests hold the rest of the balance, or of a spend limit; wait for them to end, or raise it.',
    );
  };

  const look = async (asked: MoneyRequest, signal: AbortSignal): Promise<Draw> => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const taken = await takeCarefully(asked);
      if (taken !== undefined) return taken;
      throwIfRefused(asked);
      const isAlone = asked.most > plentyFor || asked.most >= durability.above;
      if (opening !== undefined && !isAlone) {
        await opening.catch(() => undefined);
        continue;
      }
      if (!turns.isWanted(payer.keyId)) {
        const drawn = isAlone ? await drawAlone(asked) : await begin(asked);
        if (drawn !== undefined) return drawn;
      }
      const since = now();
      return turns.run(payer.keyId, () => waitForRoom(asked, signal, since));
    }
    throw new GatewayError('unavailable', 'too many requests want this balance at once; try again', {
      retryAfterSeconds: 1,
    });
  };

  /** The lease without money of a payer without any cap; nobody waits for it. */
  let tab: Lease | undefined;
  const openTab = (time: number): Lease => {
    const period = book.periodAt(now());
    const expiresAt = time + LEASE_MS;
    const of = { overdraft: 0, largest: -1, forOne: false, isTab: true, careful: false } as const;
    const opened = book.keep({ id: 0, amount: Infinity, ...of, period, expiresAt }, 0);
    ledger.lease(payer, { want: 0, atLeast: 0, process, ttlMs: LEASE_MS }, time).then(
      (granted) => {
        opened.id = opened.exposure.id = granted?.id ?? 0;
        journal.note(opened.exposure);
      },
      (error: unknown) => {
        opened.retired = true;
        warn(error, 'what is in flight cannot be written down');
      },
    );
    return opened;
  };

  return {
    payer,
    take,
    async fetch(asked, signal) {
      waiting++;
      try {
        return await look(asked, signal);
      } finally {
        waiting--;
      }
    },
    record(asked) {
      const time = now();
      if (tab === undefined || !book.isUsable(tab, time)) tab = openTab(time);
      return book.draw(tab, asked, time);
    },
    usual: (model) => usualCosts.of(model),
    payable: payableFrom,
    learn: (model, units) => usualCosts.learn(model, units),
    checkpoint: (draw, soFar) => book.checkpoint(draw, soFar),
    settle: (draw, paid) => book.settle(draw, paid),
    tend: () => book.tend(),
    recall(leaseIds) {
      for (const lease of book.leases()) if (leaseIds?.has(lease.id) ?? true) book.giveBackSoon(lease);
    },
    async retire() {
      await Promise.all(book.leases().map((lease) => book.giveBack(lease)));
    },
    isEmpty: () => book.leases().length === 0,
  };
}

function isRefusal(error: unknown): error is GatewayError {
  return error instanceof GatewayError && isMoneyRefusal(error.code);
}
