/** Bills computed again from what their entries kept (usage, prices, factors): for one request, or for all of them. */
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { totalOf, type BillLine, type LedgerDifference, type LedgerEntry, type Store } from '@model-gateway/core';

const PAGE = 500;
const MOST_ENTRIES = 1_000;

export interface ReplayedBill {
  readonly requestId: string;
  readonly model: string | undefined;
  readonly ownerId: number;
  readonly keyId: number | undefined;
  readonly priceVersion: string | undefined;
  readonly usage: JsonObject;
  readonly lines: readonly BillLine[];
  readonly groupFactor: number;
  /** Quota units that the lines come to. */
  readonly recomputed: number;
  readonly charged: number;
  /** What the bill would have been beyond the caps. */
  readonly shortfall: number;
  readonly matches: boolean;
  readonly entries: readonly LedgerEntry[];
}

/** One bill; throws `not_found` for a request the ledger does not know. */
export async function replayBill(ledger: Store['ledger'], requestId: string): Promise<ReplayedBill> {
  const entries = await ledger.entries({ requestId, limit: MOST_ENTRIES });
  const [first] = entries;
  if (first === undefined)
    throw new GatewayError('not_found', `the ledger has nothing of the request '${requestId.slice(0, 120)}'`, {
      param: 'request_id',
    });
  const captures = entries.filter(({ kind }) => kind === 'capture');
  const lines = captures.flatMap(({ detail }) => linesOf(detail));
  const told = captures.at(-1) ?? first;
  const charged = sum(captures.map((entry) => entry.charged));
  const shortfall = sum(captures.map((entry) => entry.shortfall));
  const recomputed = sum(captures.map(({ detail }) => billOfDetail(detail) ?? 0));
  return {
    requestId,
    model: told.model,
    ownerId: told.ownerId,
    keyId: told.keyId,
    priceVersion: told.priceVersion,
    usage: isJsonObject(told.detail['usage']) ? told.detail['usage'] : {},
    lines,
    groupFactor: factorOf(told.detail),
    recomputed,
    charged,
    shortfall,
    matches: recomputed === charged + shortfall + sum(captures.map(settledBefore)),
    entries,
  };
}

/** What a crash's settlement had paid of a bill that came late. */
function settledBefore({ detail }: LedgerEntry): number {
  const paid = detail['paidByCrashSettlement'];
  return typeof paid === 'number' ? paid : 0;
}

/** Balances, windows, holds and leases by the store, and every charge here. */
export async function verifyAll(ledger: Store['ledger']): Promise<readonly LedgerDifference[]> {
  const differences: LedgerDifference[] = [...(await ledger.verify())];
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
    if (page.length < PAGE) return differences;
    // A ledger may be long, and others are served meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
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
