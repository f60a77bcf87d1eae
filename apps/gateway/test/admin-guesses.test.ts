/** Guesses of the admin key count with those of other keys, by address; they do not keep out who has it and was there before. */
import { afterEach, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

const LIMITED = "unknown_keys_per_minute: 5, trusted_proxies: ['127.0.0.1']";

async function ask(path: string, key: string | undefined, address: string): Promise<number> {
  const reply = await fetch(`${gateway!.url}${path}`, {
    headers: { 'x-forwarded-for': address, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });
  await reply.arrayBuffer();
  return reply.status;
}
const admin = (key: string | undefined, address: string) => ask('/admin/audit', key, address);

it('wrong ones are refused by address after some; no key at all is no guess', async () => {
  gateway = await openTestGateway({ server: LIMITED });
  for (let turn = 0; turn < 20; turn++) expect(await admin(undefined, '198.51.100.1')).toBe(401);
  const guesses = [];
  for (let guess = 0; guess < 8; guess++) guesses.push(await admin(`admin-guess-${guess}`, '198.51.100.1'));
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  // The right one too: whoever guesses does not learn that he was right.
  expect(await admin(gateway.adminKey, '198.51.100.1')).toBe(429);
  // The same table: other keys are not looked up for this address either.
  expect(await ask('/v1/models', 'sk-guess', '198.51.100.1')).toBe(429);
  expect(await admin(gateway.adminKey, '198.51.100.2')).toBe(200);
});

it('where the right one came from before, it is taken whatever others guess', async () => {
  gateway = await openTestGateway({ server: LIMITED });
  expect(await admin(gateway.adminKey, '198.51.100.1')).toBe(200);
  for (let guess = 0; guess < 8; guess++) await ask('/v1/models', `sk-guess-${guess}`, '198.51.100.1');
  expect(await admin('admin-guess', '198.51.100.1')).toBe(429);
  expect(await admin(gateway.adminKey, '198.51.100.1')).toBe(200);
});
