/** `gateway tasks …` */
import { setTimeout as pause } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { CommandFault } from '../../commands/command-fault.ts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { readNames, type Names } from '../../commands/names.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { moment, money, record, table, type Paint } from '../../commands/output.ts';
import { startProgress } from '../../commands/progress.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Task = components['schemas']['AdminTask'];

const SHOWN = 50;
const LOOK_EVERY_MS = 1000;
const STATES = ['NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const satisfies readonly Task['status'][];

interface ListOptions extends OperatorOptions {
  readonly status?: Task['status'];
  readonly owner?: number;
  readonly model?: string;
  readonly limit?: number;
}

/** Adds `gateway tasks list|get|watch|cancel`; `gateway tasks` alone lists. */
export function addTaskCommands(program: Command, terminal: Terminal): void {
  const tasks = program.command('tasks').description('video and subject tasks of every owner');
  operatorCommand(tasks, 'list', 'list tasks, newest first', { isDefault: true })
    .addOption(new Option('--status <state>', 'only this state').choices([...STATES]))
    .option('--owner <id>', 'only this owner', wholeNumber)
    .option('--model <code>', 'only this model')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, isJson, say }) => {
        const { status, owner: owner_id, model } = options;
        const found = await list('listAllTasks', { status, owner_id, model }, limit);
        const names = await readNames({ list, isJson });
        say(found, (paint) => taskTable(found, names, paint));
      }),
    );
  operatorCommand(tasks, 'get', 'show one task')
    .argument('<task-id>', 'its id, such as task_5f0c…')
    .action((id: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, list, isJson, say }) => {
        const task = await call('getAnyTask', { path: { task_id: id } });
        const names = await readNames({ list, isJson });
        say(task, (paint) => taskRecord(task, names, paint));
      }),
    );
  operatorCommand(tasks, 'watch', 'wait for the end of a task; exit code 1 if it fails')
    .argument('<task-id>', 'its id')
    .action((id: string, options: OperatorOptions) =>
      withOperator(terminal, options, (work) => watch(terminal, work, id)),
    );
  operatorCommand(
    tasks,
    'cancel',
    'cancel a task on a running gateway (--url, --profile), if the vendor still can; its money is released',
  )
    .argument('<task-id>', 'its id')
    .action((id: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, isLocal, say }) => {
        if (isLocal)
          throw new CommandFault(
            'Only a running gateway can ask the vendor to stop a task: give --url and set GATEWAY_ADMIN_KEY, or give --profile.',
          );
        const task = await call('cancelAnyTask', { path: { task_id: id } });
        say(task, () => `Task ${task.id} is cancelled, and nothing was charged.`);
      }),
    );
}

async function watch(terminal: Terminal, { call, list, isJson, say, exitWith }: Work, id: string): Promise<void> {
  const progress = startProgress(terminal);
  const read = () => call('getAnyTask', { path: { task_id: id } });
  let task = await read();
  try {
    while (!hasEnded(task)) {
      progress.show(task.progress, `${task.status} ${task.model}`);
      await pause(LOOK_EVERY_MS);
      task = await read();
    }
  } finally {
    progress.end();
  }
  const names = await readNames({ list, isJson });
  say(task, (paint) => taskRecord(task, names, paint));
  if (task.status === 'FAILURE') exitWith(1);
}

function hasEnded({ status }: Task): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

function taskTable(tasks: readonly Task[], names: Names, paint: Paint): string {
  if (tasks.length === 0) return 'There are no such tasks.';
  return table(
    ['id', 'status', 'progress', 'model', 'account', 'owner', 'price', 'made', 'next look', 'reason'],
    tasks.map((task) => [
      task.id,
      task.status,
      `${task.progress}%`,
      task.model,
      task.account,
      names.owner(task.owner_id),
      money(task.quota),
      moment(task.created_at),
      moment(task.next_check_at),
      task.fail_reason,
    ]),
    paint,
  );
}

function taskRecord(task: Task, names: Names, paint: Paint): string {
  return record(
    [
      ['id', task.id],
      ['status', `${task.status} ${task.progress}%`],
      ...(task.fail_code === '' ? [] : [['reason', `${task.fail_code}: ${task.fail_reason}`] as const]),
      ['kind', `${task.kind}, ${task.mode}`],
      ['model', `${task.model} (${task.account}: ${task.upstream_model})`],
      ['owner', `${names.owner(task.owner_id)}, key ${names.key(task.key_id)}`],
      ['request', task.request_id],
      [hasEnded(task) ? 'charged' : 'set aside', money(task.quota)],
      ['made', `${moment(task.created_at)} UTC`],
      ...(task.finish_time === null ? [] : [['ended', `${moment(task.finish_time)} UTC`] as const]),
      ...(task.next_check_at === null ? [] : [['next look', `${moment(task.next_check_at)} UTC`] as const]),
      ...(hasEnded(task) ? [] : [['given up', `${moment(task.deadline_at)} UTC, when it has not ended`] as const]),
      ['looks', `${task.checks}, ${task.faults} faults in a row`],
    ],
    paint,
  );
}
