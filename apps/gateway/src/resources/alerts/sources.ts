/** Where alerts come from: budgets, owners' money, accounts whose credentials a vendor refuses. */
import { UNITS_PER_DOLLAR, type components } from '@model-gateway/contracts';
import {
  dollarsOf,
  type AccountHealth,
  type Catalogue,
  type Log,
  type OwnerRecord,
  type Store,
} from '@model-gateway/core';
import type { BudgetQuery } from '../budgets/routes.ts';
import type { AlertMonitorOptions } from './monitor.ts';
import {
  balanceForecast,
  forecastName,
  keyRefused,
  lastsLong,
  lowBalance,
  lowName,
  OPEN,
  type Occasion,
  type OwnerMoney,
} from './occasions.ts';

type Budget = components['schemas']['Budget'];
type BudgetList = components['schemas']['BudgetList'];

const DAY_MS = 86_400_000;
const PACE_DAYS = 7;
const READ_PACE_EVERY_MS = 3_600_000;
const OWNERS_AT_ONCE = 1_000;
const MOST_BUDGETS = 20_000;
/** A fault that is older was told of, or is over. */
const FRESH_FAULT_MS = 5 * 60_000;
/** A balance is well again when it is above its warning by this factor. */
const WELL_ABOVE = 1.05;

export interface AlertSourcesOptions {
  readonly store: Pick<Store, 'owners' | 'ledger' | 'alerts'>;
  readonly listBudgets: (asked: BudgetQuery) => Promise<Pick<BudgetList, 'data' | 'has_more'>>;
  readonly accountHealth: () => Promise<readonly AccountHealth[]>;
  readonly catalogue: () => Pick<Catalogue, 'accounts'>;
  readonly forecast: boolean;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

/** What one process looks at. */
export class AlertSources {
  private readonly options: AlertSourcesOptions;
  /** Quota units that each owner has spent on a day, of late. */
  private pace: ReadonlyMap<number, number> = new Map();
  private paceReadAt = -Infinity;
  private leased = new Leased([]);
  private hasWarned = false;

  constructor(options: AlertSourcesOptions) {
    this.options = options;
  }

  /** Every budget, or those of accounts alone, which each process counts for itself. */
  async budgets(which: 'all' | 'own'): Promise<readonly Budget[]> {
    const { listBudgets, log, store } = this.options;
    // A lease that ends meanwhile is in one of the two: money that is set aside must never look spent.
    const before = which === 'own' ? new Leased([]) : await Leased.read(store.alerts);
    const of = which === 'own' ? 'account' : undefined;
    const { data, has_more: isCut } = await listBudgets({ of, limit: MOST_BUDGETS });
    if (isCut && !this.hasWarned) {
      this.hasWarned = true;
      log.warn(
        { budgets: data.length },
        'there are more budgets than alerts look at: those that are least full are left out',
      );
    }
    if (which === 'own') return data;
    this.leased = before.orMore(await Leased.read(store.alerts));
    return data.map((budget) => this.leased.withoutLeases(budget));
  }

  /** Owners whose money runs low. */
  async others(raised: readonly string[]): ReturnType<AlertMonitorOptions['others']> {
    const owners = await this.ownersWithLimit();
    this.leased = this.leased.orMore(await Leased.read(this.options.store.alerts));
    const money = owners.flatMap(({ creditLimit, ...owner }): OwnerMoney[] =>
      creditLimit === undefined
        ? []
        : [
            {
              id: owner.id,
              name: owner.name,
              left: owner.balance + this.leased.ofOwner(owner.id) + creditLimit,
              perDay: this.pace.get(owner.id) ?? 0,
            },
          ],
    );
    const low = owners.flatMap(({ id, name, balance, lowBalance: limit }) =>
      limit === undefined ? [] : [{ id, name, balance: balance + this.leased.ofOwner(id), low: limit }],
    );
    const forecasts = this.options.forecast
      ? money.flatMap((each) => balanceForecast(each, this.options.now()) ?? [])
      : [];
    const occasions: readonly Occasion[] = [
      ...low.filter((each) => each.balance < each.low).map(lowBalance),
      ...forecasts,
    ];
    const lasting = new Set(money.filter(lastsLong).map(({ id }) => forecastName(id)));
    const isLow = new Set(
      low.filter((each) => each.balance < each.low * WELL_ABOVE).map((each) => lowName(each.id, each.low)),
    );
    const ours = new Set(
      raised.filter((name) => name.startsWith(`${OPEN}owner:`) && /:low:|:money:forecast$/.test(name)),
    );
    return {
      occasions,
      isOver: (name) => {
        if (!ours.has(name)) return undefined;
        return name.includes(':low:') ? !isLow.has(name) : lasting.has(name);
      },
    };
  }

