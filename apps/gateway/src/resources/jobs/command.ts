/** `gateway jobs …` */
import { setTimeout as pause } from 'node:timers/promises';
import { Argument, Option, type Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { CommandFault } from '../../commands/command-fault.ts';
import {
  listOf,
  operatorCommand,
  wholeNumber,
  wholeTime,
  type OperatorOptions,
} from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, counted, moment, record, table, type Paint } from '../../commands/output.ts';
import { saveFile } from '../../commands/result-files.ts';
import { startProgress } from '../../commands/progress.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { present } from '../../present.ts';
import { withTag } from '../usage/command.ts';

type Schemas = components['schemas'];
type Job = Schemas['Job'];

const SHOWN = 50;
const LOOK_EVERY_MS = 300;
const KINDS = [
  'ledger_verify',
  'invariants',
  'backup',
  'usage_export',
  'ledger_export',
  'request_export',
  'audit_export',
] as const satisfies readonly Job['kind'][];
const STATES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly Job['state'][];

interface ListOptions extends OperatorOptions {
  readonly kind?: Job['kind'];
  readonly state?: Job['state'];
  readonly limit?: number;
}

interface StartOptions extends OperatorOptions {
  readonly from?: string;
  readonly to?: string;
  readonly owner?: number;
  readonly key?: number;
  readonly mode?: 'live' | 'test';
  readonly by?: Schemas['UsageGroup'][];
  readonly tag?: string;
  readonly detach?: true;
}

/** Adds `gateway jobs list|get|start|watch|cancel|download`; `gateway jobs` alone lists. */
export function addJobCommands(program: Command, terminal: Terminal): void {
  const jobs = program.command('jobs').description('maintenance jobs: verification, backups and complete exports');
  operatorCommand(jobs, 'list', 'list jobs, newest first', { isDefault: true })
    .addOption(new Option('--kind <kind>', 'only this kind').choices([...KINDS]))
    .addOption(new Option('--state <state>', 'only this state').choices([...STATES]))
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, kind, state, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, say }) => {
        const found = await list('listJobs', { kind, state }, limit);
        say(found, (paint) => jobTable(found, paint));
      }),
    );
  const about = (usage: string, description: string, act: (work: Work, id: number) => Promise<void>): void => {
    operatorCommand(jobs, usage, description)
      .argument('<job-id>', 'its number', wholeNumber)
      .action((id: number, options: OperatorOptions) => withOperator(terminal, options, (work) => act(work, id)));
  };
  about('get', 'show one job', async ({ call, say }, id) => {
    const job = await call('getJob', { path: { job_id: id } });
    say(job, (paint) => jobRecord(job, paint));
  });
  about('watch', 'wait for the end of a job; exit code 1 if it fails or finds something', (work, id) =>
    watch(terminal, work, id),
  );
  about('cancel', 'cancel a waiting or running job, in any process', async ({ call, say }, id) => {
    const job = await call('cancelJob', { path: { job_id: id } });
    say(job, () => `Job ${job.id} is ${job.state === 'cancelled' ? 'cancelled' : 'being cancelled'}.`);
  });
  addStart(jobs, terminal);
  operatorCommand(jobs, 'download', 'save the file of a job')
    .argument('<job-id>', 'its number', wholeNumber)
    .option('-o, --output <file>', 'the file to save to; its own name in this folder by default')
    .action((id: number, options: OperatorOptions & { readonly output?: string }) =>
      withOperator(terminal, options, async ({ call, downloads, say }) => {
        const { file } = await call('getJob', { path: { job_id: id } });
        if (file === null) throw new CommandFault(`Job ${id} has no file, or its file has expired.`);
        const path = options.output ?? file.name;
        await saveFile(path, await downloads.jobFile(id));
        say({ file: path, bytes: file.bytes }, () => `Saved ${path}: ${count(file.bytes)} bytes.`);
      }),
    );
}

