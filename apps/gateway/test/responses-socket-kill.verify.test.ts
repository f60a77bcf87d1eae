/** Kill -9 with sockets open: what was answered is charged once, what was under way as every crash is, what waited was asked of nobody. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '@model-gateway/store';
import { LIVE_KEY, until } from '@model-gateway/testing';
import { openHeldGateway, type HeldGateway } from './held-vendor.ts';
import { isEnd, openSocket, type TestSocket } from './open-socket.ts';

const SOCKETS = 4;
const LANES = ['a', 'b'];
/** The ledger has what was noted this much ago. */
const NOTED_MS = 300;

let held: HeldGateway;
beforeAll(async () => {
  held = await openHeldGateway();
});
afterAll(() => held.close());

it('charges each response once, and asks nothing twice', async () => {
  const { vendor, databaseUrl } = held;
  let gateway = await held.start();
  const create = (lane: string) => ({
    ...{ type: 'response.create', model: 'held', input: 'hello', store: false, stream_id: lane },
  });
  const open = (): Promise<TestSocket> => openSocket(gateway.url, { authorization: `Bearer ${LIVE_KEY}` });
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, open));
  // On each socket one answer is whole; on each lane one is under way, and one waits behind it.
  for (const socket of sockets) {
    socket.send(create('whole'));
    (await vendor.next()).finish();
    expect((await socket.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
    for (const lane of [...LANES, ...LANES]) socket.send(create(lane));
    for (const _lane of LANES) (await vendor.next()).say(' upon', ' a', ' time');
    await until(() => LANES.every((lane) => socket.events.some((event) => isTold(event, lane))));
  }
  await noted();
  await gateway.kill();
  await until(() => sockets.every((socket) => socket.closed() !== undefined));
  expect(vendor.asked).toHaveLength(SOCKETS * (1 + LANES.length));

  // Who comes after it closes what it left, and the sockets are opened again.
  gateway = await held.start();
  const again = await open();
  again.send(create('whole'));
  (await vendor.next()).finish();
  expect((await again.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
  await again.close();
  await noted();
  await gateway.kill();

  const store = await openStore(databaseUrl, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + 3_600_000, { process: 'nobody' });
  const captures = await store.ledger.entries({ kind: 'capture', limit: 100 });
  expect(await store.ledger.verify()).toEqual([]);
  await store.close();
  const settled = captures.filter(({ detail }) => detail['crashSettlement'] === true);
  expect(vendor.asked).toHaveLength(SOCKETS * (1 + LANES.length) + 1);
  const ids = captures.flatMap(({ requestId }) => requestId ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  // Every whole answer has its own, and so has each of those under way, by the lease of the process that died.
  expect({ whole: captures.length - settled.length, settled: settled.length }).toEqual({
    whole: SOCKETS + 1,
    settled: SOCKETS * LANES.length,
  });
  for (const { charged } of captures) expect(charged).toBeGreaterThan(0);
});

function noted(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, NOTED_MS));
}

function isTold(event: Readonly<Record<string, unknown>>, lane: string): boolean {
  return event['stream_id'] === lane && event['delta'] === ' time';
}