  private async ownersWithLimit(): Promise<readonly OwnerRecord[]> {
    const { store } = this.options;
    const found: OwnerRecord[] = [];
    // Behind the payers of test keys, whose numbers are below zero.
    for (let after = 0; ;) {
      const page = await store.owners.list({ after, limit: OWNERS_AT_ONCE });
      found.push(...page.filter(({ creditLimit, lowBalance: low }) => creditLimit !== undefined || low !== undefined));
      const last = page.at(-1);
      if (page.length < OWNERS_AT_ONCE || last === undefined) break;
      after = last.id;
    }
    if (this.options.forecast && found.some(({ creditLimit }) => creditLimit !== undefined)) await this.readPace();
    return found;
  }

  /** A week of the ledger is much to read: once an hour is enough for a pace. */
  private async readPace(): Promise<void> {
    const { store, now } = this.options;
    const at = now();
    if (at - this.paceReadAt < READ_PACE_EVERY_MS && at >= this.paceReadAt) return;
    const from = at - PACE_DAYS * DAY_MS;
    const rows = await store.ledger.usage({ from, to: at, mode: 'live', groupBy: ['owner'] });
    this.pace = new Map(rows.map(({ group, charged }) => [Number(group['owner']), charged / PACE_DAYS]));
    this.paceReadAt = at;
  }

  /** Accounts whose credentials are refused, as far as this process has asked them. */
  async refusedAccounts(): Promise<readonly Occasion[]> {
    const { accountHealth, catalogue, now } = this.options;
    const accounts = new Map(catalogue().accounts.map((account) => [account.id, account]));
    return (await accountHealth()).flatMap(({ accountId, state, lastFault }) => {
      const account = accounts.get(accountId);
      const isRefused = lastFault?.code === 'upstream_rejected_key' && now() - lastFault.at < FRESH_FAULT_MS;
      return account !== undefined && state !== 'closed' && isRefused ? [keyRefused(account, now())] : [];
    });
  }
}

/** What processes have set aside to spend from: it comes and goes, so that what is used would seem to rise and fall with it. */
class Leased {
  private readonly byKey = new Map<number, number>();
  private readonly byOwner = new Map<number, number>();

  constructor(leases: Awaited<ReturnType<Store['alerts']['leased']>>) {
    for (const { ownerId, keyId, units } of leases) {
      this.byKey.set(keyId, (this.byKey.get(keyId) ?? 0) + units);
      this.byOwner.set(ownerId, (this.byOwner.get(ownerId) ?? 0) + units);
    }
  }

  static async read(alerts: Pick<Store['alerts'], 'leased'>): Promise<Leased> {
    return new Leased(await alerts.leased());
  }

  /** Of each the larger amount. */
  orMore(other: Leased): Leased {
    const most = new Leased([]);
    for (const [name, maps] of [
      ['byKey', [this.byKey, other.byKey]],
      ['byOwner', [this.byOwner, other.byOwner]],
    ] as const)
      for (const map of maps)
        for (const [id, units] of map) most[name].set(id, Math.max(units, most[name].get(id) ?? 0));
    return most;
  }

  /** Quota units. */
  ofOwner(id: number): number {
    return this.byOwner.get(id) ?? 0;
  }

  /** A budget as if nothing were set aside for requests to come. */
  withoutLeases(budget: Budget): Budget {
    const { of, id, bound, limit, used, left } = budget;
    const units =
      of === 'key' ? (this.byKey.get(id) ?? 0) : of === 'owner' && OF_BALANCE.has(bound) ? this.ofOwner(id) : 0;
    if (units === 0) return budget;
    if (limit === null || used === null) {
      const money = unitsIn(left) + units;
      return { ...budget, left: dollarsOf(money), share: money <= 0 ? 1 : null };
    }
    // In whole units: what is used up to the last one must be all of the limit.
    const spent = dollarsOf(Math.max(0, unitsIn(used) - units));
    return { ...budget, used: spent, left: limit - spent, share: limit === 0 ? 1 : spent / limit };
  }
}

function unitsIn(dollars: number): number {
  return Math.round(dollars * UNITS_PER_DOLLAR);
}

/** Bounds of owners that are made of the balance. */
const OF_BALANCE: ReadonlySet<string> = new Set(['balance', 'credit']);
