/** `gateway alerts …` */
import type { Command } from 'commander';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { moment, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const SHOWN = 50;

interface ListOptions extends OperatorOptions {
  readonly channel?: string;
  readonly limit?: number;
}

/** Adds `gateway alerts list|test`. */
export function addAlertCommands(program: Command, terminal: Terminal): void {
  const alerts = program.command('alerts').description('alerts about budgets and accounts, and their channels');
  operatorCommand(alerts, 'list', 'list alerts and whether they arrived, newest first')
    .option('--channel <name>', 'only this channel')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, channel, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, sayTable }) => {
        sayTable(
          await list('listAlerts', { channel }, limit),
          'There are no alerts.',
          ['id', 'at', 'channel', 'status', 'attempts', 'fault', 'alert'],
          (each) => [
            String(each.id),
            moment(each.created_at),
            each.channel,
            each.status,
            String(each.attempts),
            each.last_error ?? '',
            each.text,
          ],
        );
      }),
    );
  operatorCommand(alerts, 'test', 'send a test message; exit code 1 if it does not arrive')
    .argument('[channel]', 'the name of a channel; all channels without it')
    .action((channel: string | undefined, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say, exitWith }) => {
        const tested = await call('testAlerts', { body: channel === undefined ? {} : { channel } });
        say(tested, (paint) =>
          table(
            ['channel', 'type', 'result'],
            tested.channels.map(({ name, type, ok, error }) => [name, type, ok ? 'arrived' : (error ?? 'failed')]),
            paint,
          ),
        );
        if (!tested.ok) exitWith(1);
      }),
    );
}
