/** Bills computed again from what their entries kept (usage, prices, factors): for one request, or for all of them. */
import { GatewayError, isJsonObject, type components, type JsonObject } from '@model-gateway/contracts';
import {
  interruptedId,
  totalOf,
  type BillLine,
  type LedgerDifference,
  type LedgerEntry,
  type Store,
  type VerifyOptions,
} from '@model-gateway/core';
import { timeOf } from '../values.ts';

type Schemas = components['schemas'];

/** Its bills are computed again in one go: some milliseconds. */
const PAGE = 200;
const MOST_ENTRIES = 1_000;
const BASES = ['delivered', 'estimate', 'reserved'] as const;

/** The bill of one request, computed again. Throws `not_found` for a request that the ledger does not know. */
export async function replayBill(ledger: Store['ledger'], requestId: string): Promise<Schemas['LedgerReplay']> {
  const own = await ledger.entries({ requestId, limit: MOST_ENTRIES });
  const entries = [...(await ledger.entries({ requestId: interruptedId(requestId), limit: 1 })), ...own];
  const [first] = entries;
  if (first === undefined)
    throw new GatewayError('not_found', `the ledger has no entry for the request '${requestId.slice(0, 120)}'`, {
      param: 'request_id',
    });
  const captures = entries.filter(({ kind }) => kind === 'capture');
  const last = captures.at(-1) ?? first;
  const charged = sum(captures.map((entry) => entry.charged));
  const shortfall = sum(captures.map((entry) => entry.shortfall));
  const recomputed = sum(
    captures.map((entry) => billOfDetail(entry.detail) ?? (isSettlement(entry) ? entry.charged : 0)),
  );
  return {
    object: 'ledger_replay',
    request_id: requestId,
    model: last.model ?? null,
    owner_id: last.ownerId,
    key_id: last.keyId ?? null,
    price_version: last.priceVersion ?? null,
    default_price: typeof last.detail['default_price'] === 'string' ? last.detail['default_price'] : null,
    usage: isJsonObject(last.detail['usage']) ? { ...last.detail['usage'] } : {},
    lines: captures.flatMap(({ detail }) => linesOf(detail)),
    group_factor: factorOf(last.detail),
    recomputed,
    charged,
    shortfall,
    matches: recomputed === charged + shortfall + sum(captures.map(settledBefore)),
    interrupted: interruptedOf(captures.find(isSettlement)),
    waived: sum(entries.filter(({ kind }) => kind === 'adjust').map(({ amount }) => amount)),
    entries: entries.map(entryView),
  };
}

/** Charged because a process stopped, without a bill's lines. */
function isSettlement({ detail }: LedgerEntry): boolean {
  return detail['crashSettlement'] === true;
}

function interruptedOf(entry: LedgerEntry | undefined): Schemas['LedgerReplay']['interrupted'] {
  if (entry === undefined) return null;
  const { reserved, basis } = entry.detail;
  const known = BASES.find((each) => each === basis) ?? 'reserved';
  return { charged: entry.charged, reserved: numberOf(reserved, entry.charged), basis: known };
}

export function entryView(entry: LedgerEntry): Schemas['LedgerEntry'] {
  return {
    object: 'ledger_entry',
    id: entry.id,
    owner_id: entry.ownerId,
    key_id: entry.keyId ?? null,
    kind: entry.kind,
    amount: entry.amount,
    charged: entry.charged,
    shortfall: entry.shortfall,
    hold_id: entry.holdId ?? null,
    request_id: entry.requestId ?? null,
    task_id: entry.taskId ?? null,
    model: entry.model ?? null,
    account_id: entry.accountId ?? null,
    price_version: entry.priceVersion ?? null,
    detail: { ...entry.detail },
    created_at: timeOf(entry.createdAt),
  };
}

/** What a crash's settlement had paid of a bill that came late. */
function settledBefore({ detail }: LedgerEntry): number {
  const paid = detail['paidByCrashSettlement'];
  return typeof paid === 'number' ? paid : 0;
}

/** Balances, windows, holds and leases by the store, and every charge here, a page at a time. `tell` is told how much of it is done, 0 to 1. */
export async function verifyAll(
  ledger: Store['ledger'],
  { signal, tell }: VerifyOptions = {},
): Promise<readonly LedgerDifference[]> {
  const tellHalf = (share: number): void => tell?.(share / 2);
  const differences: LedgerDifference[] = [...(await ledger.verify({ signal, tell: tellHalf }))];
  const [newest] = await ledger.entries({ order: 'newest', limit: 1 });
  let after = 0;
  for (;;) {
    const page = await ledger.entries({ kind: 'capture', after, limit: PAGE });
    for (const entry of page) {
      const expected = billOfDetail(entry.detail);
      const found = entry.charged + entry.shortfall + settledBefore(entry);
      if (expected === undefined || expected === found) continue;
      differences.push({
        subject: `charge of ${entry.requestId ?? `entry ${entry.id}`}`,
        expected,
        found,
        message: `The lines of entry ${entry.id} do not come to what it charged and forgave.`,
      });
    }
    after = page.at(-1)?.id ?? 0;
    if (newest !== undefined) tell?.(Math.min(1, (1 + after / newest.id) / 2));
    if (page.length < PAGE) return differences;
    // A ledger may be long, and others are served meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}

/** What the lines of an entry come to; undefined for one that keeps none. */
function billOfDetail(detail: JsonObject): number | undefined {
  return Array.isArray(detail['lines']) ? totalOf(linesOf(detail), factorOf(detail)).units : undefined;
}

function linesOf(detail: JsonObject): BillLine[] {
  const { lines } = detail;
  if (!Array.isArray(lines)) return [];
  return lines.filter(isJsonObject).map((line) => ({
    item: typeof line['item'] === 'string' ? line['item'] : '',
    quantity: numberOf(line['quantity'], 0),
    price: numberOf(line['price'], 0),
    per: numberOf(line['per'], 1),
    factor: numberOf(line['factor'], 1),
  }));
}

function factorOf(detail: JsonObject): number {
  return numberOf(detail['group_factor'], 1);
}

function numberOf(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
