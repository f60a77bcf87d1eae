/** `gateway usage` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import {
  listOf,
  operatorCommand,
  wholeTime,
  wholeNumber,
  type OperatorOptions,
} from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, counted, dollars, moment, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];
type Report = Schemas['UsageReport'];

interface UsageOptions extends OperatorOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by?: Schemas['UsageGroup'][];
  readonly owner?: number;
  readonly key?: number;
  readonly tag?: string;
  readonly user?: string;
  readonly session?: string;
  readonly run?: string;
  readonly top?: number;
  readonly test?: boolean;
}

/** Adds `gateway usage`. */
export function addUsageCommand(program: Command, terminal: Terminal): void {
  operatorCommand(program, 'usage', 'usage and charges, of the last 30 days by default')
    .option('--from <time>', 'the start, such as 2026-11-01 or 2026-11-01T12:00:00Z')
    .option('--to <time>', 'the end, not included')
    .option(
      '--by <groups>',
      'day, model, key, owner, organization, project, user, session, run, endpoint, account, vendor, tag, default_price; comma separated; day by default',
      listOf,
    )
    .option('--tag <name>', 'group by this tag too, such as team')
    .option('--owner <id>', 'only this owner', wholeNumber)
    .option('--key <id>', 'only this key', wholeNumber)
    .option('--user <id>', 'only for this user')
    .option('--session <id>', 'only in this session')
    .option('--run <id>', 'only of this run')
    .option('--top <n>', 'only so many groups, those with the highest charges', wholeNumber)
    .option('--test', 'usage of test keys, which are not charged, at the prices of live keys')
    .action((options: UsageOptions) => withOperator(terminal, options, (work) => usage(work, options)));
}

async function usage({ call, say }: Work, options: UsageOptions): Promise<void> {
  const { from, to, by, owner: owner_id, key: key_id, tag, top, test = false } = options;
  const group_by = withTag(by, tag);
  const { user, session, run } = options;
  const query = {
    from: from === undefined ? undefined : wholeTime(from),
    to: to === undefined ? undefined : wholeTime(to),
    ...{ owner_id, key_id, user, session, run },
  };
  const report = await call('getUsage', { query: { ...query, group_by, tag, top, mode: test ? 'test' : 'live' } });
  // The other mode over exactly the same time: its count of requests is printed below the table.
  const { from: start, to: end } = report;
  const others = await call('getUsage', { query: { ...query, from: start, to: end, mode: test ? 'live' : 'test' } });
  say(report, (paint) => text(report, others.total.requests, test, paint));
}

/** A tag that is named is to be seen, whether or not `--by` says so. */
export function withTag(
  by: Schemas['UsageGroup'][] | undefined,
  tag: string | undefined,
): Schemas['UsageGroup'][] | undefined {
  return tag === undefined || by?.includes('tag') === true ? by : [...(by ?? []), 'tag'];
}

function text(report: Report, leftOut: number, test: boolean, paint: Paint): string {
  const sums = (row: Report['total']): string[] => [
    count(row.requests),
    count(row.input_tokens),
    count(row.output_tokens),
    dollars(row.charged_usd),
  ];
  return [
    `From ${moment(report.from)} to ${moment(report.to)} UTC${test ? ', test keys' : ''}`,
    table(
      [...report.group_by, 'requests', 'input tokens', 'output tokens', test ? 'would cost' : 'charged'],
      [
        ...report.data.map((row) => [
          ...report.group_by.map((name) => row.names[name] ?? String(row.group[name] ?? '')),
          ...sums(row),
        ]),
        [...report.group_by.map((_, index) => (index === 0 ? 'all' : '')), ...sums(report.total)],
      ],
      paint,
    ),
    ...(leftOut === 0 ? [] : [paint('yellow', leftOutText(leftOut, test))]),
  ].join('\n');
}

/** What belongs to the same time and is in the other report. */
function leftOutText(requests: number, test: boolean): string {
  return test
    ? `${counted(requests, 'live request')} left out: leave --test away to see them.`
    : `${counted(requests, 'test request')} left out: add --test to see them.`;
}
