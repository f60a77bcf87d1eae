/** Sockets to vendors: how many there are, and how long they live. */
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { SocketMessage, Upstream } from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import type { GatewayAccount } from '../../catalogue.ts';
import { VendorSocketAccounts, VendorSockets, type LaneRequest } from './vendor-sockets.ts';

const MINUTE = 60_000;
const END = JSON.stringify({ type: 'response.completed', response: { id: 'resp_1', output: [] } });
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

class Socket extends EventEmitter {
  readyState = 1;
  resume(): void {
    // Read on.
  }
  close(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

let now = 0;
let opened: Socket[];
let asked: string[];
let refusal: GatewayError | undefined;
/** Answers that end at once, or when they are told to. */
let ends: (() => void)[];
const upstream = {
  connect() {
    if (refusal !== undefined) return Promise.reject(refusal);
    opened.push(new Socket());
    return Promise.resolve(opened.at(-1));
  },
  converse(_socket: unknown, { text, isLast }: SocketMessage) {
    asked.push(text);
    const raw = Readable.from(['data: x\n\n']);
    ends.push(() => isLast(END));
    return Promise.resolve({ raw });
  },
} as unknown as Upstream;

beforeEach(() => {
  now = 1;
  opened = [];
  asked = [];
  ends = [];
  refusal = undefined;
});

const account = (id: number): GatewayAccount => ({ id, name: `a${id}` }) as unknown as GatewayAccount;
const ONE = account(1);
function requestTo(at = ONE): LaneRequest {
  const json = { input: 'hi' };
  const { socketMode: mode } = dialects['openai-responses'];
  if (mode === undefined) throw new Error('the format has a mode for sockets');
  return { mode, bytes: Buffer.from(JSON.stringify(json)), json, account: at, opening: { path: '/responses' } };
}
const socketsWith = (mostIdle: number): VendorSockets =>
  new VendorSockets(new VendorSocketAccounts({ now: () => now, log, mostIdle }));
async function answered(sockets: VendorSockets, lane: string, at = ONE): Promise<boolean> {
  const answer = await sockets.lane(lane).ask(requestTo(at), upstream);
  ends.at(-1)?.();
  return answer !== undefined;
}
const open = (): number => opened.filter(({ readyState }) => readyState === 1).length;

it('one for each lane is kept for the next request, and no more are idle than may be', async () => {
  const sockets = socketsWith(2);
  for (const lane of ['a', 'b', 'a', 'b']) expect(await answered(sockets, lane)).toBe(true);
  expect(opened).toHaveLength(2);
  await answered(sockets, 'c');
  expect([opened.length, open()]).toEqual([3, 2]);
  // The one idle longest was that of the first lane, which opens another.
  await answered(sockets, 'b');
  expect(opened).toHaveLength(3);
  await answered(sockets, 'a');
  expect([opened.length, open()]).toEqual([4, 2]);
});

it('what answers is not idle', async () => {
  const sockets = socketsWith(0);
  await sockets.lane('a').ask(requestTo(), upstream);
  expect(open()).toBe(1);
  // While it does, the lane's next one goes over HTTP.
  expect(await sockets.lane('a').ask(requestTo(), upstream)).toBeUndefined();
  sockets.close();
  expect(open()).toBe(1);
  ends[0]?.();
  expect(open()).toBe(0);
});

it('of two that are opened at once for a lane the first is kept, and the other is closed after its answer', async () => {
  const sockets = socketsWith(8);
  const both = await Promise.all(['a', 'a'].map((lane) => sockets.lane(lane).ask(requestTo(), upstream)));
  expect(both.map((answer) => answer !== undefined)).toEqual([true, true]);
  expect([opened.length, open()]).toEqual([2, 2]);
  for (const end of ends) end();
  expect(opened.map(({ readyState }) => readyState)).toEqual([1, 3]);
  await answered(sockets, 'a');
  sockets.close();
  expect([opened.length, open()]).toEqual([2, 0]);
});

it('is another when it is old, and when the account is another', async () => {
  const sockets = socketsWith(8);
  await answered(sockets, 'a');
  now += 49 * MINUTE;
  await answered(sockets, 'a');
  expect(opened).toHaveLength(1);
  now += 2 * MINUTE;
  await answered(sockets, 'a');
  await answered(sockets, 'a', { ...ONE });
  expect([opened.length, open()]).toEqual([3, 1]);
  sockets.close();
  expect(open()).toBe(0);
});

it('lanes and accounts beyond the bounds give theirs up', async () => {
  const sockets = socketsWith(100);
  for (let lane = 0; lane < 12; lane++) await answered(sockets, `lane ${lane}`);
  expect(open()).toBe(8);
  for (let id = 1; id <= 6; id++) await answered(sockets, 'lane 11', account(id));
  expect(open()).toBe(7 + 4);
});

it('an account that opens none is asked over HTTP for ten minutes, one that cannot be reached each time', async () => {
  const sockets = socketsWith(8);
  refusal = new GatewayError('upstream_unavailable', 'down', { taken: 'no' });
  expect(await answered(sockets, 'a')).toBe(false);
  refusal = new GatewayError('invalid_request', 'no', { vendorStatus: 426 });
  expect(await answered(sockets, 'a')).toBe(false);
  refusal = undefined;
  expect(await answered(sockets, 'a')).toBe(false);
  expect(await answered(sockets, 'a', account(2))).toBe(true);
  now += 10 * MINUTE;
  expect(await answered(sockets, 'a')).toBe(true);
  expect(asked).toHaveLength(2);
});
