/** What all kinds do whose answers are kept: look, give again for the operator's share, keep what was billed. */
import { rowNamed, type CacheRule, type Catalogue, type ModelRow } from '../catalogue.ts';
import { totalOf } from '../money/price.ts';
import type { Spending } from '../money/spending.ts';
import { countCharge, tellSpend } from '../paid/paid-metrics.ts';
import type { Trace } from '../paid/trace.ts';
import type { Caller, Parts } from '../parts.ts';
import type { CachedAnswer } from '../ports.ts';
import type { AnswerCache, CacheAnswer } from './answer-cache.ts';

export type CacheWord = 'no-store' | 'refresh';
export type KeepingParts = Pick<Parts, 'catalogue' | 'meter' | 'spent'> & {
  readonly spending: Pick<Spending, 'reserve'>;
  readonly cache: AnswerCache;
};
/** A request for a model whose answers are kept. */
export interface KeptRequest {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly rule: CacheRule;
  /** For the ledger. */
  readonly endpoint: string;
  readonly trace: Trace;
}
export type Asking = Exclude<CacheAnswer, { readonly hit: CachedAnswer }>;

/** The row of a model whose answers are kept, and by which rule; undefined where nothing is to be looked at. */
export function keepingRow(
  catalogue: Catalogue,
  model: string,
  word: CacheWord | undefined,
): Pick<KeptRequest, 'row' | 'rule'> | undefined {
  if (catalogue.caches !== true || word === 'no-store') return undefined;
  const row = rowNamed(catalogue, model);
  return row?.cache === undefined ? undefined : { row, rule: row.cache };
}

/** Looks for an answer by a key of everything that it depends on. Counted, and noted in the trace. */
export async function findCachedAnswer(
  { cache, meter }: Pick<KeepingParts, 'cache' | 'meter'>,
  { caller, rule, trace }: KeptRequest,
  key: string,
  word: CacheWord | undefined,
): Promise<CacheAnswer> {
  const { key: owner, mode, signal } = caller;
  const looked = await cache.look({
    key,
    tenant: `${owner.ownerId} ${mode}`,
    ttlMs: rule.ttlSeconds * 1000,
    refresh: word === 'refresh',
    signal,
  });
  const result = looked.hit === undefined ? 'miss' : 'hit';
  meter.count('gateway_response_cache', { result });
  trace.cache = result;
  return looked;
}

/** Keeps a whole answer by what it was billed. */
export async function keepAnswer(
  { usage, bill, billed, dropped }: Trace,
  body: Uint8Array,
  looked: Asking,
): Promise<void> {
  // What is not known to be billed is not known to be whole.
  if (usage === undefined || bill === undefined || billed === undefined) return looked.forget();
  return looked.keep({
    body,
    model: billed.code,
    usage,
    lines: bill.lines,
    dropped: dropped.map(({ field }) => field),
  });
}

/** Charges the operator's share of what an answer cost when a vendor gave it. Throws `insufficient_quota`. */
export async function chargeAgain(
  parts: Pick<KeepingParts, 'catalogue' | 'spending' | 'meter' | 'spent'>,
  { caller, row, rule, endpoint, trace }: KeptRequest,
  answer: CachedAnswer,
): Promise<void> {
  const catalogue = parts.catalogue();
  const lines = rule.share === 0 ? [] : answer.lines.map((line) => ({ ...line, factor: line.factor * rule.share }));
  const bill = totalOf(lines, catalogue.groupFactors[caller.key.group] ?? 1);
  trace.row = row;
  trace.dropped = answer.dropped.map((field) => ({ field, reason: 'left out when the answer was made' }));
  const reservation = await (caller.spending ?? parts.spending).reserve(caller, bill.units);
  const { charged } = reservation.charge({
    model: answer.model,
    endpoint,
    units: bill.units,
    priceVersion: catalogue.priceVersion,
    detail: {
      usage: { ...answer.usage },
      lines: lines.map((line) => ({ ...line })),
      group_factor: bill.groupFactor,
      cache: { share: rule.share },
      ...(answer.model !== row.code && { asked: row.code }),
    },
  });
  trace.usage = answer.usage;
  trace.charged = charged;
  countCharge(parts, { row, offer: undefined, mode: caller.mode, usage: {}, charged });
  tellSpend(parts, caller, { usage: answer.usage, charged });
}
