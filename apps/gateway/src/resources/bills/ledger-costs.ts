/** What the gateway believes that requests have cost at a vendor: the lines of its bills at the catalogue's prices, without the factors of groups. */
import { isJsonObject, UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import type { Store, UsageEntry } from '@model-gateway/core';
import { dayOf } from '../values.ts';

const HOUR_MS = 3_600_000;
const PAGE = 1_000;
const SCALE = 1_000_000;
const QUANTITIES = 1_000;
/** Quantity × price × factor, per million, in picodollars. */
const PER_PICO = 10n ** 9n;
const PICO_PER_UNIT = 10n ** 12n / BigInt(UNITS_PER_DOLLAR);

/** Of one day, model and account. */
export interface LedgerCost {
  readonly day: string;
  readonly model: string;
  readonly account: number;
  requests: number;
  /** Picodollars. */
  cost: bigint;
  /** Of `cost`: cached input, and what it would cost as fresh input. */
  cached: bigint;
  cachedAsFresh: bigint;
  /** Requests whose vendor did not report what it counted: cut off, or interrupted. */
  estimated: number;
}

/** Adds up the charges of a period. Test keys and answers from a cache asked no vendor. */
export async function ledgerCosts(
  store: Pick<Store, 'usageExports'>,
  {
    from,
    to,
    accounts,
    signal,
  }: {
    readonly from: number;
    readonly to: number;
    readonly accounts: ReadonlySet<number>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<readonly LedgerCost[]> {
  const sums = new Map<string, LedgerCost>();
  for (let hour = from; hour < to; hour += HOUR_MS) {
    for (let after = 0; ;) {
      const page = await store.usageExports.entries(hour, after, PAGE);
      for (const entry of page) addEntry(sums, entry, accounts);
      signal?.throwIfAborted();
      after = page.at(-1)?.id ?? 0;
      if (page.length < PAGE) break;
    }
  }
  return [...sums.values()];
}

function addEntry(sums: Map<string, LedgerCost>, entry: UsageEntry, accounts: ReadonlySet<number>): void {
  const { accountId: account, ownerId, model = '', detail } = entry;
  if (account === undefined || ownerId <= 0 || !accounts.has(account)) return;
  const day = dayOf(entry.createdAt);
  const key = JSON.stringify([day, model, account]);
  const sum = sums.get(key) ?? {
    day,
    model,
    account,
    requests: 0,
    cost: 0n,
    cached: 0n,
    cachedAsFresh: 0n,
    estimated: 0,
  };
  sums.set(key, sum);
  const { usage, reported, lines } = detail;
  sum.requests++;
  if (
    detail['crashSettlement'] === true ||
    reported !== undefined ||
    (isJsonObject(usage) && usage['estimated'] === true)
  )
    sum.estimated++;
  if (!Array.isArray(lines)) {
    sum.cost += BigInt(entry.charged) * PICO_PER_UNIT;
    return;
  }
  const fresh = lines.filter(isJsonObject).find(({ item }) => item === 'input');
  for (const line of lines.filter(isJsonObject)) {
    const cost = costOf(line, line);
    sum.cost += cost;
    if (line['item'] !== 'cached_input') continue;
    sum.cached += cost;
    sum.cachedAsFresh += fresh === undefined ? cost : costOf(line, fresh);
  }
}

/** The quantity of a line at the price of another one. */
function costOf({ quantity }: JsonObject, { price, per, factor }: JsonObject): bigint {
  const count = BigInt(Math.round(numberOf(quantity) * QUANTITIES));
  const each = BigInt(Math.round(numberOf(price) * SCALE)) * BigInt(Math.round(numberOf(factor, 1) * SCALE));
  return (count * each * BigInt(SCALE / numberOf(per, 1))) / PER_PICO;
}

function numberOf(value: unknown, absent = 0): number {
  return typeof value === 'number' ? value : absent;
}
