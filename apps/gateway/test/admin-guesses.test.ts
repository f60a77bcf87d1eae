/** Guesses of the admin key count with those of other keys, by address; they keep out nobody who has a right one. */
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
  // The same table: other keys that are none are refused in the same way, and who sends none is told so.
  expect(await ask('/v1/models', 'sk-guess', '198.51.100.1')).toBe(429);
  expect(await admin(undefined, '198.51.100.1')).toBe(401);
  expect(await admin('admin-guess', '198.51.100.2')).toBe(401);
});

it('right ones are taken from the same address, though the process has not seen them before', async () => {
  gateway = await openTestGateway({ server: LIMITED });
  for (let guess = 0; guess < 8; guess++) await ask('/v1/models', `sk-guess-${guess}`, '198.51.100.1');
  expect(await admin('admin-guess', '198.51.100.1')).toBe(429);
  expect(await admin(gateway.adminKey, '198.51.100.1')).toBe(200);
  for (const key of [gateway.liveKey, gateway.otherKey, gateway.testKey])
    expect(await ask('/v1/models', key, '198.51.100.1')).toBe(200);
  expect(await ask('/console/session', gateway.adminKey, '198.51.100.1')).toBe(200);
});
