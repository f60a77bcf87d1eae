import { InvalidArgumentError, type Command } from 'commander';
import { ensureOwner, hashKey, keyHint, newKeyText, type KeyRecord, type Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { readConfig } from '../config/config.ts';
import { fail, table, type Terminal } from './terminal.ts';

interface CreateOptions {
  readonly name?: string;
  readonly test?: boolean;
  readonly owner: number;
  readonly group: string;
  readonly models: string;
  readonly expires?: string;
  readonly json?: boolean;
}

/** `gateway keys create|list|revoke`: on the database itself, beside a running server or without one. */
export function addKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('make, list and revoke client keys');
  keys
    .command('create')
    .description('make a key; it is shown once and kept only as a hash')
    .option('--name <name>', 'what to call it')
    .option('--test', 'a sk-test- key, always answered by the vendor twin')
    .option('--owner <id>', 'who it belongs to (user_id)', wholeNumber, 1)
    .option('--group <name>', 'its price and route group', 'default')
    .option('--models <codes>', 'model codes it may use, comma separated, * as a wildcard', '*')
    .option('--expires <time>', 'when it ends, such as 2027-01-01T00:00:00Z')
    .option('--json', 'for programs')
    .action((options: CreateOptions) => withStore(terminal, (store) => create(terminal, store, options)));
  keys
    .command('list')
    .description('list keys')
    .option('--all', 'revoked ones too')
    .option('--json', 'for programs')
    .action((options: { all?: boolean; json?: boolean }) =>
      withStore(terminal, (store) => list(terminal, store, options)),
    );
  keys
    .command('revoke <id>')
    .description('revoke a key by its number; running servers refuse it within two seconds')
    .option('--json', 'for programs')
    .action((id: string, options: { json?: boolean }) =>
      withStore(terminal, (store) => revoke(terminal, store, wholeNumber(id), options)),
    );
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 1.');
  return Number(text);
}

async function withStore(terminal: Terminal, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(readConfig(terminal.env).databaseUrl, { beside: true });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function create({ now, out }: Terminal, store: Store, options: CreateOptions): Promise<void> {
  const expiresAt = options.expires === undefined ? undefined : Date.parse(options.expires);
  if (expiresAt !== undefined && !(expiresAt > now())) {
    fail(`--expires: '${options.expires ?? ''}' is not a time in the future; write one such as 2027-01-01T00:00:00Z`);
    return;
  }
  const mode = options.test === true ? 'test' : 'live';
  const text = newKeyText(mode);
  await ensureOwner(store.owners, { id: options.owner, group: options.group }, now());
  const key = await store.keys.create(
    {
      name: options.name ?? `${mode}-${now().toString(36)}`,
      hash: hashKey(text),
      hint: keyHint(text),
      mode,
      ownerId: options.owner,
      group: options.group,
      models: options.models.split(',').map((code) => code.trim()),
      ipRanges: [],
      limits: {},
      ...(expiresAt !== undefined && { expiresAt }),
      declared: false,
    },
    now(),
  );
  out(
    options.json === true
      ? JSON.stringify({ id: key.id, name: key.name, mode, key: text })
      : `Key ${key.id} (${key.name}), shown once:\n${text}`,
  );
}

async function list(
  { now, out }: Terminal,
  store: Store,
  options: { readonly all?: boolean; readonly json?: boolean },
): Promise<void> {
  const keys = await store.keys.list({ includeRevoked: options.all === true, limit: 1000 });
  if (options.json === true) {
    out(
      JSON.stringify(
        keys.map((key) => ({
          id: key.id,
          name: key.name,
          key: key.hint,
          mode: key.mode,
          owner: key.ownerId,
          group: key.group,
          models: key.models,
          state: stateOf(key, now()),
        })),
      ),
    );
    return;
  }
  out(
    table(
      ['id', 'name', 'key', 'mode', 'owner', 'group', 'models', 'state'],
      keys.map((key) => [
        String(key.id),
        key.name,
        key.hint,
        key.mode,
        String(key.ownerId),
        key.group,
        key.models.join(','),
        stateOf(key, now()),
      ]),
    ),
  );
}

function stateOf(key: KeyRecord, now: number): string {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  return key.declared ? 'declared' : 'active';
}

async function revoke(
  { now, out }: Terminal,
  store: Store,
  id: number,
  options: { readonly json?: boolean },
): Promise<void> {
  const key = await store.keys.revoke(id, now());
  if (key === undefined) fail(`there is no key ${id}; keys list shows them`);
  else out(options.json === true ? JSON.stringify({ id, revoked: true }) : `Key ${id} (${key.name}) is revoked.`);
}
