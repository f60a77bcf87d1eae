/** What exports write: CSV, a page at a time. */
import {
  dollarsOf,
  type EntryFilter,
  type RequestPlace,
  type RequestRow,
  type Store,
  type UsageFilter,
} from '@model-gateway/core';
import { csvLine, csvLines, type Cell } from '../csv.ts';
import { namesOfRows } from '../requests/view.ts';
import { groupNames, readUsage, UsageSums, type UsageGroup, type UsageParts } from '../usage/groups.ts';
import { timeOf } from '../values.ts';

/** Which rows an export has. */
export interface Period {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly ownerId?: number;
  readonly keyId?: number;
  readonly mode?: 'live' | 'test';
}

/** Told after each page: rows that were written, and how far it is, 0 to 1. */
export type TellRows = (rows: number, share: number) => void;

const DAY_MS = 86_400_000;
/** Ids that are looked through at a time. */
const ENTRIES_AT_ONCE = 2_000;
const ROWS_AT_ONCE = 500;

/** What a row of the log says of its request, or the detail of a charge. */
type Labels = Pick<RequestRow, 'tags' | 'identity'>;

function tagCell({ tags }: Labels): Cell {
  return Object.entries(tags ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function identityCells({ identity }: Labels): Cell[] {
  return [identity?.user, identity?.session, identity?.run];
}

/** Every line of the ledger in the period, oldest first. */
export async function* ledgerCsv(
  store: Pick<Store, 'ledger' | 'owners' | 'keys'>,
  period: Omit<EntryFilter, 'after' | 'upTo' | 'order' | 'limit'> & Pick<Period, 'mode'>,
  tell: TellRows = () => undefined,
): AsyncGenerator<Uint8Array> {
  const { ledger } = store;
  yield csvLine([
    ...[
      'id',
      'created_at',
      'kind',
      'owner_id',
      'owner',
      'key_id',
      'key',
      'amount',
      'amount_usd',
      'charged',
      'charged_usd',
    ],
    ...['shortfall', 'hold_id', 'request_id', 'task_id', 'model', 'account_id', 'price_version', 'note'],
    ...['tags', 'user', 'session', 'run'],
  ]);
  const [newest] = await ledger.entries({ order: 'newest', limit: 1 });
  const last = newest?.id ?? 0;
  const { mode: _mode, ...filter } = period;
  const { ownerId, keyId, requestId, taskId } = filter;
  // Entries of one owner, key or request are found by an index; no index has the time alone.
  const isIndexed = (ownerId ?? keyId ?? requestId ?? taskId) !== undefined;
  let rows = 0;
  for (let after = 0; after < last;) {
    const upTo = isIndexed ? last : Math.min(last, after + ENTRIES_AT_ONCE);
    const page = await ledger.entries({ ...filter, after, upTo, limit: ENTRIES_AT_ONCE });
    after = page.length === ENTRIES_AT_ONCE && isIndexed ? (page.at(-1)?.id ?? last) : upTo;
    rows += page.length;
    tell(rows, after / last);
    if (page.length === 0) continue;
    const names = await namesOfRows(
      store,
      page.map(({ ownerId, keyId }) => ({ ownerId, keyId: keyId ?? 0 })),
    );
    yield csvLines(
      page.map((entry) => [
        ...[entry.id, timeOf(entry.createdAt), entry.kind],
        // What test keys did is paid by nobody.
        ...[entry.ownerId, entry.ownerId < 0 ? 'test' : names.owners.get(entry.ownerId)],
        ...[entry.keyId, entry.keyId === undefined ? undefined : names.keys.get(entry.keyId)],
        ...[entry.amount, dollarsOf(entry.amount), entry.charged, dollarsOf(entry.charged), entry.shortfall],
        ...[entry.holdId, entry.requestId, entry.taskId, entry.model, entry.accountId, entry.priceVersion],
        typeof entry.detail['note'] === 'string' ? entry.detail['note'] : null,
        tagCell(entry.detail),
        ...identityCells(entry.detail),
      ]),
    );
  }
}

/** The log of requests in the period, newest first. */
export async function* requestCsv(
  store: Pick<Store, 'requests' | 'owners' | 'keys'>,
  period: Period,
  tell: TellRows,
): AsyncGenerator<Uint8Array> {
  yield csvLine([
    ...[
      'id',
      'at',
      'mode',
      'owner_id',
      'owner',
      'key_id',
      'key',
      'operation',
      'kind',
      'model',
      'vendor',
      'status',
      'error',
    ],
    ...['aborted', 'streamed', 'ms', 'first_byte_ms', 'attempts', 'input_tokens', 'cached_input_tokens'],
    ...['output_tokens', 'charged', 'charged_usd', 'tags', 'client_request_id'],
    ...['user', 'session', 'run'],
  ]);
  let after: RequestPlace | undefined;
  for (let rows = 0, first: number | undefined; ;) {
    const page = await store.requests.list({ ...period, ...(after !== undefined && { after }), limit: ROWS_AT_ONCE });
    rows += page.rows.length;
    first ??= page.rows[0]?.at;
    after = page.next;
    // Where the log begins is not known: the share is that of the period which the request says, from the newest row on.
    const whole = (first ?? period.to) - Math.max(period.from, 0);
    tell(rows, after === undefined ? 1 : Math.min(1, ((first ?? period.to) - after.at) / Math.max(1, whole)));
    const names = await namesOfRows(store, page.rows);
    if (page.rows.length > 0)
      yield csvLines(
        page.rows.map((row) => [
          ...[row.id, timeOf(row.at), row.mode, row.ownerId, names.owners.get(row.ownerId)],
          ...[row.keyId, names.keys.get(row.keyId), row.operation, row.kind, row.model, row.vendor],
          ...[row.status, row.error, row.aborted, row.streamed, Math.round(row.ms), row.firstByteMs, row.attempts],
          ...[row.inputTokens, row.cachedInputTokens, row.outputTokens, row.charged, dollarsOf(row.charged)],
          tagCell(row),
          row.clientRequestId,
          ...identityCells(row),
        ]),
      );
    if (after === undefined) return;
  }
}

/** Who changed what in the period, newest first. */
export async function* auditCsv(
  audit: Store['audit'],
  { from, to }: Period,
  tell: TellRows,
): AsyncGenerator<Uint8Array> {
  yield csvLine(['id', 'at', 'actor', 'action', 'subject', 'before', 'after', 'request_id']);
  let newest: number | undefined;
  let after: number | undefined;
  for (let rows = 0; ;) {
    const page = await audit.list({ limit: ROWS_AT_ONCE, ...(after !== undefined && { after }) });
    const last = page.at(-1);
    newest ??= page[0]?.id;
    const within = page.filter(({ at }) => at >= from && at < to);
    rows += within.length;
    after = last?.id;
    tell(rows, newest === undefined || after === undefined ? 1 : (newest - after) / newest);
    if (within.length > 0)
      yield csvLines(
        within.map((entry) => [
          ...[entry.id, timeOf(entry.at), entry.actor, entry.action, entry.subject],
          ...[entry.before, entry.after].map((what) => (what === undefined ? null : JSON.stringify(what))),
          entry.requestId,
        ]),
      );
    // Lines are written in the order of their times, but for clocks of several machines.
    if (last === undefined || page.length < ROWS_AT_ONCE || last.at < from - DAY_MS) return;
  }
}

/** The report of usage, added up day by day. */
export async function* usageCsv(
  parts: UsageParts,
  { from, to, mode = 'live', ...whose }: Period & Pick<UsageFilter, 'tag'>,
  groupBy: readonly UsageGroup[],
  tell: TellRows,
): AsyncGenerator<Uint8Array> {
  const isNamed = (group: UsageGroup): boolean => group === 'key' || group === 'owner' || group === 'account';
  yield csvLine([
    ...groupBy.flatMap((group) => (isNamed(group) ? [group, `${group}_name`] : [group])),
    ...['requests', 'input_tokens', 'output_tokens', 'charged', 'charged_usd'],
  ]);
  const sums = new UsageSums(groupBy);
  for (let start = from; start < to;) {
    const end = Math.min(to, start - (start % DAY_MS) + DAY_MS);
    sums.add(await readUsage(parts, { from: start, to: end, mode, groupBy, ...whose }));
    start = end;
    tell(sums.size, (start - from) / (to - from));
  }
  const rows = sums.rows();
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const page = rows.slice(at, at + ROWS_AT_ONCE);
    const namesOf = await groupNames(parts, page);
    yield csvLines(
      page.map(({ group, requests, inputTokens, outputTokens, charged }) => {
        const names = namesOf(group);
        return [
          ...groupBy.flatMap((name) => (isNamed(name) ? [group[name], names[name]] : [group[name]])),
          ...[requests, inputTokens, outputTokens, charged, dollarsOf(charged)],
        ];
      }),
    );
  }
}
