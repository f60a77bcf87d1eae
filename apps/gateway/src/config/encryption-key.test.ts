/** The encryption key that a gateway makes for itself: once, for its user alone, and never in the place of one that is gone. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import { runCommand } from '../../test/run-command.ts';
import { readConfig } from './config.ts';
import { encryptionKeyFile, newEncryptionKey, withEncryptionKey, writeKeyFile } from './encryption-key.ts';

let folder: string;
let url: string;
let file: string;
let said: string[];
/** What the database remembers. */
let remembered: Map<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
  url = `sqlite:${join(folder, 'gateway.db')}`;
  file = join(folder, 'gateway.db.key');
  said = [];
  remembered = new Map();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = {
  info: (_facts: unknown, line?: string) => void said.push(`info ${line ?? ''}`),
  warn: (_facts: unknown, line?: string) => void said.push(`warn ${line ?? ''}`),
};
const settings = {
  first: async (name: string, value: string) => {
    if (!remembered.has(name)) remembered.set(name, value);
    return remembered.get(name) ?? '';
  },
  read: async (name: string) => remembered.get(name),
  replace: async (name: string, value: string) => void remembered.set(name, value),
};

async function start(env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const config = readConfig({ DATABASE_URL: url, ...env });
  return (await withEncryptionKey({ config, settings, log })).encryptionKeys;
}

describe('a SQLite file', () => {
  it('gets a key at the first start, of mode 0600, and has it ever after', async () => {
    const made = await start();
    expect(made).toHaveLength(1);
    expect(Buffer.from(made[0] ?? '', 'base64')).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(said).toEqual([expect.stringContaining('an encryption key was made')]);
    expect(await start()).toEqual(made);
    expect(readConfig({ DATABASE_URL: url }).encryptionKeys).toEqual(made);
    expect(said).toHaveLength(1);
  });

  it('encrypts with the key of the configuration, and decrypts with its own behind it', async () => {
    const key = newEncryptionKey();
    expect(await start({ GATEWAY_ENCRYPTION_KEY: key })).toEqual([key]);
    expect(() => statSync(file)).toThrow('ENOENT');
    const [own] = await start({ DATABASE_URL: `sqlite:${join(folder, 'other.db')}` });
    writeKeyFile(file, [own ?? '']);
    expect(await start({ GATEWAY_ENCRYPTION_KEY: key })).toEqual([key, own]);
  });

  it('that was encrypted with a key that is not there says so at each start, and in no file', async () => {
    await start();
    rmSync(file);
    said = [];
    await start();
    await start();
    expect(said.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringContaining('the key that this database was encrypted with is not there'),
      expect.stringContaining('the key that this database was encrypted with is not there'),
    ]);
  });

  it('takes a key that was put ahead of the old one without a word', async () => {
    const [old = ''] = await start();
    const key = newEncryptionKey();
    writeKeyFile(file, [key, old]);
    said = [];
    expect(await start()).toEqual([key, old]);
    expect(said).toEqual([]);
    // And is not content with the old one alone from then on.
    writeKeyFile(file, [old]);
    await start();
    expect(said).toEqual([expect.stringContaining('is not there')]);
  });

  it.each(['', 'too short\n', `${Buffer.alloc(31).toString('base64')}\n`])('refuses a damaged file: %j', (text) => {
    writeFileSync(file, text);
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(/the file of encryption keys is damaged/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('gateway encryption-key rotate', () => {
  const rotate = (env: Readonly<Record<string, string>> = {}) =>
    runCommand(['encryption-key', 'rotate', '--json'], { env: { DATABASE_URL: url, ...env } });

  it('puts a new key ahead of the old one, and the next start takes it', async () => {
    const [old] = await start();
    expect(await rotate()).toMatchObject({ code: 0, out: expect.stringContaining('"older_keys":1') });
    const [key, behind, ...more] = readConfig({ DATABASE_URL: url }).encryptionKeys;
    expect([behind, more, key === old]).toEqual([old, [], false]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is refused while a gateway has the database, and leaves the file alone', async () => {
    const store = await openStore(url);
    try {
      const before = await start();
      expect((await rotate()).code).not.toBe(0);
      expect(readConfig({ DATABASE_URL: url }).encryptionKeys).toEqual(before);
    } finally {
      await store.close();
    }
  });

  it.each([
    { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') },
    { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
  ])('says what to do where the key is not its own: %o', async (env) => {
    await start();
    const told = await rotate(env);
    expect([told.code, told.error]).toEqual([1, expect.stringContaining('ahead of')]);
  });
});

it.each(['postgres://127.0.0.1:1/gateway', 'sqlite::memory:'])(
  '%s gets none, and what is off is said',
  async (other) => {
    expect(encryptionKeyFile(other)).toBeUndefined();
    expect(await start({ DATABASE_URL: other })).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^warn .*background answers.* are off: set GATEWAY_ENCRYPTION_KEY /)]);
    said = [];
    const key = newEncryptionKey();
    expect(await start({ DATABASE_URL: other, GATEWAY_ENCRYPTION_KEY: key })).toEqual([key]);
    expect(said).toEqual([]);
  },
);
