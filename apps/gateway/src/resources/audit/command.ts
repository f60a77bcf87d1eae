/** `gateway audit list` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { moment } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const SHOWN = 100;

interface ListOptions extends OperatorOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly limit?: number;
}

/** Adds `gateway audit list`. */
export function addAuditCommands(program: Command, terminal: Terminal): void {
  const audit = program
    .command('audit')
    .description('the audit log: who changed keys, owners, balances and deliveries');
  operatorCommand(audit, 'list', 'changes through the admin API and the commands, newest first')
    .option('--actor <name>', "only changes by 'command' or by an admin key; use the hint from the list")
    .option('--action <name>', 'only this kind of change, such as key.create or owner.adjust')
    .option('--subject <name>', "only changes of this object, such as 'key 12' or 'owner 3'")
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, sayTable }) => {
        const { actor, subject } = options;
        // The gateway refuses other words.
        const action = options.action as components['schemas']['AuditAction'] | undefined;
        sayTable(
          await list('listAuditEntries', { actor, action, subject }, limit),
          'Nothing of that kind was changed.',
          ['id', 'when', 'who', 'action', 'subject', 'request'],
          (row) => [String(row.id), moment(row.at), row.actor, row.action, row.subject, row.request_id ?? ''],
        );
      }),
    );
}
