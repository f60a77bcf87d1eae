/** A key that is revoked, or whose scope changes, anywhere, is refused on every replica within two seconds. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { createApiKeyAuthenticator, ensureOwner, hashKey } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { openTestDatabase, openTestGateway, type TestDatabase, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { pino } from 'pino';
import { startWatch, type Watch } from './starved.ts';

const PROMISED_MS = 2_000;
const LOOK_MS = 20;
let twin: VendorTwin;
let database: TestDatabase;
let replicas: readonly [TestGateway, TestGateway];
let admin: Admin;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  database = await openTestDatabase('postgres');
  replicas = [
    await openTestGateway({ twin, databaseUrl: database.url }),
    await openTestGateway({ twin, databaseUrl: database.url }),
  ];
  admin = createAdmin({ baseUrl: replicas[0].url, apiKey: replicas[0].adminKey, maxRetries: 0 });
});
afterAll(async () => {
  for (const each of replicas) await each.close();
  await twin.close();
  await database.close();
});

async function statusOf({ url }: TestGateway, secret: string, model = 'gpt-5.2'): Promise<number> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await reply.arrayBuffer();
  return reply.status;
}
/** How long until the replica answers so, by a watch that runs. */
async function msUntil(replica: TestGateway, secret: string, status: number, watch: Watch): Promise<number> {
  while ((await statusOf(replica, secret)) !== status) {
    if (watch.ms() > 5 * PROMISED_MS) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return watch.ms();
}

describe('in controlled time', () => {
  it('what a ring remembers of a key is never older than one look of its timer', async () => {
    const store = await openStore('sqlite::memory:');
    vi.useFakeTimers({ now: 1_000_000, toNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const ring = createApiKeyAuthenticator({ keys: store.keys, now: Date.now, log: pino({ level: 'silent' }) });
    try {
      await ensureOwner(store.owners, { id: 1, group: 'default' }, Date.now());
      const key = await store.keys.create(
        {
          ...{ name: 'k', hash: hashKey('sk-some-secret'), hint: 'sk-…', mode: 'live', ownerId: 1, group: 'default' },
          ...{ models: ['*'], ipRanges: [], limits: {}, declared: false },
        },
        Date.now(),
      );
      await vi.advanceTimersByTimeAsync(PROMISED_MS);
      expect((await ring.find('sk-some-secret')).id).toBe(key.id);
      // By another process: this ring is not told.
      await store.keys.revoke(key.id, Date.now());
      expect((await ring.find('sk-some-secret')).id).toBe(key.id);
      await vi.advanceTimersByTimeAsync(PROMISED_MS / 2);
      await expect((async () => ring.find('sk-some-secret'))()).rejects.toMatchObject({ code: 'unauthenticated' });
    } finally {
      vi.useRealTimers();
      await ring.close();
      await store.close();
    }
  });
});

describe('two replicas on PostgreSQL, by the clock on the wall', () => {
  const changes: readonly {
    readonly name: string;
    readonly change: (id: number) => Promise<unknown>;
    readonly becomes: number;
  }[] = [
    { name: 'a revocation', change: (id) => admin.keys.revoke(id), becomes: 401 },
    { name: 'a rotation without overlap', change: (id) => admin.keys.rotate(id, { overlap_seconds: 0 }), becomes: 401 },
    { name: 'a narrower scope', change: (id) => admin.keys.update(id, { models: ['claude-*'] }), becomes: 403 },
    { name: 'another network', change: (id) => admin.keys.update(id, { ip_ranges: ['10.0.0.0/8'] }), becomes: 403 },
  ];
  it.each(changes)('$name made on one takes effect on both within 2 s', async ({ name, change, becomes }) => {
    const { secret, key } = await admin.keys.create({ name });
    // Both have it in their memory.
    for (const replica of replicas) expect(await statusOf(replica, secret)).toBe(200);
    const store = await openStore(database.url);
    const watch = startWatch(() => store.keys.version());
    try {
      await change(key.id);
      expect(await statusOf(replicas[0], secret)).toBe(becomes);
      expect(await msUntil(replicas[1], secret, becomes, watch)).toBeLessThan(PROMISED_MS);
    } finally {
      await watch.stop();
      await store.close();
    }
  });

  it('a new key works on both at once, also where it was tried before it was made', async () => {
    const { secret } = await admin.keys.create({ name: 'new' });
    for (const replica of replicas) expect(await statusOf(replica, secret)).toBe(200);
  });
});
