/** `gateway budgets` */
import type { Command } from 'commander';
import type { QueryOf } from '@model-gateway/client';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { count, dollars, moment, named } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Budget = components['schemas']['Budget'];

interface BudgetOptions extends OperatorOptions {
  readonly of?: NonNullable<QueryOf<'listBudgets'>['of']>;
  readonly limit?: number;
}

/** Adds `gateway budgets`. */
export function addBudgetCommand(program: Command, terminal: Terminal): void {
  operatorCommand(program, 'budgets', 'budgets of keys, owners and accounts, the most used first')
    .option('--of <what>', 'only budgets of this kind: key, owner, account or budget')
    .option('--limit <n>', 'how many to show at most', wholeNumber)
    .action(({ of, limit, ...options }: BudgetOptions) =>
      withOperator(terminal, options, async ({ call, sayTable }) => {
        const { data } = await call('listBudgets', { query: { of, limit } });
        const headings = ['of', 'name', 'owner', 'limit', 'most', 'used', 'left', '%', 'resets'];
        sayTable(data, 'Nothing has a budget.', headings, cellsOf);
      }),
    );
}

function cellsOf(budget: Budget): readonly string[] {
  const { of, id, name, owner_id: owner, owner_name: ownerName, bound, share, resets_at: resets } = budget;
  const amount = (value: number | null): string => (value === null ? '' : budget.unit === 'usd' ? dollars(value) : count(value)); // prettier-ignore
  return [
    of,
    named(name, id),
    of === 'key' ? named(ownerName, owner) : '',
    bound,
    ...[budget.limit, budget.used, budget.left].map(amount),
    share === null ? '' : `${Math.round(share * 100)}%`,
    moment(resets),
  ];
}
