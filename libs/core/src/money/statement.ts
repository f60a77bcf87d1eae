/** The statement of an owner: what was there, what came, what was charged, and what is left, line by line. */
import type { LedgerStore, Movement, StatementFilter } from '../ports.ts';

/** `credit` gives back what one request was charged; `adjustment` is any other correction. */
export type StatementLineKind = 'topup' | 'adjustment' | 'credit' | 'charge' | 'hold' | 'release';

export interface StatementLine extends Omit<Movement, 'kind'> {
  readonly kind: StatementLineKind;
  /** What is booked after this line. */
  readonly balance: number;
}

/** Sums of the lines by what they are, quota units; charges are below zero. */
export interface StatementTotals {
  topups: number;
  adjustments: number;
  credits: number;
  charges: number;
  /** Lines of the ledger that are charges. */
  requests: number;
}

export interface StatementEnd {
  readonly totals: Readonly<StatementTotals>;
  readonly balance: number;
}

/** A statement that has begun: its lines are read a page at a time. */
export interface Statement {
  /** What was booked before the first line. */
  readonly opening: number;
  /** What was set aside for requests that ran, at the beginning and at the end. */
  readonly reserved: { readonly before: number; readonly after: number };
  /** In pages; after the last one it returns the end. */
  lines(): AsyncGenerator<readonly StatementLine[], StatementEnd>;
}

const PAGE = 1_000;

/**
 * Opens the statement as of this moment. The end is what was there at the beginning and all lines together, whatever is written to the
 * ledger meanwhile.
 */
export async function openStatement(
  ledger: Pick<LedgerStore, 'statement' | 'movements'>,
  filter: StatementFilter,
): Promise<Statement> {
  const { booked, reserved, reservedAtEnd, upTo, movements } = await ledger.statement(filter);
  const pages = movements === undefined ? pagesOf(ledger, filter, upTo) : inPages(movements);
  return {
    opening: booked,
    reserved: { before: reserved, after: reservedAtEnd },
    lines: () => addUp(pages, booked),
  };
}

async function* addUp(
  pages: AsyncIterable<readonly Movement[]> | Iterable<readonly Movement[]>,
  opening: number,
): AsyncGenerator<readonly StatementLine[], StatementEnd> {
  let balance = opening;
  const totals = { topups: 0, adjustments: 0, credits: 0, charges: 0, requests: 0 };
  for await (const page of pages) {
    yield page.map((movement) => {
      const kind = kindOf(movement);
      balance += movement.booked;
      count(totals, kind, movement);
      return { ...movement, kind, balance };
    });
  }
  return { totals, balance };
}

function count(totals: StatementTotals, kind: StatementLineKind, { booked, count: entries }: Movement): void {
  if (kind === 'topup') totals.topups += booked;
  else if (kind === 'adjustment') totals.adjustments += booked;
  else if (kind === 'credit') totals.credits += booked;
  else if (kind === 'charge') {
    totals.charges += booked;
    totals.requests += entries;
  }
}

function kindOf({ kind, requestId }: Movement): StatementLineKind {
  switch (kind) {
    case 'capture':
      return 'charge';
    case 'adjust':
      return requestId === undefined ? 'adjustment' : 'credit';
    case 'topup':
    case 'hold':
    case 'release':
      return kind;
  }
}

async function* pagesOf(
  ledger: Pick<LedgerStore, 'movements'>,
  { daily: _daily, groupBy: _groupBy, mostDaily: _mostDaily, ...filter }: StatementFilter,
  upTo: number,
): AsyncGenerator<readonly Movement[]> {
  for (let after = 0; ;) {
    const page = await ledger.movements({ ...filter, upTo, after, limit: PAGE });
    if (page.length > 0) yield page;
    after = page.at(-1)?.entryId ?? upTo;
    if (page.length < PAGE) return;
  }
}

function* inPages(movements: readonly Movement[]): Generator<readonly Movement[]> {
  for (let at = 0; at < movements.length; at += PAGE) yield movements.slice(at, at + PAGE);
}
