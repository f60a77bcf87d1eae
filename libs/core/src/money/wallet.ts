/**
 * One payer's money in one process: leases taken from the ledger, spent in memory, topped up before they run out, given back when
 * nothing draws from them any more or when another process asks for them.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { LeaseRequest, LedgerStore, Payer } from '../ports.ts';
import type { Exposure, Journal } from './journal.ts';
import type { Turns } from './turns.ts';

const LEASE_MS = 60_000;
/** A lease with less time than this is not spent from: its last charges must be journalled before it expires. */
const SAFE_MS = 15_000;
/** Idle money goes back to the others. */
const IDLE_MS = 10_000;
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
const DAY_MS = 86_400_000;
const MOST_ROUNDS = 1_000;
/** A stream's checkpoint is this part of its reservation old at most: what came since is covered by as much again. */
const CHECKPOINT_MARGIN = 1 / 32;

export interface Lease {
  /** 0 while it is being asked for (a tab only). */
  id: number;
  readonly amount: number;
  /** The UTC day it was taken on: its money counts in that day's caps. */
  readonly day: number;
  /** Requests that may cost more than this do not draw from it: each has a lease of its own. */
  readonly largest: number;
  /** For one request: closed with it. */
  readonly forOne: boolean;
  /** Without money, of a payer without any cap: it only says what is in flight. */
  readonly isTab: boolean;
  /** Nothing draws from it that the ledger does not know of. */
  readonly careful: boolean;
  left: number;
  /** By this process's clock, from before the lease was asked for: never later than the database's. */
  expiresAt: number;
  inFlight: number;
  retired: boolean;
  closing: Promise<void> | undefined;
  readonly exposure: Exposure;
}

/** What one request may cost. */
export interface Need {
  /** Its price if it uses all it may. */
  readonly most: number;
  /** It is not begun with less: what it costs for certain. */
  readonly least: number;
}

