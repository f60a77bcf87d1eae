/** Whom the requests of one process spend for: each key, and where a request has caps of its own each run, user or team under that key. */
import type { Caller } from '../parts.ts';
import type { KeyLimits, Payer, SpendScope, Tenant } from '../ports.ts';
import { inScopeOrder, isByRun, keyScopes, sameScopes } from './spend-scopes.ts';
import type { Wallet } from './wallet.ts';

/** A wallet of one run or user that nobody has used for so long is forgotten; there are many of them. */
const FORGET_MS = 60_000;
/** Runs of one caller that are found without their name; nobody is in more at the same time. */
const MOST_RUNS = 32;

export interface PayerState {
  readonly wallet: Wallet;
  /** Of the last request that was found to have the wallet's caps: the same objects need no second look. */
  limits: KeyLimits;
  scopes: readonly SpendScope[] | undefined;
  /** No balance to pass and no cap: nothing to lease. Unknown until the owner was read. */
  uncapped: boolean | undefined;
  checkedAt: number;
  usedAt: number;
  /** Nothing may be drawn from its wallet any more: nobody tends it. */
  isGone: boolean;
}

export interface PayerStatesOptions {
  readonly now: () => number;
  readonly walletOf: (payer: Payer) => Wallet;
  /** Takes over a wallet whose caps have changed. */
  readonly retire: (wallet: Wallet) => void;
}

/** The owner that the ledger charges: test keys pay from their owner's test payer (the owner with the negative id), which never touches real money. */
export function payerIdOf({ ownerId, mode }: Tenant): number {
  return mode === 'test' ? -ownerId : ownerId;
}

/** Who pays, with the caps of the key and those that the request has beside them. */
export function payerOf(caller: Caller): Payer {
  return payerUnder(caller, caller.caps?.scopesOf(caller));
}

function payerUnder(caller: Caller, further: readonly SpendScope[] = []): Payer {
  const { key } = caller;
  const { spendPerDay, spendPerMonth, spendTotal } = key.limits;
  const scopes = [...keyScopes(key, caller.identity), ...further];
  return {
    ownerId: payerIdOf({ ownerId: key.ownerId, mode: caller.mode }),
    keyId: key.id,
    limits: {
      ...(spendPerDay !== undefined && { spendPerDay }),
      ...(spendPerMonth !== undefined && { spendPerMonth }),
      ...(spendTotal !== undefined && { spendTotal }),
    },
    ...(scopes.length > 0 && { scopes: inScopeOrder(scopes) }),
  };
}

export class PayerStates {
  readonly #options: PayerStatesOptions;
  /** By key; where a request has scopes of its own, by those too. */
  readonly #named = new Map<number | string, PayerState>();
  /** By the list of scopes, which budgets give the same caller again, and the run: no name is put together for each request. */
  readonly #quick = new WeakMap<readonly SpendScope[], Map<string, PayerState>>();

  constructor(options: PayerStatesOptions) {
    this.#options = options;
  }

  all(): Iterable<PayerState> {
    return this.#named.values();
  }

  of(caller: Caller): PayerState {
    const scopes = caller.caps?.scopesOf(caller);
    if (scopes === undefined) return this.#find(caller, scopes);
    const run = runOf(caller) ?? '';
    let states = this.#quick.get(scopes);
    if (states === undefined) this.#quick.set(scopes, (states = new Map<string, PayerState>()));
    let state = states.get(run);
    if (state === undefined || state.isGone || state.limits !== caller.key.limits) {
      if (states.size >= MOST_RUNS) states.clear();
      state = this.#find(caller, scopes);
      states.set(run, state);
    }
    state.usedAt = this.#options.now();
    return state;
  }

  forgetIdle(): void {
    for (const [name, state] of this.#named) {
      const isOfKey = typeof name === 'number';
      if (isOfKey || this.#options.now() - state.usedAt <= FORGET_MS || !state.wallet.isEmpty()) continue;
      state.isGone = true;
      this.#named.delete(name);
    }
  }

  clear(): void {
    for (const state of this.#named.values()) state.isGone = true;
    this.#named.clear();
  }

  #find(caller: Caller, scopes: readonly SpendScope[] | undefined): PayerState {
    const { now, walletOf, retire } = this.#options;
    const name = walletName(caller, scopes);
    const known = this.#named.get(name);
    const { limits } = caller.key;
    if (known !== undefined) {
      const isKnown = known.limits === limits && known.scopes === scopes;
      if (isKnown || sameCaps(known.wallet.payer, payerUnder(caller, scopes))) {
        known.usedAt = now();
        return Object.assign(known, isKnown ? undefined : { limits, scopes });
      }
      known.isGone = true;
      retire(known.wallet);
    }
    const wallet = walletOf(payerUnder(caller, scopes));
    const state: PayerState = {
      ...{ wallet, limits, scopes, uncapped: undefined },
      ...{ checkedAt: -Infinity, usedAt: now(), isGone: false },
    };
    this.#named.set(name, state);
    return state;
  }
}

function sameCaps(payer: Payer, other: Payer): boolean {
  return (
    payer.limits.spendPerDay === other.limits.spendPerDay &&
    payer.limits.spendPerMonth === other.limits.spendPerMonth &&
    payer.limits.spendTotal === other.limits.spendTotal &&
    sameScopes(payer.scopes, other.scopes)
  );
}

/** Requests of a key share a wallet unless they have scopes of their own. */
function walletName(caller: Caller, scopes: readonly SpendScope[] | undefined): number | string {
  const { id } = caller.key;
  const run = runOf(caller);
  if (scopes === undefined && run === undefined) return id;
  let name = `${id}`;
  for (const { scope, window } of scopes ?? []) name += ` ${scope} ${window}`;
  return run === undefined ? name : `${name} run ${run}`;
}

/** Which run's cap the request counts in; empty for that of no run; undefined where runs have none. */
function runOf({ key, identity }: Caller): string | undefined {
  return isByRun(key.limits) ? (identity?.run ?? '') : undefined;
}
