/** `gateway keys …` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { KEY_LIMITS, LIMIT_NAMES, type LimitName, type LimitsInput } from './limits.ts';
import { ask } from '../../commands/ask.ts';
import { misuse } from '../../commands/command-fault.ts';
import {
  amountOfDollars,
  listOf,
  operatorCommand,
  wholeNumber,
  wholeTime,
  type OperatorOptions,
} from '../../commands/command-options.ts';
import { readNames, type Names } from '../../commands/names.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, dollars, moment, money, record, table, type Paint } from '../../commands/output.ts';
import { canAsk, note, type Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];
type Key = Schemas['Key'];
type KeyCreated = Schemas['KeyCreated'];
type Owner = Schemas['Owner'];

/** commander hands limits over by the names that core has for them. */
type LimitOptions = { readonly [Name in LimitName as (typeof KEY_LIMITS)[Name]['field']]?: number };

interface ScopeOptions extends OperatorOptions, LimitOptions {
  readonly name?: string;
  readonly group?: string;
  readonly models?: string[];
  readonly ips?: string[];
  readonly expires?: string;
  readonly webhookSecret?: string;
  readonly keepBodies?: boolean;
}
interface CreateOptions extends ScopeOptions {
  readonly test?: boolean;
  readonly owner?: number;
  readonly unlimited?: boolean;
}
interface UpdateOptions extends ScopeOptions {
  readonly clearLimits?: boolean;
}

/** Adds `gateway keys create|list|get|update|rotate|revoke`. */
export function addKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('create, list, change, rotate and revoke client keys');
  const creating = operatorCommand(keys, 'create', 'create a key; its secret is shown once and stored only as a hash')
    .option('--test', 'create an sk-test- key: the vendor twin answers it, free of charge')
    .option(
      '--owner <id>',
      'the owner, who pays for the key; by default a new owner with the name of the key',
      wholeNumber,
    )
    .option('--unlimited', 'create the key without a spending cap, and do not ask for one');
  addScopeOptions(creating, 'create').action((options: CreateOptions) =>
    withOperator(terminal, options, (work) => create(terminal, work, options)),
  );
  operatorCommand(keys, 'list', 'list keys, newest first')
    .option('--all', 'include revoked keys')
    .option('--owner <id>', 'only this owner', wholeNumber)
    .action((options: OperatorOptions & { readonly all?: boolean; readonly owner?: number }) =>
      withOperator(terminal, options, async ({ list, isJson, say, now }) => {
        const { all = false, owner } = options;
        const found = await list('listKeys', { include_revoked: all, owner_id: owner });
        const names = await readNames({ list, isJson });
        say(found, (paint) => keyTable(found, { names, now: now() }, paint));
      }),
    );
  operatorCommand(keys, 'get', 'show one key, without its secret')
    .argument('<id>', 'the number of the key', wholeNumber)
    .action((id: number, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, list, isJson, say, now }) => {
        const key = await call('getKey', { path: { key_id: id } });
        const names = await readNames({ list, isJson });
        say(key, (paint) => keyRecord(key, { names, now: now() }, paint));
      }),
    );
  const updating = operatorCommand(keys, 'update', 'change what you name and keep the rest')
    .argument('<id>', 'the number of the key', wholeNumber)
    .option('--clear-limits', 'remove every limit that you do not name');
  addScopeOptions(updating, 'update').action((id: number, options: UpdateOptions) =>
    withOperator(terminal, options, (work) => update(work, id, options)),
  );
  operatorCommand(keys, 'revoke', 'revoke a key by its number; running gateways refuse it within two seconds')
    .argument('<id>', 'the number of the key', wholeNumber)
    .action((id: number, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const key = await call('revokeKey', { path: { key_id: id } });
        say(key, () => `Key ${key.id} (${key.name}) is revoked.`);
      }),
    );
  operatorCommand(keys, 'rotate', 'create a key that replaces this one, with the same owner, scope and limits')
    .argument('<id>', 'the number of the key', wholeNumber)
    .option('--overlap <seconds>', 'how long the old key still works; one day by default', Number)
    .action((id: number, options: OperatorOptions & { readonly overlap?: number }) =>
      withOperator(terminal, options, async (work) => {
        const { overlap } = options;
        const path = { key_id: id };
        const made = await work.call('rotateKey', {
          path,
          body: { ...(overlap !== undefined && { overlap_seconds: overlap }) },
        });
        const old = await work.call('getKey', { path });
        sayMade(work, made, `The old one, key ${old.id}, works until ${moment(old.expires_at)} UTC.`);
      }),
    );
}

