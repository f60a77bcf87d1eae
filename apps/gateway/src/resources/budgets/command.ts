/** `gateway budgets list|create|update|delete` */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BodyOf, QueryOf } from '@model-gateway/client';
import type { components } from '@model-gateway/contracts';
import { misuse } from '../../commands/command-fault.ts';
import { present } from '../../present.ts';
import {
  amountOfDollars,
  listOf,
  operatorCommand,
  wholeNumber,
  type OperatorOptions,
} from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { count, dollars, moment, named } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { CAPS } from '../keys/limits.ts';

type Budget = components['schemas']['Budget'];

interface BudgetOptions extends OperatorOptions {
  readonly of?: NonNullable<QueryOf<'listBudgets'>['of']>;
  readonly limit?: number;
}

/** Adds `gateway budgets`. */
export function addBudgetCommand(program: Command, terminal: Terminal): void {
  const budgets = program.command('budgets').description('budgets of keys, owners and accounts, and those above keys');
  operatorCommand(budgets, 'list', 'list all, the most used first (default)', { isDefault: true })
    .option('--of <what>', 'only budgets of this kind: key, owner, account or budget')
    .option('--limit <n>', 'how many to show at most', wholeNumber)
    .action(({ of, limit, ...options }: BudgetOptions) =>
      withOperator(terminal, options, async ({ call, sayTable }) => {
        const { data } = await call('listBudgets', { query: { of, limit } });
        const headings = ['of', 'name', 'owner', 'limit', 'most', 'used', 'left', '%', 'resets'];
        sayTable(data, 'Nothing has a budget.', headings, cellsOf);
      }),
    );
  ruleOptions(operatorCommand(budgets, 'create', 'create a budget above keys'))
    .argument('<name>', 'a unique name, for refusals and alerts')
    .action((name: string, options: RuleOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const { scope, window, limit, alert_at: shares, ...rest } = membersOf(options);
        if (scope === undefined || window === undefined || limit === undefined)
          throw misuse('A budget needs --scope, --window and --limit. See gateway budgets create --help.');
        const own = shares === undefined || shares === null ? {} : { alert_at: shares };
        const rule = await call('createBudget', { body: { name, scope, window, limit, ...rest, ...own } });
        say(rule, () => ruleText(rule));
      }),
    );
  ruleOptions(operatorCommand(budgets, 'update', 'change what you name and keep the rest'))
    .argument('<budget>', 'its name or number')
    .action((budget: string, options: RuleOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const body = membersOf(options);
        if (Object.keys(body).length === 0)
          throw misuse('Name what to change, such as --limit. See gateway budgets update --help.');
        const rule = await call('updateBudget', { path: { budget }, body });
        say(rule, () => ruleText(rule));
      }),
    );
  operatorCommand(budgets, 'delete', 'delete a budget above keys')
    .argument('<budget>', 'its name or number')
    .action((budget: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const gone = await call('deleteBudget', { path: { budget } });
        say(gone, () => `The budget ${gone.name} is deleted.`);
      }),
    );
}

type Rule = components['schemas']['BudgetRule'];
type Created = Pick<BodyOf<'createBudget'>, 'tag' | 'values' | 'each' | 'action'> &
  Partial<Pick<BodyOf<'createBudget'>, 'scope' | 'window' | 'limit'>>;
type Members = Created & Pick<BodyOf<'updateBudget'>, 'alert_at'>;

interface RuleOptions extends OperatorOptions, Created {
  readonly alertAt?: number[] | 'default';
}

function ruleOptions(command: Command): Command {
  return command
    .addOption(new Option('--scope <what>', 'what it is of').choices(['organization', 'owner', 'user', 'key', 'tag']))
    .option('--tag <name>', 'the name of the tag; only for a budget of a tag')
    .option('--values <names>', 'whose requests count, with commas between them; all by default', listOf)
    .option('--each', 'each of them has the whole limit')
    .option('--no-each', 'they share the limit')
    .addOption(new Option('--window <window>', 'when it begins anew').choices(Object.keys(CAPS)))
    .option('--limit <usd>', 'the limit in US dollars', amountOfDollars)
    .addOption(new Option('--action <action>', 'what happens beyond it').choices(['refuse', 'alert']))
    .option('--alert-at <shares>', 'when you are told: 0.5,0.8,1; none; or default for alerts.at', sharesOf);
}

/** `0.5,0.8,1`, `none` or `default`; the gateway checks how large they may be. */
function sharesOf(text: string): number[] | 'default' {
  if (text === 'default') return text;
  if (text === 'none') return [];
  const shares = listOf(text).map(Number);
  if (shares.length > 0 && shares.every((share) => share > 0)) return shares;
  throw new InvalidArgumentError('it must be shares of the limit such as 0.5,0.8,1, or none, or default.');
}

function membersOf({ scope, tag, values, each, window, limit, action, alertAt }: RuleOptions): Members {
  const shares = alertAt === 'default' ? null : alertAt;
  return present({ scope, tag, values, each, window, limit, action, alert_at: shares });
}

function ruleText({ name, scope, tag, values, each, window, limit, action, alert_at: shares }: Rule): string {
  const whose = values === null ? 'all' : values.join(', ');
  const rest = [
    each ? 'each has the whole limit' : 'they share it',
    ...(action === 'alert' ? ['alert only'] : []),
    ...(shares === null
      ? []
      : [shares.length === 0 ? 'no alerts at a share' : `alerts at ${shares.map(percent).join(', ')}`]),
  ];
  return `Budget ${name}: ${dollars(limit)} per ${window}, of ${tag === null ? scope : `${scope} ${tag}`}: ${whose}; ${rest.join('; ')}.`;
}

function percent(share: number): string {
  return `${Math.round(share * 1e6) / 1e4}%`;
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