function addStart(jobs: Command, terminal: Terminal): void {
  operatorCommand(jobs, 'start', 'start a job and wait for its end; with --url or --profile it continues without you')
    .addArgument(new Argument('<kind>', 'the kind of job').choices([...KINDS]))
    .option('--from <time>', 'the start of an export, such as 2026-11-01 or 2026-11-01T12:00:00Z')
    .option('--to <time>', 'the end of an export, not included')
    .option('--owner <id>', 'export only entries of this owner', wholeNumber)
    .option('--key <id>', 'export only entries of this key', wholeNumber)
    .addOption(new Option('--mode <mode>', 'export only entries of these keys: live or test').choices(['live', 'test']))
    .option(
      '--by <groups>',
      'for usage: day, model, key, owner, organization, project, user, session, run, endpoint, account, vendor, tag, default_price; comma separated',
      listOf,
    )
    .option('--tag <name>', 'for usage: group by this tag too, such as team')
    .option('--detach', 'do not wait for the end; needs --url or --profile')
    .action((kind: Job['kind'], options: StartOptions) =>
      withOperator(terminal, options, async (work) => {
        const { from, to, owner: owner_id, key: key_id, mode, by, tag, detach } = options;
        if (detach === true && work.isLocal)
          throw new CommandFault('The job would not run after this command ends: remove --detach, or give --url.');
        const given = {
          from: from === undefined ? undefined : wholeTime(from),
          to: to === undefined ? undefined : wholeTime(to),
          ...{ owner_id, key_id, mode, tag, group_by: withTag(by, tag) },
        };
        const body = { kind, ...present(given) };
        const job = await work.call('createJob', { body });
        if (detach === true) work.say(job, (paint) => jobRecord(job, paint));
        else await watch(terminal, work, job.id);
      }),
    );
}

async function watch(terminal: Terminal, { call, say, exitWith }: Work, id: number): Promise<void> {
  const progress = startProgress(terminal);
  const read = () => call('getJob', { path: { job_id: id } });
  let job = await read();
  try {
    while (isOpen(job)) {
      progress.show(percentOf(job), `${job.state} ${job.kind}`);
      await pause(LOOK_EVERY_MS);
      job = await read();
    }
  } finally {
    progress.end();
  }
  say(job, (paint) => jobRecord(job, paint));
  if (job.state !== 'succeeded' || job.result?.ok === false) exitWith(1);
}

function isOpen({ state }: Job): boolean {
  return state === 'queued' || state === 'running';
}

function percentOf({ progress: { done, total } }: Job): number {
  return total === null || total === 0 ? 0 : (100 * done) / total;
}

function outcomeOf({ result, error, file }: Job): string {
  if (error !== null) return error.message;
  if (result === null) return '';
  if (result.ok !== null) return result.ok ? 'nothing found' : `${count(result.found ?? 0)} found`;
  return `${counted(result.rows ?? 0, 'line')}${file === null ? '' : `, ${count(file.bytes)} bytes`}`;
}

function jobTable(jobs: readonly Job[], paint: Paint): string {
  if (jobs.length === 0) return 'There are no such jobs.';
  return table(
    ['id', 'kind', 'state', 'progress', 'started', 'by', 'outcome'],
    jobs.map((job) => [
      String(job.id),
      job.kind,
      job.state,
      `${Math.floor(percentOf(job))}%`,
      moment(job.created_at),
      job.started_by,
      outcomeOf(job),
    ]),
    paint,
  );
}

function jobRecord(job: Job, paint: Paint): string {
  const { file, result } = job;
  const examples = result?.examples ?? [];
  return [
    record(
      [
        ['id', String(job.id)],
        ['kind', job.kind],
        ['state', isOpen(job) ? `${job.state} ${Math.floor(percentOf(job))}%` : job.state],
        ['started', `${moment(job.created_at)} UTC by ${job.started_by}`],
        ...(job.ended_at === null ? [] : [['ended', `${moment(job.ended_at)} UTC`] as const]),
        ...(outcomeOf(job) === '' ? [] : [['outcome', outcomeOf(job)] as const]),
        ...(file === null
          ? []
          : [['file', `${file.name}, until ${moment(file.expires_at)} UTC: gateway jobs download ${job.id}`] as const]),
      ],
      paint,
    ),
    ...(examples.length === 0
      ? []
      : [
          '',
          table(
            ['what', 'why'],
            examples.map(({ subject, message }) => [subject, message]),
            paint,
          ),
        ]),
  ].join('\n');
}