/** What a key can be made with and what of it can be changed. */
function addScopeOptions(command: Command, use: 'create' | 'update'): Command {
  const [all, owners, never] =
    use === 'create' ? ['; all when absent', "; the owner's when absent", ''] : ['', '', ', or never'];
  command
    .option('--name <name>', 'the name; unique among the live keys of its owner')
    .option('--group <name>', `the group, for prices and routes${owners}`)
    .option('--models <codes>', `model codes that the key may use, comma separated, * as a wildcard${all}`, listOf)
    .option('--ips <ranges>', 'addresses or CIDR ranges that may use the key, comma separated', listOf)
    .option('--expires <time>', `when the key expires, such as 2027-01-01T00:00:00Z${never}`);
  for (const name of LIMIT_NAMES) addLimitOption(command, name);
  const other = use === 'create' ? 'generate' : 'none';
  return command
    .option('--webhook-secret <secret>', `whsec_… to sign webhooks with, or ${other}`)
    .option('--keep-bodies', 'keep prompts and answers of its requests, if requests.log is bodies')
    .option('--no-keep-bodies', 'do not keep prompts and answers');
}

function addLimitOption(command: Command, name: LimitName): void {
  const { unit, about } = KEY_LIMITS[name];
  const option = `--${name.replaceAll('_', '-')}`;
  if (unit === 'count') command.option(`${option} <n>`, about, wholeNumber);
  else command.option(`${option} <usd>`, about, amountOfDollars);
}

