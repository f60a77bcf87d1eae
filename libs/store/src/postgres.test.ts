import { describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '@model-gateway/testing';
import { openStore } from './index.ts';
import { toInteger } from './postgres.ts';
import { newPayer } from './test-rows.ts';

describe('PostgreSQL', () => {
  it.each([
    ['0', 0],
    ['-5', -5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, value) => {
    expect(toInteger(text)).toBe(value);
  });

  it.each(['9007199254740992', '-9007199254740993', '1.5', 'NaN'])('refuses to read %s', (text) => {
    expect(() => toInteger(text)).toThrow(/too large to be read/);
  });

  it('keeps integers whole up to 2^53', async () => {
    const database = await openTestDatabase('postgres');
    const store = await openStore(database.url);
    const payer = await newPayer(store, { balance: Number.MAX_SAFE_INTEGER });
    expect(await store.owners.get(payer.ownerId)).toMatchObject({ balance: Number.MAX_SAFE_INTEGER });
    await store.close();
    await database.close();
  });

  it('says nothing of its password when it cannot be reached', async () => {
    const refused = openStore('postgres://gateway:hunter2@127.0.0.1:1/gateway');
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    await expect(refused).rejects.not.toThrow(/hunter2/);
  });
});
