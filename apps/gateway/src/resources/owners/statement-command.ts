/** `gateway owners statement` */
import { InvalidArgumentError, type Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { CommandFault, misuse } from '../../commands/command-fault.ts';
import { listOf, operatorCommand, wholeTime, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, dollars, moment, money, table, type Paint } from '../../commands/output.ts';
import { saveFile } from '../../commands/result-files.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { present } from '../../present.ts';

type Schemas = components['schemas'];
type Statement = Schemas['Statement'];

interface StatementOptions extends OperatorOptions {
  readonly month?: Period;
  readonly from?: string;
  readonly to?: string;
  readonly requests?: true;
  readonly by?: Schemas['StatementGroup'][];
  readonly tag?: string;
  readonly holds?: true;
  readonly csv?: string;
}
interface Period {
  readonly from: string;
  readonly to: string;
}

/** In the place of a user, a project and so on that requests have none of. */
const UNKNOWN = '–';

/** Adds `gateway owners statement`. */
export function addStatementCommand(owners: Command, terminal: Terminal): void {
  operatorCommand(owners, 'statement', 'what an owner had, added, used and has left; this month unless said otherwise')
    .argument('<owner>', 'the number or the name of the owner')
    .option('--month <month>', 'a calendar month (UTC), such as 2026-10', monthOf)
    .option('--from <time>', 'the start, such as 2026-11-01 or 2026-11-01T12:00:00Z')
    .option('--to <time>', 'the end, not included')
    .option('--requests', 'one line for each charge; by default one for each day and group')
    .option(
      '--by <groups>',
      'what the charges of a day are split by: model, key, project, user, session, run, endpoint, tag, or day for one line; comma separated; model by default',
      listOf,
    )
    .option('--tag <name>', 'the tag that --by tag splits by, such as team')
    .option('--holds', 'include holds and releases')
    .option('--csv <file>', 'save it as CSV, of any size')
    .action((owner: string, options: StatementOptions) =>
      withOperator(terminal, options, (work) => statement(work, owner, options)),
    );
}

async function statement(work: Work, owner: string, options: StatementOptions): Promise<void> {
  const { month, requests, by, tag, holds, csv } = options;
  if (month !== undefined && (options.from ?? options.to) !== undefined)
    throw misuse('--month is a period of its own: leave --from and --to away.');
  if (requests === true && by !== undefined) throw misuse('--requests has one line for each charge: leave --by away.');
  if (tag !== undefined && by?.includes('tag') !== true)
    throw misuse(
      requests === true
        ? '--requests has one line for each charge: leave --tag away.'
        : `--tag is for lines that are split by a tag: write --by ${[...(by ?? []), 'tag'].join(',')} --tag ${tag}.`,
    );
  const query = present({
    from: month?.from ?? (options.from === undefined ? undefined : wholeTime(options.from)),
    to: month?.to ?? (options.to === undefined ? undefined : wholeTime(options.to)),
    detail: requests === true ? ('requests' as const) : undefined,
    group_by: by,
    ...{ tag, holds },
  });
  const id = await ownerIdOf(work, owner);
  if (csv === undefined) {
    const found = await work.call('getOwnerStatement', { path: { owner_id: id }, query });
    work.say(found, (paint) => text(found, paint));
    return;
  }
  const bytes = await saveFile(csv, await work.downloads.statement(id, query));
  work.say({ file: csv, bytes }, () => `Saved ${csv}: ${count(bytes)} bytes.`);
}

/** A whole number is the owner's number; anything else its name. */
async function ownerIdOf({ list }: Work, owner: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(owner)) return Number(owner);
  const named = (await list('listOwners', { name: owner })).filter(({ name }) => name === owner);
  const [first, ...others] = named;
  if (first === undefined) throw new CommandFault(`No owner is called ${owner}. gateway owners list shows them all.`);
  if (others.length > 0)
    throw new CommandFault(
      `Several owners are called ${owner}: give the number instead (${named.map(({ id }) => id).join(', ')}).`,
    );
  return first.id;
}

function monthOf(text: string): Period {
  const [, year = '', month = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (month === '') throw new InvalidArgumentError('it must be a month such as 2026-10.');
  const at = (months: number): string => new Date(Date.UTC(Number(year), Number(month) - 1 + months)).toISOString();
  return { from: at(0), to: at(1) };
}

function groupWords({ group_by: groups }: Statement): string {
  const names = groups.filter((group) => group !== 'day');
  return names.length === 0 ? 'model' : names.join(', ');
}

/** What a line is of: its groups as the statement is split, else its note. */
function subjectOf({ group_by: groups }: Statement, line: Schemas['StatementLine']): string {
  const key = line.key_id === null ? null : `key ${line.key_id}`;
  const values = groups.filter((group) => group !== 'day').map((group) => (group === 'key' ? key : line[group]));
  const isSplit = values.length > 0 && (line.kind === 'charge' || values.some((value) => value !== null));
  // Several values are told apart by their places.
  return isSplit ? values.map((value) => value ?? UNKNOWN).join(', ') : (line.model ?? line.note ?? '');
}

function text(found: Statement, paint: Paint): string {
  const { owner_id: id, owner_name: name, from, to, lines, totals } = found;
  const balance = (when: string, words: string, usd: number): string[] => [
    when.slice(0, 10),
    words,
    '',
    '',
    '',
    dollars(usd),
  ];
  const sums = [
    ['Top-ups', totals.topups],
    ['Adjustments', totals.adjustments],
    ['Credits', totals.credits],
    ['Charges', totals.charges],
  ] as const;
  return [
    `Statement of ${name} (owner ${id}), ${moment(from)} to ${moment(to)} UTC`,
    table(
      ['date', 'what', `${groupWords(found)} or note`, 'requests', 'amount', 'balance'],
      [
        balance(from, 'opening balance', found.opening_balance_usd),
        ...lines.map((line) => [
          line.time === null ? line.date : moment(line.time),
          line.kind,
          subjectOf(found, line),
          line.requests === 0 ? '' : count(line.requests),
          dollars(line.amount_usd),
          dollars(line.balance_usd),
        ]),
        balance(to, 'closing balance', found.closing_balance_usd),
      ],
      paint,
    ),
    sums
      .filter(([, { amount }]) => amount !== 0)
      .map(([words, { amount_usd: usd }]) => `${words} ${dollars(usd)}`)
      .join(', '),
    ...(found.closing_reserved === 0
      ? []
      : [`Of the closing balance, ${money(found.closing_reserved)} are set aside for running requests.`]),
  ]
    .filter((line) => line !== '')
    .join('\n');
}
