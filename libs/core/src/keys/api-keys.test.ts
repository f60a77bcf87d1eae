import { afterEach, beforeEach, expect, it } from 'vitest';
import { keyWith } from '../limits/testing/key-with.ts';
import { createApiKeyAuthenticator, hashKey, type ApiKeyAuthenticator } from './api-keys.ts';

const quiet = (): void => undefined;
const KEY = 'sk-the-one-that-is-used';
const KNOWN = 50_000;
const UNKNOWN = 10_000;

/** A database in which every text that begins with `sk-` is a key. */
let asked: string[];
let authenticator: ApiKeyAuthenticator;
beforeEach(() => {
  asked = [];
  const names = new Map<string, string>([[hashKey(KEY), KEY]]);
  for (let index = 0; index < KNOWN; index++) names.set(hashKey(`sk-${index}`), `sk-${index}`);
  authenticator = createApiKeyAuthenticator({
    keys: {
      findByHash: async (kept) => {
        asked.push(names.get(kept) ?? 'a guess');
        return names.has(kept) ? keyWith({}) : undefined;
      },
      findByHashes: async () => [],
      touch: async () => undefined,
      version: async () => 1,
    },
    now: () => 1_000,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
});
afterEach(() => authenticator.close());

it('a key in use stays known, however many others come by', async () => {
  await authenticator.find(KEY);
  for (let index = 0; index < KNOWN; index++) {
    await authenticator.find(`sk-${index}`);
    if (index % 1000 === 0) await authenticator.find(KEY);
  }
  await authenticator.find(KEY);
  expect(asked.filter((name) => name === KEY)).toHaveLength(1);
});

it('what was read before a change of keys is not remembered after it', async () => {
  const reading = authenticator.find(KEY);
  authenticator.refresh();
  await reading;
  await authenticator.find(KEY);
  expect(asked).toEqual([KEY, KEY]);
});

it.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['::ffff:11.1.2.3', false],
  ['fe80::1', false],
  [undefined, false],
])('a key for 10.0.0.0/8 may come from %s: %s', (address, isLetIn) => {
  const check = (): void => authenticator.checkAddress({ ...keyWith({}), ipRanges: ['10.0.0.0/8'] }, address);
  if (isLetIn) check();
  else expect(check).toThrow('network address');
});

/** A text that is no key; the refusal is what is expected. */
async function guess(text: string): Promise<void> {
  const refusal: unknown = await (async () => authenticator.find(text))().catch((error: unknown) => error);
  if (!(refusal instanceof Error)) throw new Error(`${text} was taken for a key`);
}

it('guesses drive no key out, and one that is repeated asks the database once', async () => {
  await authenticator.find(KEY);
  for (let index = 0; index <= UNKNOWN * 2; index++) {
    await authenticator.find(KEY);
    if (index % 1000 === 0) await guess('guess');
    await guess(`guess-${index}`);
  }
  expect(asked.filter((name) => name === KEY)).toHaveLength(1);
  expect(asked.filter((name) => name === 'a guess')).toHaveLength(UNKNOWN * 2 + 2);
});