/** Money set aside for one request. */
export interface Draw {
  readonly lease: Lease;
  /** As much as the request may cost, or all there was. */
  readonly units: number;
  /** What would be charged if the process died now. */
  risk: number;
}

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
  /** Shared by the wallets of one owner. */
  readonly turns: Turns;
  /** Gives back what this owner's other keys hold here and do not use. */
  readonly recallOthers: () => void;
  readonly warn: (error: unknown, message: string) => void;
  /** Controlled time for tests. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface Wallet {
  readonly payer: Payer;
  /** Draws `units` from a lease that has them; undefined when the ledger must be asked. */
  take(units: number): Draw | undefined;
  /** Asks the ledger; waits while other requests of the payer stand in the way; throws `insufficient_quota`. */
  fetch(need: Need, signal: AbortSignal): Promise<Draw>;
  /** For a payer without any cap: writes down what is in flight, takes no money, waits for nothing. */
  jot(units: number): Draw;
  /** How much of `units` the draw's lease can pay: all of the draw, and what nobody has set aside. */
  payable(draw: Draw, units: number): number;
  /** What the request would be charged if it were cut off now; the ledger knows it with its next batch. */
  checkpoint(draw: Draw, units: number): void;
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
  const { payer, ledger, journal, now, process, durability, turns, recallOthers, warn, pause } = options;
  const capped = payer.limits.spendPerDay !== undefined || payer.limits.spendPerMonth !== undefined;
  let leases: Lease[] = [];
  let opening: Promise<void> | undefined;
  let waiting = 0;
  let requests = FIRST_REQUESTS;
  let openedAt = -Infinity;
  let usedAt = now();
  let refused: { readonly error: GatewayError; readonly least: number; readonly at: number } | undefined;
  /** The largest request that the payer's money was last known to be plenty for. */
  let plentyFor = Infinity;

  const keep = (
    lease: Pick<Lease, 'id' | 'amount' | 'largest' | 'forOne' | 'isTab' | 'careful' | 'day' | 'expiresAt'>,
    written: number,
  ): Lease => {
    const kept: Lease = {
      ...lease,
      left: lease.amount,
      inFlight: 0,
      retired: false,
      closing: undefined,
      exposure: { id: lease.id, units: 0, written },
    };
    leases.push(kept);
    return kept;
  };
  /** A lease that more than the asking request may use, as far as the payer has plenty; undefined when others stand in the way. */
  const open = async ({ most, least }: Need, ahead = false): Promise<Lease | undefined> => {
    requests =
      now() - openedAt < QUICK_MS
        ? Math.min(MOST_REQUESTS, requests * 4)
        : Math.max(FIRST_REQUESTS, Math.floor(requests / 2));
    openedAt = now();
    const expiresAt = now() + LEASE_MS;
    const day = Math.floor(now() / DAY_MS);
    const isLarge = most >= durability.above;
    const ask: LeaseRequest = {
      want: Math.min(Number.MAX_SAFE_INTEGER, most * Math.max(requests, waiting)),
      enough: most,
      share: SHARE,
      sharedFrom: isLarge ? Infinity : most * durability.worstCases,
      atLeast: least,
      ahead,
      process,
      ttlMs: LEASE_MS,
    };
    const granted = await turns.inLine(() => ledger.lease(payer, ask, now()));
    if (granted === undefined) return undefined;
    const { id, amount, available, shared, careful } = granted;
    plentyFor = Math.floor(available / durability.worstCases);
    const largest = shared ? Math.min(plentyFor, durability.above - 1) : -1;
    refused = undefined;
    return keep(
      { id, amount, largest, forOne: !shared, isTab: false, careful, day, expiresAt },
      Math.min(most, amount),
    );
  };
  const refuse = (error: unknown, least: number): void => {
    if (isRefusal(error)) refused = { error, least, at: now() };
  };
  const throwIfRefused = ({ least }: Need): void => {
    if (refused !== undefined && refused.least <= least && now() - refused.at < REFUSED_FRESH_MS) throw refused.error;
  };
  const openInsisting = async (need: Need): Promise<Lease | undefined> => {
    try {
      return await open(need);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await ledger.recallLeases(payer.ownerId, process);
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
  const begin = async (need: Need): Promise<Draw | undefined> => {
    let drawn: Draw | undefined;
    opening = openInsisting(need)
      .then((lease) => {
        drawn = lease === undefined ? undefined : draw(lease, Math.min(need.most, lease.left), now());
      })
      .finally(() => {
        opening = undefined;
      });
    await opening;
    return drawn;
  };

  const close = async (lease: Lease): Promise<void> => {
    await journal.flush();
    if (lease.id !== 0) await turns.inLine(() => ledger.closeLease(lease.id, now()));
    leases = leases.filter((other) => other !== lease);
    refused = undefined;
    turns.wake();
  };
  const giveBack = (lease: Lease): Promise<void> => {
    lease.retired = true;
    if (lease.inFlight > 0) return Promise.resolve();
    return (lease.closing ??= close(lease).finally(() => {
      lease.closing = undefined;
    }));
  };
  /** What cannot be given back now is tried again when the wallet is tended. */
  const giveBackSoon = (lease: Lease): void => {
    giveBack(lease).catch((error: unknown) => warn(error, 'a lease could not be given back'));
  };

  /** What was set aside yesterday must not be spent beside today's cap. */
  const isOfToday = (lease: Lease, time: number): boolean => !capped || lease.day === Math.floor(time / DAY_MS);
  const isUsable = (lease: Lease, time: number): boolean =>
    !lease.retired && lease.expiresAt - time > SAFE_MS && isOfToday(lease, time);

  const draw = (lease: Lease, units: number, time: number): Draw => {
    lease.left -= units;
    lease.inFlight++;
    lease.exposure.units += units;
    journal.note(lease.exposure);
    usedAt = time;
    return { lease, units, risk: units };
  };

  /** Asks for the next lease while requests go on; what cannot be had now is asked for again when it is needed. */
  const fetchAhead = (units: number, time: number): void => {
    if (opening !== undefined || (refused !== undefined && time - refused.at < CAREFUL_MS)) return;
    let left = 0;
    let largest = 0;
    for (const lease of leases) {
      if (!isUsable(lease, time)) continue;
      left += lease.left;
      largest = Math.max(largest, lease.amount);
    }
    if (left >= largest * LOW_SHARE) return;
    opening = open({ most: units, least: units }, true)
      .then((lease) => {
        if (lease?.forOne === true) giveBackSoon(lease);
      })
      .catch((error: unknown) => refuse(error, units))
      .finally(() => {
        opening = undefined;
      });
  };

  const find = (units: number, time: number): Lease | undefined =>
    leases.find((each) => each.left >= units && units <= each.largest && isUsable(each, time));
  const take = (units: number): Draw | undefined => {
    const time = now();
    const lease = find(units, time);
    if (lease === undefined || lease.careful) return undefined;
    const drawn = draw(lease, units, time);
    if (lease.left < lease.amount * LOW_SHARE) fetchAhead(units, time);
    return drawn;
  };
  /** From a lease that nothing may draw from before the ledger knows. */
  const takeCarefully = async (units: number): Promise<Draw | undefined> => {
    const time = now();
    const lease = find(units, time);
    if (lease === undefined) return undefined;
    const drawn = draw(lease, units, time);
    if (lease.careful) {
      try {
        await journal.noted(lease.exposure);
      } catch (error) {
        settle(drawn, 0);
        throw error;
      }
    }
    return drawn;
  };

  /** Puts back what small leases still hold: it may be all there is. */
  const giveIdleBack = async (): Promise<void> => {
    await Promise.all(leases.filter(({ inFlight }) => inFlight === 0).map(giveBack));
    for (const lease of leases) lease.retired = true;
  };
  const drawAlone = async (need: Need): Promise<Draw | undefined> => {
    const lease = await openInsisting(need);
    return lease === undefined ? undefined : draw(lease, Math.min(need.most, lease.left), now());
  };
  /** What is left is less than this and the payer's other requests may cost: they run one after the other. */
  const waitForRoom = async (need: Need, signal: AbortSignal, since: number): Promise<Draw> => {
    for (let looks = 0; looks < MOST_LOOKS && now() - since < MOST_WAIT_MS; looks++) {
      throwIfRefused(need);
      await giveIdleBack();
      recallOthers();
      const drawn = await drawAlone(need);
      if (drawn !== undefined) return drawn;
      if (looks === 0) await ledger.recallLeases(payer.ownerId, process);
      await turns.woken(pause(LOOK_MS));
      if (signal.aborted) throw new GatewayError('unavailable', 'the caller has hung up');
    }
    throw new GatewayError(
      'insufficient_quota',
      'Other requests hold what is left of the funds, and each may cost all of it; wait for them to end, or add funds.',
    );
  };

  const look = async (need: Need, signal: AbortSignal): Promise<Draw> => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const taken = await takeCarefully(need.most);
      if (taken !== undefined) return taken;
      throwIfRefused(need);
      const isAlone = need.most > plentyFor || need.most >= durability.above;
      if (opening !== undefined && !isAlone) {
        await opening.catch(() => undefined);
        continue;
      }
      if (!turns.isWanted(payer.keyId)) {
        const drawn = isAlone ? await drawAlone(need) : await begin(need);
        if (drawn !== undefined) return drawn;
      }
      const since = now();
      return turns.run(payer.keyId, () => waitForRoom(need, signal, since));
    }
    throw new GatewayError('unavailable', 'too many requests want this balance at once; try again', {
      retryAfterSeconds: 1,
    });
  };

  const settle = (drawn: Draw, paid: number): void => {
    const { lease } = drawn;
    lease.left += drawn.units - paid;
    lease.exposure.units += paid - drawn.risk;
    drawn.risk = paid;
    journal.note(lease.exposure);
    lease.inFlight--;
    if (lease.inFlight > 0) return;
    if (lease.retired || lease.forOne || lease.left === 0 || leases.length > 2) giveBackSoon(lease);
  };

  /** The lease without money of a payer without any cap; nobody waits for it. */
  let tab: Lease | undefined;
  const openTab = (time: number): Lease => {
    const day = Math.floor(time / DAY_MS);
    const expiresAt = time + LEASE_MS;
    const of = { largest: -1, forOne: false, isTab: true, careful: false } as const;
    const opened = keep({ id: 0, amount: Infinity, ...of, day, expiresAt }, 0);
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
    async fetch(need, signal) {
      waiting++;
      try {
        return await look(need, signal);
      } finally {
        waiting--;
      }
    },
    jot(units) {
      const time = now();
      if (tab === undefined || !isUsable(tab, time)) tab = openTab(time);
      return draw(tab, units, time);
    },
    payable: ({ lease, units: drawn }, units) => Math.min(units, drawn + Math.max(0, lease.left)),
    checkpoint(drawn, units) {
      const risk = Math.min(drawn.units, Math.ceil(Math.max(0, units) + drawn.units * CHECKPOINT_MARGIN));
      if (risk === drawn.risk) return;
      drawn.lease.exposure.units += risk - drawn.risk;
      drawn.risk = risk;
      journal.note(drawn.lease.exposure);
    },
    settle,
    async tend() {
      const time = now();
      const idle = time - usedAt > IDLE_MS;
      for (const lease of [...leases]) {
        try {
          if (lease.inFlight === 0 && (idle || lease.retired || !isOfToday(lease, time))) {
            await giveBack(lease);
          } else if (lease.expiresAt - time < LEASE_MS / 2) {
            const expiresAt = now() + LEASE_MS;
            // A lease that a reaper closed meanwhile is gone: what is in flight is billed without it.
            if (await ledger.extendLease(lease.id, LEASE_MS, now())) lease.expiresAt = expiresAt;
            else leases = leases.filter((other) => other !== lease);
          }
        } catch (error) {
          warn(error, 'a lease could not be tended');
        }
      }
    },
    recall(leaseIds) {
      for (const lease of leases) if (leaseIds?.has(lease.id) ?? true) giveBackSoon(lease);
    },
    async retire() {
      await Promise.all(leases.map(giveBack));
    },
    isEmpty: () => leases.length === 0,
  };
}

function isRefusal(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'insufficient_quota';
}
