/** `gateway webhooks …` */
import type { Command } from 'commander';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { moment } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const SHOWN = 50;

interface ListOptions extends OperatorOptions {
  readonly task?: string;
  readonly pending?: boolean;
  readonly limit?: number;
}

/** Adds `gateway webhooks list|replay`. */
export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const webhooks = program.command('webhooks').description('messages to the callback addresses of tasks');
  operatorCommand(webhooks, 'list', 'list deliveries, newest first')
    .option('--task <id>', 'only this task')
    .option('--pending', 'only messages that are not delivered yet')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, sayTable }) => {
        const { task: task_id, pending } = options;
        sayTable(
          await list('listWebhookDeliveries', { task_id, pending }, limit),
          'There are no such deliveries.',
          ['id', 'task', 'status', 'attempts', 'answer', 'next attempt', 'address'],
          (each) => [
            each.id,
            each.task_id,
            each.status,
            String(each.attempts),
            each.last_error ?? (each.last_status === null ? '' : String(each.last_status)),
            moment(each.next_attempt_at),
            each.url,
          ],
        );
      }),
    );
  operatorCommand(webhooks, 'replay', 'send a message again, even if it was delivered or given up')
    .argument('<delivery-id>', 'its id, such as msg_2c1d…')
    .action((id: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const delivery = await call('replayWebhookDelivery', { path: { delivery_id: id } });
        say(delivery, () => `${delivery.id} is due now; a running gateway sends it to ${delivery.url}.`);
      }),
    );
}
