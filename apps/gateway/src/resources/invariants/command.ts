/** `gateway invariants` */
import type { Command } from 'commander';
import { operatorCommand, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { moment, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

/** Adds `gateway invariants`. */
export function addInvariantCommands(program: Command, terminal: Terminal): void {
  operatorCommand(
    program,
    'invariants',
    'check the whole database for broken invariants; exit code 1 if one is found',
  ).action((options: OperatorOptions) => withOperator(terminal, options, invariants));
}

async function invariants({ call, say, exitWith }: Work): Promise<void> {
  const report = await call('getInvariants', { query: { look: true } });
  say(report, (paint) =>
    [
      table(
        ['invariant', 'violations'],
        report.invariants.map((each) => [each.name, String(each.violations)]),
        paint,
      ),
      ...(report.ok
        ? []
        : [
            '',
            table(
              ['what', 'why'],
              report.violations.map((each) => [each.subject, each.message]),
              paint,
            ),
          ]),
      '',
      `Looked through everything at ${moment(report.whole_at)} UTC.`,
    ].join('\n'),
  );
  if (!report.ok) exitWith(1);
}
