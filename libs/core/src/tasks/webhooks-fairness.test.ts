/** Receivers that hang, on real sockets: they hold places of their own owner, for one attempt's time, and nobody else's. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeyRecord, Store } from '../ports.ts';
import { account, createClock, createHarness, makeKey, START, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const AT_ONCE = 64;
const PER_TENANT = 8;

interface Receiver {
  readonly url: string;
  readonly open: Set<Socket>;
  /** Connections that were ever made. */
  readonly count: () => number;
  /** The next connection. */
  readonly called: () => Promise<unknown>;
  close(): Promise<void>;
}

/** A receiver that treats each connection as `answer` says; by default it says nothing, ever. */
async function startReceiver(answer: (socket: Socket) => void = () => undefined): Promise<Receiver> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    open,
    count: () => count,
    called: () => once(server, 'connection'),
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
const thanks = (socket: Socket): void => void socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');

let store: Store;
let harness: Harness;
let closing: (() => Promise<unknown>)[];

function open(webhookAnswerSeconds: number): Harness {
  const one = account({ id: 1, vendor: 'scripted', baseUrl: 'http://127.0.0.1:9' });
  return createHarness({
    store,
    clock: createClock(),
    adapters: [],
    accounts: [one],
    models: [],
    settings: { webhookAnswerSeconds },
  });
}

beforeEach(async () => {
  store = await openTestStore();
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  await harness.close();
  await store.close();
});

const receiver = async (answer?: (socket: Socket) => void): Promise<Receiver> => {
  const started = await startReceiver(answer);
  closing.push(started.close);
  return started;
};

let serial = 0;
/** Tasks that have ended, each with a webhook that is due. */
async function ended(key: KeyRecord, callbackUrl: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `task_${++serial}`;
    const { ownerId, mode, id: keyId, group } = key;
    const place = { accountId: 1, accountName: 'a', vendor: 'scripted', upstreamModel: 'm', model: 'm' };
    const times = { createdAt: START, deadlineAt: START + 9e6, nextCheckAt: START };
    const task = { id, ownerId, mode, keyId, group, callbackUrl, ...place, ...times };
    await store.tasks.create(
      { ...task, kind: 'video', requestId: id, input: {}, quota: 0, priceVersion: 'v' },
      undefined,
      undefined,
      START,
    );
    const webhook = { id: `msg_${serial}`, body: '{}' };
    await store.tasks.advance(id, ['NOT_START'], { state: 'FAILURE', webhook }, { type: 'none' }, START);
  }
}

it('300 receivers of one owner that never answer delay nobody else, not even his own test keys', async () => {
  const [slow, quick, quickTest] = [await receiver(), await receiver(thanks), await receiver(thanks)];
  await ended(await makeKey(store, { ownerId: 7, webhookSecret: SECRET }), slow.url, 300);
  await ended(await makeKey(store, { ownerId: 8, webhookSecret: SECRET }), quick.url, 2);
  const test = await makeKey(store, { ownerId: 7, mode: 'test', name: 'test', webhookSecret: SECRET });
  await ended(test, quickTest.url, 1);
  harness = open(30);
  const heard = Promise.all([quick.called(), quickTest.called()]);
  void harness.engine.webhooks.runDue();
  await heard;
  while (slow.open.size < PER_TENANT) await slow.called();
  // Long before any attempt at a slow one is over: it has its owner's places and no more.
  expect(slow.count()).toBe(PER_TENANT);
  await slow.close();
  closing.shift();
});

it('a dozen such owners still leave places for one who comes later', async () => {
  const slow = await receiver();
  for (let owner = 10; owner < 22; owner += 1)
    await ended(await makeKey(store, { ownerId: owner, webhookSecret: SECRET }), slow.url, 20);
  harness = open(30);
  void harness.engine.webhooks.runDue();
  while (slow.open.size < 48) await slow.called();
  const quick = await receiver(thanks);
  const late = await makeKey(store, { ownerId: 30, webhookSecret: SECRET });
  await ended(late, quick.url, 3);
  const heard = quick.called();
  void harness.engine.webhooks.runDue();
  await heard;
  expect(slow.count()).toBeLessThan(AT_ONCE);
  await slow.close();
  closing.shift();
});

it.each([
  { name: 'never answers', answer: () => undefined },
  {
    name: 'answers one byte at a time',
    answer: (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    },
  },
])('a receiver that $name is given up after one deadline in all', async ({ answer }) => {
  const slow = await receiver(answer);
  await ended(await makeKey(store, { ownerId: 7, webhookSecret: SECRET }), slow.url, 1);
  harness = open(0.3);
  const begun = performance.now();
  expect(await harness.engine.webhooks.runDue()).toBe(1);
  expect(performance.now() - begun).toBeLessThan(15_000);
  const [delivery] = await store.webhooks.list({ limit: 1 });
  expect(delivery).toMatchObject({ attempts: 1, lastError: 'no answer in time' });
  expect(delivery?.nextAttemptAt).toBeGreaterThan(START);
});

it('an answer without an end counts by its status, and is not read', async () => {
  const endless = await receiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  });
  await ended(await makeKey(store, { ownerId: 7, webhookSecret: SECRET }), endless.url, 1);
  harness = open(30);
  expect(await harness.engine.webhooks.runDue()).toBe(1);
  const [delivery] = await store.webhooks.list({ limit: 1 });
  expect(delivery).toMatchObject({ attempts: 1, lastStatus: 200, deliveredAt: START });
});
