/** How responses over a WebSocket end before their time: cancelled, hung up on, cut by the vendor, at shutdown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, until, type TestGateway } from '@model-gateway/testing';
import { heldYaml, startHeldVendor, type HeldStream, type HeldVendor } from './held-vendor.ts';
import { isEnd, openSocket, type TestSocket } from './open-socket.ts';

let vendor: HeldVendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await startHeldVendor();
  gateway = await openTestGateway({ yaml: heldYaml(vendor) });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const open = (url = gateway.url): Promise<TestSocket> =>
  openSocket(url, { authorization: `Bearer ${gateway.liveKey}` });

const create = (more: JsonObject = {}): JsonObject => ({
  ...{ type: 'response.create', model: 'held', input: 'hello', store: false },
  ...more,
});

/** Asks, and waits until the first words have come. */
async function begin(socket: TestSocket, more: JsonObject = {}): Promise<HeldStream> {
  socket.send(create(more));
  const stream = await vendor.next();
  stream.say(' once', ' upon');
  await socket.until(({ type }) => type === 'response.output_text.delta');
  return stream;
}

async function lastRow(): Promise<JsonObject | undefined> {
  const reply = await fetch(`${gateway.url}/admin/requests?limit=1`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  return ((await reply.json()) as { data: JsonObject[] }).data[0];
}

describe('a response', () => {
  it('that is cancelled stops its vendor, is told as an event, and leaves the socket to the next', async () => {
    const socket = await open();
    const stream = await begin(socket);
    socket.send({ type: 'response.cancel', response_id: 'resp_another' });
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({ status: 404 });
    expect(stream.isRead()).toBe(true);
    socket.send({ type: 'response.cancel' });
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({ type: 'error', error: { code: 'response_cancelled' } });
    await until(() => !stream.isRead());
    (await begin(socket)).finish();
    expect((await socket.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
    await socket.close();
  });

  it('whose client hangs up stops its vendor, and is a request that was aborted and is charged', async () => {
    const socket = await open();
    const stream = await begin(socket);
    socket.webSocket.terminate();
    await until(() => !stream.isRead());
    await until(async () => (await lastRow())?.['aborted'] === true);
    const id = (await lastRow())?.['id'];
    const { ledger } = gateway.server.parts.store;
    await until(async () => {
      const captures = await ledger.entries({ kind: 'capture', limit: 100 });
      return captures.some(({ requestId, charged }) => requestId === id && charged > 0);
    });
  });

  it('that its vendor cuts is a failed one, and the socket goes on', async () => {
    const socket = await open();
    (await begin(socket, { stream_id: 'lane' })).cut();
    const last = (await socket.until(isEnd)).at(-1);
    expect(last).toMatchObject({ type: 'response.failed', stream_id: 'lane', response: { status: 'failed' } });
    (await begin(socket)).finish();
    expect((await socket.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
    await socket.close();
  });

  it('on one lane too many is refused', async () => {
    const socket = await open();
    const streams: HeldStream[] = [];
    for (let lane = 0; lane < 8; lane++) streams.push(await begin(socket, { stream_id: `lane-${lane}` }));
    socket.send(create({ stream_id: 'ninth' }));
    expect((await socket.until(isEnd)).at(-1)).toMatchObject({
      ...{ type: 'error', stream_id: 'ninth', error: { code: 'websocket_stream_limit_reached' } },
    });
    for (const stream of streams) stream.finish();
    for (let lane = 0; lane < 8; lane++) await socket.until(isEnd);
    await socket.close();
  });
});

it('a flood of what is asked waits unread, and every one is answered', async () => {
  const socket = await open();
  const stream = await begin(socket);
  for (let at = 0; at < 40; at++) socket.send(create({ input: `${at} ${'x'.repeat(100_000)}` }));
  stream.finish();
  await socket.until(isEnd);
  for (let at = 0; at < 40; at++) {
    (await vendor.next()).finish();
    expect((await socket.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
  }
  await socket.close();
});

it('at shutdown what runs is answered, nothing more is taken, and the code says why', async () => {
  const other = await openTestGateway({ yaml: heldYaml(vendor) });
  const [idle, busy] = [await open(other.url), await open(other.url)];
  const stream = await begin(busy);
  const closing = other.close();
  await until(() => idle.closed() !== undefined);
  expect(idle.closed()).toBe(1001);
  busy.send(create());
  expect((await busy.until(isEnd)).at(-1)).toMatchObject({ type: 'error', status: 503 });
  stream.finish();
  expect((await busy.until(isEnd)).at(-1)?.['type']).toBe('response.completed');
  await until(() => busy.closed() !== undefined);
  expect(busy.closed()).toBe(1001);
  await closing;
});
