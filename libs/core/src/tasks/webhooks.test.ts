import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { createUntrustedFetcher } from '@model-gateway/provider-kit';
import { Webhook } from 'standardwebhooks';
import type { KeyRecord, Store, WebhookDelivery } from '../ports.ts';
import { account, createClock, createHarness, makeKey, videoRow, type Clock, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

interface Receiver {
  readonly url: string;
  readonly got: { headers: Record<string, string>; body: string }[];
  answer: { status: number; headers?: Record<string, string> };
  close(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const got: Receiver['got'] = [];
  const receiver = { answer: { status: 204 } as Receiver['answer'] };
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      got.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(receiver.answer.status, receiver.answer.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(receiver, { url, got, close });
}

let clock: Clock;
let vendor: TestVendor;
let receiver: Receiver;
let store: Store;
let key: KeyRecord;
let harness: Harness;

beforeEach(async () => {
  // Signatures are checked against the wall clock by the receiver's library.
  clock = createClock(Math.floor(performance.timeOrigin + performance.now()));
  vendor = await startTestVendor();
  receiver = await startReceiver();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, webhookSecret: SECRET });
  const one = account({ id: 1, vendor: 'scripted', baseUrl: vendor.url });
  harness = createHarness({
    store,
    clock,
    adapters: [testAdapter()],
    accounts: [one],
    models: [videoRow({ code: 'm', videoShape: 'prompt' }, one)],
  });
});
afterEach(async () => {
  await vendor.close();
  await receiver.close();
  await harness.close();
  await store.close();
});

const start = async (callback = receiver.url): Promise<string> => {
  const body = { model: 'm', prompt: 'A kite', callback_url: callback };
  const { task } = await harness.engine.createVideo(harness.caller(key), body, { endpoint: 'generations' });
  clock.pass(60_000);
  await harness.engine.runDue();
  return task?.id ?? '';
};
const deliveries = (): Promise<readonly WebhookDelivery[]> => store.webhooks.list({ limit: 100 });
const deliver = (): Promise<number> => harness.engine.webhooks.runDue();

describe('the webhook of a finished task', () => {
  it('is signed as Standard Webhooks say, and tells of the task as it has ended', async () => {
    const id = await start();
    expect(await deliver()).toBe(1);
    const [message] = receiver.got;
    const event = new Webhook(SECRET).verify(message?.body ?? '', message?.headers ?? {}) as JsonObject;
    const { state, quota, finishTime, ...task } = await harness.engine.get(harness.caller(key), id);
    const resultUrl = harness.engine.resultUrl({ ...task, state, quota });
    expect(resultUrl).not.toBe('');
    expect(event).toEqual({ id, state: 'SUCCESS', quota, failReason: '', resultUrl, at: finishTime });
    expect(message?.headers['content-type']).toBe('application/json');
    expect(message?.headers['webhook-id']).toMatch(/^msg_/);
    expect(() =>
      new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(message?.body ?? '', message?.headers ?? {}),
    ).toThrow();
    expect(await deliver()).toBe(0);
  });

  it('is sent for a failure too, with the money given back', async () => {
    vendor.poll = { status: 'failed', reason: 'refused' };
    await start();
    await deliver();
    expect(JSON.parse(receiver.got[0]?.body ?? '')).toMatchObject({
      state: 'FAILURE',
      failReason: 'refused',
      quota: 0,
    });
  });

  it('is repeated under the same id: first within seconds, last after about a day, then no more', async () => {
    receiver.answer = { status: 500 };
    await start();
    const begun = clock.now();
    await deliver();
    const times: number[] = [];
    for (let attempt = 0; attempt < 30; attempt++) {
      const [delivery] = await deliveries();
      if (delivery?.nextAttemptAt === undefined) break;
      times.push((delivery.nextAttemptAt - begun) / 1000);
      clock.set(delivery.nextAttemptAt);
      await deliver();
    }
    expect(times[0]).toBeLessThanOrEqual(5);
    expect(times.at(-1)).toBeGreaterThan(20 * 3600);
    expect(times.at(-1)).toBeLessThanOrEqual(25 * 3600);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.got.map(({ body }) => body)).size).toBe(1);
    expect(receiver.got).toHaveLength(times.length + 1);
    expect((await deliveries())[0]).toMatchObject({ lastStatus: 500, lastError: 'the address answered 500' });
  });

  it('a repetition that is answered ends it', async () => {
    receiver.answer = { status: 503 };
    await start();
    await deliver();
    receiver.answer = { status: 200 };
    clock.pass(3000);
    await deliver();
    clock.pass(86_400_000);
    expect(await deliver()).toBe(0);
    expect((await deliveries())[0]).toMatchObject({ attempts: 2, lastStatus: 200 });
  });

  it('can be replayed', async () => {
    await start();
    await deliver();
    const [delivery] = await deliveries();
    expect(await harness.engine.webhooks.replay('msg_unknown')).toBeUndefined();
    await harness.engine.webhooks.replay(delivery?.id ?? '');
    await deliver();
    expect(receiver.got).toHaveLength(2);
    expect(receiver.got[1]?.body).toBe(receiver.got[0]?.body);
  });

  it('410 says that nobody is there any more', async () => {
    receiver.answer = { status: 410 };
    await start();
    await deliver();
    expect((await deliveries())[0]?.nextAttemptAt).toBeUndefined();
  });

  it('redirects are not followed', async () => {
    receiver.answer = { status: 307, headers: { location: `${vendor.url}/internal` } };
    await start();
    const before = vendor.asked.length;
    await deliver();
    expect(vendor.asked).toHaveLength(before);
    expect((await deliveries())[0]).toMatchObject({ lastStatus: 307 });
  });

  it('an address inside the network is never called, and the reason names no address', async () => {
    const closed = createUntrustedFetcher({ allowPrivate: [] });
    const guarded = createHarness({
      store,
      clock,
      adapters: [testAdapter()],
      accounts: [],
      models: [],
      parts: { untrustedFetcher: closed },
    });
    await start();
    await guarded.engine.webhooks.runDue();
    expect(receiver.got).toHaveLength(0);
    const [delivery] = await deliveries();
    expect(delivery?.lastError).toBe('the address could not be reached, or is not a public one');
    expect(delivery?.nextAttemptAt).toBeDefined();
    await guarded.close();
    await closed.close();
  });

  it('a receiver that is not there is tried again', async () => {
    await start('http://127.0.0.1:9/hook');
    await deliver();
    expect((await deliveries())[0]).toMatchObject({ attempts: 1, lastError: 'the connection was refused' });
  });

  it('a literally private address is refused before anything is paid; the operator’s opening is not', async () => {
    for (const url of ['http://10.0.0.1/hook', 'http://0x7f000002/', 'http://[::1]:1/', 'http://169.254.169.254/']) {
      const body = { model: 'm', prompt: 'x', callback_url: url };
      await expect(
        harness.engine.createVideo(harness.caller(key), body, { endpoint: 'generations' }),
      ).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'callback_url' } });
    }
    expect(vendor.jobs.size).toBe(0);
  });

  it('a key without a secret is refused before anything is paid', async () => {
    const bare = await makeKey(store, { ownerId: 8 });
    const body = { model: 'm', prompt: 'x', callback_url: receiver.url };
    await expect(
      harness.engine.createVideo(harness.caller(bare), body, { endpoint: 'generations' }),
    ).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'callback_url' } });
    expect(vendor.jobs.size).toBe(0);
  });

  it('is never passed on to the vendor', async () => {
    await start();
    expect(JSON.stringify(vendor.asked)).not.toContain('/hook');
  });

  it('goes out by itself while the engine runs', async () => {
    harness.engine.start();
    const body = { model: 'm', prompt: 'A kite', callback_url: receiver.url };
    await harness.engine.createVideo(harness.caller(key), body, { endpoint: 'generations' });
    clock.pass(60_000);
    const begun = performance.now();
    while (receiver.got.length === 0) {
      expect(performance.now() - begun).toBeLessThan(90_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
});