/** The limits among the options, which are in dollars still. */
function limitsOf(options: LimitOptions): LimitsInput {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const value = options[KEY_LIMITS[name].field];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

type Scope = Pick<
  Schemas['KeyCreate'],
  'group' | 'models' | 'ip_ranges' | 'expires_at' | 'webhook_secret' | 'keep_bodies'
>;

function scopeOf({ group, models, ips, expires, webhookSecret, keepBodies }: ScopeOptions): Scope {
  return {
    ...(group !== undefined && { group }),
    ...(models !== undefined && { models }),
    ...(ips !== undefined && { ip_ranges: ips }),
    ...(expires !== undefined && { expires_at: wholeTime(expires) }),
    ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
    ...(keepBodies !== undefined && { keep_bodies: keepBodies }),
  };
}

async function create(terminal: Terminal, work: Work, options: CreateOptions): Promise<void> {
  const { test = false, unlimited = false, owner } = options;
  const mode = test ? 'test' : 'live';
  const given = limitsOf(options);
  // What test keys use costs nothing.
  const isUncapped = !test && !Object.keys(given).some((name) => name.startsWith('spend_'));
  const asked = isUncapped && !unlimited && canAsk(terminal, options) ? await askCap(terminal) : {};
  const limits = { ...given, ...asked };
  const made = await work.call('createKey', {
    body: {
      name: options.name ?? `${mode}-${work.now().toString(36)}`,
      mode,
      limits,
      ...(owner !== undefined && { owner_id: owner }),
      ...scopeOf(options),
    },
  });
  sayMade(work, made);
  if (isUncapped && Object.keys(asked).length === 0 && options.json !== true)
    note(terminal, withoutCap(made.key, await work.call('getOwner', { path: { owner_id: made.key.owner_id } })));
}

async function askCap(terminal: Terminal): Promise<LimitsInput> {
  const question = 'The most it may spend in a month, in US dollars (empty for no cap): ';
  return ask(terminal, question, (answer) => (answer === '' ? {} : { spend_per_month: amountOfDollars(answer) }));
}

/** What a key without a cap may spend, and how it gets one. */
function withoutCap({ id, owner_id: owner }: Key, { balance_usd: balance, credit_limit: credit }: Owner): string {
  const may =
    credit === null
      ? `owner ${owner} may owe anything, so it may spend without end`
      : `it may spend all that owner ${owner} has (${dollars(balance)}${credit === 0 ? '' : `, and ${money(credit)} that it may owe`})`;
  return `This key has no cap: ${may}. Set one: gateway keys update ${id} --spend-per-month 50`;
}

async function update({ call, list, isJson, say, now }: Work, id: number, options: UpdateOptions): Promise<void> {
  const { name, clearLimits = false } = options;
  const named = limitsOf(options);
  const hasLimits = clearLimits || Object.keys(named).length > 0;
  // A change of limits replaces them all; here those that are not named stay.
  const limits =
    clearLimits || !hasLimits ? named : { ...(await call('getKey', { path: { key_id: id } })).limits, ...named };
  const change: Schemas['KeyUpdate'] = {
    ...(name !== undefined && { name }),
    ...(hasLimits && { limits }),
    ...scopeOf(options),
    ...(options.expires === 'never' && { expires_at: null }),
    ...(options.webhookSecret === 'none' && { webhook_secret: null }),
  };
  if (Object.keys(change).length === 0)
    throw misuse('Name what to change, such as --spend-per-month 50. See gateway keys update --help.');
  const key = await call('updateKey', { path: { key_id: id }, body: change });
  const names = await readNames({ list, isJson });
  say(key, (paint) => keyRecord(key, { names, now: now() }, paint));
}

function sayMade({ say }: Work, made: KeyCreated, ...more: readonly string[]): void {
  const { secret, webhook_secret: webhookSecret, key } = made;
  say(made, (paint) =>
    [
      `Key ${key.id} (${key.name}) of owner ${key.owner_id}, shown once:`,
      paint('green', secret),
      ...(webhookSecret === null ? [] : ['Its webhook secret, shown once:', paint('green', webhookSecret)]),
      ...more,
    ].join('\n'),
  );
}

interface Shown {
  readonly names: Names;
  readonly now: number;
}

function keyTable(keys: readonly Key[], { names, now }: Shown, paint: Paint): string {
  if (keys.length === 0) return 'There are no keys. gateway keys create --test makes one.';
  return table(
    ['id', 'name', 'key', 'mode', 'owner', 'group', 'models', 'limits', 'state', 'last used'],
    keys.map((key) => [
      String(key.id),
      key.name,
      key.hint,
      key.mode,
      names.owner(key.owner_id),
      key.group,
      key.models.join(','),
      limitsText(key.limits),
      stateOf(key, now),
      moment(key.last_used_at),
    ]),
    paint,
  );
}

function keyRecord(key: Key, { names, now }: Shown, paint: Paint): string {
  return record(
    [
      ['id', String(key.id)],
      ['name', key.name],
      ['key', key.hint],
      ['mode', key.mode],
      ['owner', names.owner(key.owner_id)],
      ['group', key.group],
      ['models', key.models.join(', ')],
      ['from', key.ip_ranges.length === 0 ? 'anywhere' : key.ip_ranges.join(', ')],
      ['limits', limitsText(key.limits) || 'none'],
      ['webhook secret', key.has_webhook_secret ? 'yes' : 'no'],
      ['bodies kept', key.keep_bodies ? 'yes' : 'no'],
      ['state', stateOf(key, now)],
      ['made', `${moment(key.created_at)} UTC`],
      ['ends', key.expires_at === null ? 'never' : `${moment(key.expires_at)} UTC`],
      ['last used', key.last_used_at === null ? 'never' : `${moment(key.last_used_at)} UTC`],
      ...(key.rotated_from === null ? [] : [['rotated from', `key ${key.rotated_from}`] as const]),
    ],
    paint,
  );
}

function limitsText(limits: LimitsInput): string {
  return Object.entries<number>({ ...limits })
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${name.startsWith('spend') ? dollars(value) : count(value)}`)
    .join(', ');
}

function stateOf({ revoked_at: revoked, expires_at: expires, declared }: Key, now: number): string {
  if (revoked !== null) return 'revoked';
  if (expires !== null && Date.parse(expires) <= now) return 'expired';
  if (declared) return 'declared';
  return expires === null ? 'active' : `until ${moment(expires)}`;
}
