/**
 * The encryption key that a gateway with a SQLite file makes for itself: a file beside the database, for its own user only. Keys that the
 * configuration names go before it; PostgreSQL has none, because replicas would each make their own (docs/decisions/0037-a-key-of-its-own.md).
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Log, SettingsStore } from '@model-gateway/core';
import { ConfigError } from './fault.ts';
import { ENCRYPTION_KEY_FORM, isEncryptionKey } from './schema.ts';

/** What `database.url` is where nothing is said. */
export const USUAL_DATABASE = 'sqlite:./data/gateway.db';

const KEY_BYTES = 32;
const HEAD =
  '# Encryption keys of the gateway whose database lies beside this file: the first encrypts, all decrypt.\n# Keep it: without it kept responses and stored credentials cannot be read.\n';
/** The setting that says which key the database was written with last. */
export const LAST_ENCRYPTION_KEY = 'encryption_key_id';

/** Where the key of a database lies; undefined for PostgreSQL and for a database in memory. */
export function encryptionKeyFile(databaseUrl: string): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  return path === undefined || path === ':memory:' ? undefined : `${resolve(path)}.key`;
}

/** The keys in a file, none where there is no file. Throws ConfigError for a file that cannot be read, or has something else in it. */
export function readKeyFile(file: string): readonly string[] {
  const refuse = (message: string): never => {
    throw new ConfigError(file, [{ path: '', message, file }]);
  };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    return refuse(`the file of encryption keys cannot be read (${code})`);
  }
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || !keys.every(isEncryptionKey))
    return refuse(
      `the file of encryption keys is damaged: ${ENCRYPTION_KEY_FORM}, one a line; put a copy in its place`,
    );
  return keys;
}

/** Writes keys to a file of mode 0600, whole or not at all, in the place of what was there. */
export function writeKeyFile(file: string, keys: readonly string[]): void {
  const partial = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const descriptor = openSync(partial, 'wx', 0o600);
    writeSync(descriptor, `${HEAD}${keys.join('\n')}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(partial, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } finally {
    rmSync(partial, { force: true });
  }
}

export function newEncryptionKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

interface Keyed {
  readonly databaseUrl: string;
  readonly encryptionKeys: readonly string[];
}

export interface KeyAtStart<Config extends Keyed> {
  readonly config: Config;
  /** Absent where this process does not open the database. */
  readonly settings?: SettingsStore;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * The configuration with an encryption key, if there can be one: that of the configuration, of the file beside the database, or one that is
 * made now, which nobody else does at the same time: whoever calls has the database. Says in the log what is off without a key, and when what
 * was encrypted before cannot be read any more.
 */
export async function withEncryptionKey<Config extends Keyed>({
  config,
  settings,
  log,
}: KeyAtStart<Config>): Promise<Config> {
  const file = encryptionKeyFile(config.databaseUrl);
  const keys = config.encryptionKeys.length > 0 || file === undefined ? config.encryptionKeys : keyMadeIn(file, log);
  const [first] = keys;
  if (first === undefined) {
    log.warn(
      { variable: 'GATEWAY_ENCRYPTION_KEY' },
      'there is no encryption key, so kept responses, conversations, background answers, vendor credentials through the API and prompts in the log of requests are off: set GATEWAY_ENCRYPTION_KEY (openssl rand -base64 32), the same one for every replica, to turn them on',
    );
    return config;
  }
  const keyed = keys === config.encryptionKeys ? config : { ...config, encryptionKeys: keys };
  if (settings === undefined) return keyed;
  const last = await settings.first(LAST_ENCRYPTION_KEY, encryptionKeyId(first));
  if (!keys.some((key) => encryptionKeyId(key) === last))
    log.warn(
      { key_id: last, ...(file !== undefined && { file }) },
      'the key that this database was encrypted with is not there: what was kept with it cannot be read until it is back, in the file of keys or in security.encryption_key',
    );
  else if (last !== encryptionKeyId(first)) await settings.replace(LAST_ENCRYPTION_KEY, encryptionKeyId(first));
  return keyed;
}

function keyMadeIn(file: string, log: Pick<Log, 'info' | 'warn'>): readonly string[] {
  if (!existsSync(file)) {
    try {
      writeKeyFile(file, [newEncryptionKey()]);
    } catch (error) {
      log.warn({ err: error, file }, 'the file of encryption keys could not be written');
      return [];
    }
    log.info({ file }, 'an encryption key was made: keep this file with the database');
  }
  return readKeyFile(file);
}

/** Tells keys apart without telling them. */
export function encryptionKeyId(key: string): string {
  return createHash('sha256').update('key id').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 16);
}
