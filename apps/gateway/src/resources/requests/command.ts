/** `gateway requests list`, `gateway requests get`, `gateway requests waive`, `gateway requests dropped` */
import type { Command } from 'commander';
import type { QueryOf } from '@model-gateway/client';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, wholeTime, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { dollars, moment, money, named, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const SHOWN = 50;

type Schemas = components['schemas'];

interface ListOptions extends DroppedOptions {
  readonly status?: NonNullable<QueryOf<'listRequests'>['status']>;
  readonly error?: string;
  readonly tag?: string;
  readonly user?: string;
  readonly session?: string;
  readonly run?: string;
}

/** Adds `gateway requests`. */
export function addRequestCommands(program: Command, terminal: Terminal): void {
  const requests = program.command('requests').description('the request log: requests and their results');
  operatorCommand(requests, 'list', 'requests of live and test keys, newest first')
    .option('--owner <id>', 'only this owner', wholeNumber)
    .option('--key <id>', 'only this key', wholeNumber)
    .option('--model <code>', 'only requests for this model')
    .option('--status <class>', 'only this class of status: 2xx, 4xx or 5xx')
    .option('--error <code>', 'only requests with this error code')
    .option('--tag <tag>', 'only requests with this tag, as name=value')
    .option('--user <id>', 'only requests for this user')
    .option('--session <id>', 'only requests in this session')
    .option('--run <id>', 'only requests of this run')
    .option('--from <time>', 'only requests from this time on, such as 2026-11-01 or 2026-11-01T12:00:00Z')
    .option('--to <time>', 'before')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, status, error, tag, user, session, run, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, say }) => {
        const filter = { ...filterOf(options), status, error, tag, user, session, run };
        const rows = await list('listRequests', filter, limit);
        say(rows, (paint) => (rows.length === 0 ? 'There was no such request.' : listText(rows, paint)));
      }),
    );
  operatorCommand(requests, 'get <request-id>', 'one request with its attempts and its bill').action(
    (id: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const detail = await call('getRequest', { path: { request_id: id } });
        say(detail, (paint) => detailText(detail, paint));
      }),
  );
  operatorCommand(requests, 'waive <request-id>', 'give back what a request was charged')
    .requiredOption('--note <text>', 'the reason, which is kept in the ledger')
    .action((id: string, { note, ...options }: OperatorOptions & { readonly note: string }) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const change = await call('waiveRequest', { path: { request_id: id }, body: { note } });
        const { entry, owner } = change;
        say(
          change,
          () =>
            `Owner ${owner.id} (${owner.name}) has ${money(entry.amount)} back. The balance is ${dollars(owner.balance_usd)}.`,
        );
      }),
    );
  addDroppedCommand(requests, terminal);
}

interface DroppedOptions extends OperatorOptions {
  readonly owner?: number;
  readonly key?: number;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

function addDroppedCommand(requests: Command, terminal: Terminal): void {
  operatorCommand(requests, 'dropped', 'parameters that did not reach the vendor as they were sent, of the last 7 days')
    .option('--owner <id>', 'only of this owner', wholeNumber)
    .option('--key <id>', 'only of this key', wholeNumber)
    .option('--model <code>', 'only of requests for this model')
    .option('--from <time>', 'the first day, such as 2026-11-01')
    .option('--to <time>', 'the last day; today by default')
    .option('--limit <n>', 'how many lines to show at most', wholeNumber)
    .action(({ limit, ...options }: DroppedOptions) =>
      withOperator(terminal, options, async ({ call, sayTable }) => {
        const { data } = await call('listDroppedParameters', { query: { ...filterOf(options), limit } });
        const headings = ['parameter', 'model', 'key', 'requests', 'last seen', 'why', 'what to do'];
        sayTable(data, 'Every parameter reached its vendor.', headings, (row) => [
          row.parameter,
          row.model ?? '',
          named(row.key_name, row.key_id),
          String(row.requests),
          moment(row.last_at),
          row.reason,
          row.advice,
        ]);
      }),
    );
}

function filterOf({ owner: owner_id, key: key_id, model, from, to }: DroppedOptions) {
  const times = {
    from: from === undefined ? undefined : wholeTime(from),
    to: to === undefined ? undefined : wholeTime(to),
  };
  return { owner_id, key_id, model, ...times };
}

function listText(rows: readonly Schemas['RequestRecord'][], paint: Paint): string {
  return table(
    ['when', 'id', 'owner', 'key', 'model', 'status', 'error', 'ms', 'attempts', 'charged'],
    rows.map((row) => [
      moment(row.at),
      row.id,
      named(row.owner_name, row.owner_id),
      named(row.key_name, row.key_id),
      row.model ?? '',
      String(row.status),
      row.error ?? '',
      String(row.ms),
      String(row.attempts),
      dollars(row.charged_usd),
    ]),
    paint,
  );
}

function detailText({ request, attempts, bill, content }: Schemas['RequestDetail'], paint: Paint): string {
  return [
    listText([request], paint),
    ...(attempts.length === 0
      ? ['No vendor was asked.']
      : [
          table(
            ['attempt', 'account', 'model', 'began at ms', 'ms', 'status', 'error', 'words'],
            attempts.map((each, index) => [
              String(index + 1),
              each.account ?? String(each.account_id),
              each.upstream_model,
              String(each.started_ms),
              String(each.ms),
              each.status === null ? '' : String(each.status),
              each.error ?? '',
              each.message ?? '',
            ]),
            paint,
          ),
        ]),
    ...(bill === null
      ? []
      : [
          table(
            ['item', 'quantity', 'price', 'per', 'factor'],
            bill.lines.map((line) => [line.item, line.quantity, line.price, line.per, line.factor].map(String)),
            paint,
          ),
          ...interruptedLines(bill),
          ...(bill.waived === 0 ? [] : [`Given back: ${money(bill.waived)}.`]),
        ]),
    ...(content === null ? [] : contentLines(content)),
  ].join('\n');
}

const BASES = {
  delivered: 'what had come of the answer',
  estimate: 'an estimate, because nothing of the answer had come',
  reserved:
    'all that was set aside, because the owner or the key has a limit, or what a thinking model had used was unknown',
} as const;

function interruptedLines(bill: NonNullable<Schemas['RequestDetail']['bill']>): readonly string[] {
  const { interrupted, charged, waived, request_id: id } = bill;
  if (interrupted === null) return [];
  const of = `Of ${money(interrupted.reserved)} set aside, ${money(interrupted.charged)} was charged`;
  return [
    `The gateway stopped while this request ran. ${of}: ${BASES[interrupted.basis]}.`,
    ...(charged > waived ? [`Give it back with: gateway requests waive ${id} --note "why"`] : []),
  ];
}

function contentLines({ fault, messages, request, answer }: Schemas['RequestContent']): readonly string[] {
  if (fault !== null) return [fault];
  if (messages.length > 0) return messages.map(({ role, text }) => `${role}: ${text}`);
  return [request, answer].map((each) => JSON.stringify(each, undefined, 2));
}
