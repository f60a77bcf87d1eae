import type { Command } from 'commander';
import type { KeyLimits, KeyRecord } from '@model-gateway/core';
import { KEY_LIMITS, LIMIT_NAMES, type LimitName, type LimitsInput } from '../admin/key-limits.ts';
import type { MadeKey } from '../admin/keys.ts';
import { keyView } from '../admin/views.ts';
import {
  allPages,
  amountOfDollars,
  withAdminServices,
  adminCommand,
  listOf,
  wholeNumber,
  type AdminServices,
} from './admin-command.ts';
import { dollars, moment, table, type Terminal } from './terminal.ts';

const PAGE = 500;

interface CreateOptions extends KeyLimits {
  readonly name?: string;
  readonly test?: boolean;
  readonly owner?: number;
  readonly group?: string;
  readonly models?: readonly string[];
  readonly ips?: readonly string[];
  readonly expires?: string;
  readonly webhookSecret?: string;
}

/** `gateway keys create|list|revoke|rotate`. */
export function addKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('make, list, rotate and revoke client keys');
  const creating = adminCommand(keys, 'create', 'make a key; its secret is shown once and kept only as a hash')
    .option('--name <name>', 'what to call it; unique among the live keys of its owner')
    .option('--test', 'a sk-test- key, always answered by the vendor twin')
    .option(
      '--owner <id>',
      'whose it is and whose money it spends (user_id); a new owner of its name when absent',
      wholeNumber,
    )
    .option('--group <name>', "its price and route group; the owner's when absent")
    .option('--models <codes>', 'model codes it may use, comma separated, * as a wildcard; all when absent', listOf)
    .option('--ips <ranges>', 'addresses or CIDR ranges it may come from, comma separated', listOf)
    .option('--expires <time>', 'when it ends, such as 2027-01-01T00:00:00Z');
  for (const name of LIMIT_NAMES) addLimitOption(creating, name);
  creating
    .option('--webhook-secret <secret>', "whsec_… to sign webhooks with, or 'generate'")
    .action((options: CreateOptions) => withAdminServices(terminal, options, (services) => create(services, options)));
  adminCommand(keys, 'list', 'list keys, newest first')
    .option('--all', 'revoked ones too')
    .option('--owner <id>', 'only of this owner', wholeNumber)
    .action((options: { all?: boolean; owner?: number }) =>
      withAdminServices(terminal, options, (services) => list(services, options.all === true, options.owner)),
    );
  adminCommand(keys, 'revoke', 'revoke a key by its number; running gateways refuse it within two seconds')
    .argument('<id>', 'the number of the key', wholeNumber)
    .action((id: number, options: object) =>
      withAdminServices(terminal, options, async (services) => {
        const key = await services.keys.revoke(id);
        services.say(keyView(key), () => `Key ${key.id} (${key.name}) is revoked.`);
      }),
    );
  adminCommand(keys, 'rotate', 'make the key that replaces this one: the same owner, scope and limits')
    .argument('<id>', 'the number of the key', wholeNumber)
    .option('--overlap <seconds>', 'how long the old one still works beside it; a day when absent', Number)
    .action((id: number, options: { overlap?: number }) =>
      withAdminServices(terminal, options, async (services) => {
        const made = await services.keys.rotate(id, options.overlap);
        const old = await services.keys.get(id);
        sayMade(services, made, `The old one, key ${old.id}, works until ${moment(keyView(old).expires_at)} UTC.`);
      }),
    );
}

async function create(services: AdminServices, options: CreateOptions): Promise<void> {
  const mode = options.test === true ? 'test' : 'live';
  const made = await services.keys.create({
    name: options.name ?? `${mode}-${services.now().toString(36)}`,
    mode,
    limits: limitsOf(options),
    ...(options.owner !== undefined && { owner_id: options.owner }),
    ...(options.group !== undefined && { group: options.group }),
    ...(options.models !== undefined && { models: options.models }),
    ...(options.ips !== undefined && { ip_ranges: options.ips }),
    ...(options.expires !== undefined && { expires_at: options.expires }),
    ...(options.webhookSecret !== undefined && { webhook_secret: options.webhookSecret }),
  });
  sayMade(services, made);
}

function sayMade({ say }: AdminServices, { secret, webhookSecret, key }: MadeKey, ...more: readonly string[]): void {
  say({ secret, webhook_secret: webhookSecret ?? null, key: keyView(key) }, () =>
    [
      `Key ${key.id} (${key.name}) of owner ${key.ownerId}, shown once:`,
      secret,
      ...(webhookSecret === undefined ? [] : ['Its webhook secret, shown once:', webhookSecret]),
      ...more,
    ].join('\n'),
  );
}

/** `--requests-per-minute <n>`; commander hands it over by the name that core has for it. */
function addLimitOption(command: Command, name: LimitName): void {
  const { unit, about } = KEY_LIMITS[name];
  const option = `--${name.replaceAll('_', '-')}`;
  if (unit === 'count') command.option(`${option} <n>`, about, wholeNumber);
  else command.option(`${option} <usd>`, about, amountOfDollars);
}

/** The limits among the options, which are in dollars still. */
function limitsOf(options: CreateOptions): LimitsInput {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const value = options[KEY_LIMITS[name].field];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function list(
  { store, now, say }: AdminServices,
  includeRevoked: boolean,
  ownerId: number | undefined,
): Promise<void> {
  const keys = await allPages((after) =>
    store.keys.list({
      includeRevoked,
      order: 'newest',
      limit: PAGE,
      ...(ownerId !== undefined && { ownerId }),
      ...(after !== undefined && { after }),
    }),
  );
  say(keys.map(keyView), () =>
    table(
      ['id', 'name', 'key', 'mode', 'owner', 'group', 'models', 'limits', 'state', 'last used'],
      keys.map((key) => {
        const { last_used_at: lastUsedAt, limits } = keyView(key);
        return [
          String(key.id),
          key.name,
          key.hint,
          key.mode,
          String(key.ownerId),
          key.group,
          key.models.join(','),
          limitsText(limits),
          stateOf(key, now()),
          moment(lastUsedAt),
        ];
      }),
    ),
  );
}

function limitsText(limits: LimitsInput): string {
  return Object.entries<number>({ ...limits })
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${name.startsWith('spend') ? dollars(value) : value}`)
    .join(', ');
}

function stateOf(key: KeyRecord, now: number): string {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  if (key.declared) return 'declared';
  return key.expiresAt === undefined ? 'active' : `until ${moment(new Date(key.expiresAt).toISOString())}`;
}
