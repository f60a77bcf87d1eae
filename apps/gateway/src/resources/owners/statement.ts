/** Statements of owners: for the page, for a spreadsheet and for programs. They are written while the ledger is read, so they end where the ledger ends. */
import type { Response } from 'express';
import type { components } from '@model-gateway/contracts';
import {
  dollarsOf,
  openStatement,
  payerIdOf,
  type OwnerRecord,
  type Statement,
  type StatementEnd,
  type StatementGroup,
  type StatementLine,
  type Store,
  type Tenant,
} from '@model-gateway/core';
import { present } from '../../present.ts';
import { momentIn, textIn, type Asked } from '../admin-operation.ts';
import { csvLine, csvLines, pipeOrCut, sendCsv, type Cell } from '../csv.ts';
import { dayOf, invalidAt, monthOf, timeOf } from '../values.ts';

type Schemas = components['schemas'];
type Group = Schemas['StatementGroup'];

const DAY_MS = 86_400_000;
/** By what the charges of a day can be split. */
const GROUPS = [
  'day',
  'model',
  'key',
  'project',
  'user',
  'session',
  'run',
  'endpoint',
  'tag',
] as const satisfies readonly Group[];

/** A statement that somebody asked for, and has begun. */
export interface AskedStatement {
  readonly name: string;
  readonly format: 'json' | 'csv';
  /** All of it, piece by piece. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** Begins the statement that a query asks for. Throws `invalid_request` naming what is wrong with it. */
export async function askedStatement(
  ledger: Store['ledger'],
  asked: Asked,
  { owner, mode }: { readonly owner: OwnerRecord; readonly mode: Tenant['mode'] },
  now: number,
): Promise<AskedStatement> {
  // The end is not included: with all of this very moment. What has not been yet is in no statement.
  const to = Math.min(momentIn(asked, 'to') ?? Infinity, now + 1);
  const from = momentIn(asked, 'from') ?? monthOf(to - 1);
  if (from >= to) throw invalidAt('from', 'it must be before the end, and before now');
  const daily = textIn(asked, 'detail') !== 'requests';
  const groups = daily ? groupsIn(asked) : groupsOfRequests(asked);
  const tag = textIn(asked, 'tag');
  if (tag === undefined && groups.includes('tag'))
    throw invalidAt('tag', 'name the tag to split by, such as team of x-gateway-tags');
  const holds = textIn(asked, 'holds') === 'true';
  const period = { from, to };
  const ownerId = payerIdOf({ ownerId: owner.id, mode });
  const groupBy = groups.filter((group): group is StatementGroup => group !== 'day');
  const statement = await openStatement(ledger, { ownerId, ...period, daily, groupBy, holds, ...present({ tag }) });
  const about: About = { owner, mode, ...period, daily, groups, holds, now };
  const format = textIn(asked, 'format') === 'csv' ? 'csv' : 'json';
  return {
    name: `statement-${slugOf(owner)}-${periodName(period)}.${format}`,
    format,
    body: format === 'csv' ? csvOf(statement, about) : jsonOf(statement, about),
  };
}

/** By what the charges of a day are split; the day itself may be named, and is always one of them. */
function groupsIn(asked: Asked): readonly Group[] {
  return (textIn(asked, 'group_by')?.split(',') ?? ['model']).map((name) => {
    const group = GROUPS.find((each) => each === name);
    if (group === undefined) throw invalidAt('group_by', `'${name.slice(0, 40)}' is none of ${GROUPS.join(', ')}`);
    return group;
  });
}

/** None: each charge has a line of its own. */
function groupsOfRequests(asked: Asked): readonly Group[] {
  if (textIn(asked, 'group_by') === undefined) return [];
  throw invalidAt(
    'group_by',
    'it splits lines by day: leave it out, or the line for each charge (detail=requests, --requests of the command)',
  );
}

/** Sends a statement at the pace of its reader. */
export async function sendStatement(response: Response, { name, format, body }: AskedStatement): Promise<void> {
  if (format === 'csv') return sendCsv(response, name, body);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  await pipeOrCut(response, body);
}

/** The statement in one piece. */
export async function wholeStatement({ body }: AskedStatement): Promise<Schemas['Statement']> {
  let text = '';
  for await (const piece of body) text += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
  return JSON.parse(text) as Schemas['Statement'];
}

interface About {
  readonly owner: OwnerRecord;
  readonly mode: Tenant['mode'];
  readonly from: number;
  readonly to: number;
  readonly daily: boolean;
  readonly groups: readonly Group[];
  readonly holds: boolean;
  readonly now: number;
}

async function* jsonOf(statement: Statement, about: About): AsyncGenerator<string> {
  const { owner, mode, from, to, daily, groups, holds, now } = about;
  const head = {
    object: 'statement',
    owner_id: owner.id,
    owner_name: owner.name,
    mode,
    from: timeOf(from),
    to: timeOf(to),
    created_at: timeOf(now),
    detail: daily ? 'days' : 'requests',
    group_by: [...groups],
    holds,
    opening_balance: statement.opening,
    opening_balance_usd: dollarsOf(statement.opening),
    opening_reserved: statement.reserved.before,
  } satisfies Partial<Schemas['Statement']>;
  yield `${JSON.stringify(head).slice(0, -1)},"lines":[`;
  const lines = statement.lines();
  let separator = '';
  for (;;) {
    const page = await lines.next();
    if (page.done === true) {
      yield `],${JSON.stringify(endView(page.value, statement)).slice(1)}`;
      return;
    }
    yield separator + page.value.map((line) => JSON.stringify(lineView(line, daily))).join(',');
    separator = ',';
  }
}

function lineView(line: StatementLine, daily: boolean): Schemas['StatementLine'] {
  const isDay = daily && line.entryId === undefined;
  return {
    date: dayOf(line.at),
    time: isDay ? null : timeOf(line.at),
    kind: line.kind,
    note: line.note ?? null,
    model: line.model ?? null,
    requests: line.kind === 'charge' ? line.count : 0,
    input_tokens: line.inputTokens,
    output_tokens: line.outputTokens,
    amount: line.booked,
    amount_usd: dollarsOf(line.booked),
    balance: line.balance,
    balance_usd: dollarsOf(line.balance),
    reserved: line.reserved,
    entry_id: line.entryId ?? null,
    key_id: line.keyId ?? null,
    request_id: line.requestId ?? null,
    task_id: line.taskId ?? null,
    endpoint: line.endpoint ?? null,
    project: line.project ?? null,
    user: line.user ?? null,
    session: line.session ?? null,
    run: line.run ?? null,
    tag: line.tag ?? null,
  };
}

function endView({ totals, balance }: StatementEnd, { reserved }: Statement) {
  const sum = (amount: number): Schemas['StatementSum'] => ({ amount, amount_usd: dollarsOf(amount) });
  return {
    totals: {
      topups: sum(totals.topups),
      adjustments: sum(totals.adjustments),
      credits: sum(totals.credits),
      charges: sum(totals.charges),
      requests: totals.requests,
    },
    closing_balance: balance,
    closing_balance_usd: dollarsOf(balance),
    closing_reserved: reserved.after,
  } satisfies Partial<Schemas['Statement']>;
}

async function* csvOf(statement: Statement, about: About): AsyncGenerator<Uint8Array> {
  yield csvLine([
    ...['date', 'time', 'kind', 'description', 'model', 'requests', 'input_tokens', 'output_tokens'],
    ...['amount_usd', 'balance_usd', 'amount', 'balance', ...(about.holds ? ['reserved'] : [])],
    ...['key_id', 'request_id', 'task_id', 'entry_id', 'project', 'user', 'session', 'run'],
    ...['endpoint', 'tag'],
  ]);
  const { opening, reserved } = statement;
  const holds = (set: number): number[] => (about.holds ? [set] : []);
  const end = (balance: number, set: number): Cell[] => [
    dollarsOf(balance),
    null,
    balance,
    ...holds(set),
    ...nothing(10),
  ];
  const [first, last] = [dayOf(about.from), dayOf(about.to - 1)];
  yield csvLine([first, null, 'opening', 'Opening balance', ...nothing(5), ...end(opening, reserved.before)]);
  const lines = statement.lines();
  for (;;) {
    const page = await lines.next();
    if (page.done === true) {
      const { balance } = page.value;
      yield csvLine([last, null, 'closing', 'Closing balance', ...nothing(5), ...end(balance, reserved.after)]);
      return;
    }
    yield csvLines(page.value.map((line) => lineCells(line, about)));
  }
}

function nothing(cells: number): null[] {
  return Array<null>(cells).fill(null);
}

function lineCells(line: StatementLine, { daily, holds }: About): Cell[] {
  const view = lineView(line, daily);
  const tokens = line.kind === 'charge' ? [view.requests, view.input_tokens, view.output_tokens] : nothing(3);
  return [
    ...[view.date, view.time, view.kind, view.note, view.model, ...tokens],
    ...[view.amount_usd, view.balance_usd, view.amount, view.balance, ...(holds ? [view.reserved] : [])],
    ...[view.key_id, view.request_id, view.task_id, view.entry_id],
    ...[view.project, view.user, view.session, view.run, view.endpoint, view.tag],
  ];
}

/** `2026-10` for a month, else its first and its last day. */
function periodName({ from, to }: { readonly from: number; readonly to: number }): string {
  const isMonth = from === monthOf(from) && to === monthOf(from + 32 * DAY_MS);
  return isMonth ? dayOf(from).slice(0, 7) : `${dayOf(from)}-to-${dayOf(to - 1)}`;
}

function slugOf({ id, name }: OwnerRecord): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return words === '' ? `owner-${id}` : words;
}
