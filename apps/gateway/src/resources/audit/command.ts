/** `gateway audit list` */
import type { Command } from 'commander';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import type { AuditFilter } from '../../commands/operator/operator.ts';
import { withOperator } from '../../commands/operator/with-operator.ts';
import { moment, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const SHOWN = 100;

interface ListOptions extends OperatorOptions, AuditFilter {
  readonly limit?: number;
}

/** Adds `gateway audit list`. */
export function addAuditCommands(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('who changed keys, owners, balances and deliveries');
  operatorCommand(audit, 'list', 'changes through the admin API and the commands, newest first')
    .option('--actor <name>', "only of this one: 'command', or an admin key by its hint as it is listed")
    .option('--action <name>', 'only of this kind, such as key.create or owner.adjust')
    .option('--subject <name>', "only of this one, such as 'key 12' or 'owner 3'")
    .option('--limit <n>', `how many; ${SHOWN} when absent`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ operator, say }) => {
        const { actor, action, subject } = options;
        const filter = {
          ...(actor !== undefined && { actor }),
          ...(action !== undefined && { action }),
          ...(subject !== undefined && { subject }),
        };
        const rows = await operator.audit(filter, limit);
        say(rows, (paint) =>
          rows.length === 0
            ? 'Nothing of that kind was changed.'
            : table(
                ['id', 'when', 'who', 'action', 'subject', 'request'],
                rows.map((row) => [
                  String(row.id),
                  moment(row.at),
                  row.actor,
                  row.action,
                  row.subject,
                  row.request_id ?? '',
                ]),
                paint,
              ),
        );
      }),
    );
}
