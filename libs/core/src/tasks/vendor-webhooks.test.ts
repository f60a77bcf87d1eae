import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ProviderAdapter, VideoCreate } from '@model-gateway/provider-kit';
import type { KeyRecord, Store } from '../ports.ts';
import { account, createClock, createHarness, makeKey, videoRow, type Clock, type Harness } from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';

const SECOND = 1000;
const WEBHOOK = { headers: {}, body: Buffer.from('{"status":"done"}') };

let clock: Clock;
let vendor: TestVendor;
let store: Store;
let key: KeyRecord;
let harness: Harness;
let inputs: VideoCreate[];
/** When the next webhook was signed. */
let signedAt: number | undefined;

/** The test vendor, which tells of its jobs. */
function telling(): ProviderAdapter {
  const adapter = testAdapter('telling');
  const { videos } = adapter;
  if (videos === undefined) throw new Error('it makes videos');
  return {
    ...adapter,
    videos: {
      ...videos,
      start: (input, upstream) => {
        inputs.push(input);
        return videos.start(input, upstream);
      },
      webhooks: { signedAt: () => Promise.resolve(signedAt) },
    },
  };
}

async function open(vendorWebhooks: boolean): Promise<Harness> {
  const accounts = [
    account({ id: 1, vendor: 'telling', baseUrl: vendor.url }),
    account({ id: 2, vendor: 'silent', baseUrl: vendor.url }),
  ] as const;
  return createHarness({
    store,
    clock,
    adapters: [telling(), testAdapter('silent')],
    accounts,
    models: [
      videoRow({ code: 'm', videoShape: 'prompt' }, accounts[0]),
      videoRow({ code: 'quiet', videoShape: 'prompt' }, accounts[1]),
    ],
    settings: { vendorWebhooks },
  });
}

beforeEach(async () => {
  clock = createClock();
  vendor = await startTestVendor();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7 });
  inputs = [];
  signedAt = undefined;
  harness = await open(true);
});
afterEach(async () => {
  await vendor.close();
  await harness.close();
  await store.close();
});

const created = async (model = 'm'): Promise<string> => {
  const made = await harness.engine.createVideo(
    harness.caller(key),
    { model, prompt: 'A kite' },
    { endpoint: 'generations' },
  );
  return made.task?.id ?? '';
};
const receive = (id: string): Promise<boolean> => harness.engine.receiveVendorWebhook(id, WEBHOOK);
const task = async (id: string) => {
  const found = await store.tasks.get(id);
  if (found === undefined) throw new Error(`there is no task ${id}`);
  return found;
};
/** A task that was found running a moment ago. */
async function running(): Promise<string> {
  vendor.poll = { status: 'working' };
  const id = await created();
  clock.pass(60 * SECOND);
  await harness.engine.runDue();
  expect(await task(id)).toMatchObject({ state: 'IN_PROGRESS' });
  vendor.poll = { status: 'done' };
  return id;
}

it('a vendor is given an address of the task where it takes one and the operator allows it', async () => {
  const id = await created();
  expect(inputs[0]?.webhookUrl).toMatch(
    new RegExp(String.raw`^https://gateway\.example/webhook/${id}\?expires=\d+&signature=[0-9a-f]{40}$`),
  );
  const query = Object.fromEntries(new URL(inputs[0]?.webhookUrl ?? '').searchParams);
  expect(harness.parts.links.verify('webhook', id, query)).toBe(true);
  expect(harness.parts.links.verify('video', id, query)).toBe(false);
  await harness.close();
  harness = await open(false);
  await created();
  expect(inputs[1]?.webhookUrl).toBeUndefined();
  await expect(receive(id)).rejects.toMatchObject({ code: 'not_found' });
});

it('the vendor is asked at once, and not within a second of the last time', async () => {
  const id = await running();
  const { updatedAt, nextCheckAt } = await task(id);
  expect(nextCheckAt).toBeGreaterThan(updatedAt + SECOND);
  clock.pass(SECOND / 4);
  expect(await receive(id)).toBe(true);
  expect(await store.tasks.nextDue()).toBe(updatedAt + SECOND);
  expect(await harness.engine.runDue()).toBe(0);
  clock.pass(SECOND);
  expect(await harness.engine.runDue()).toBe(1);
  expect(await task(id)).toMatchObject({ state: 'SUCCESS' });
});

it('only a later webhook than all before is taken, also after the end', async () => {
  const id = await running();
  const first = clock.now();
  signedAt = first;
  expect(await receive(id)).toBe(true);
  for (signedAt of [first, first - 1]) await expect(receive(id)).rejects.toMatchObject({ code: 'conflict' });
  clock.pass(SECOND);
  await harness.engine.runDue();
  const ended = await task(id);
  expect(ended).toMatchObject({ state: 'SUCCESS' });
  signedAt = first;
  await expect(receive(id)).rejects.toMatchObject({ code: 'conflict' });
  signedAt = first + 1;
  expect(await receive(id)).toBe(false);
  expect(await task(id)).toEqual({ ...ended, vendorWebhookAt: signedAt });
  expect(await store.tasks.nextDue()).toBeUndefined();
});

it.each([-300_001, 300_001])(
  'one that was signed %i ms from now is refused, one a millisecond nearer is not',
  async (ms) => {
    const id = await running();
    const before = await task(id);
    signedAt = clock.now() + ms;
    await expect(receive(id)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await task(id)).toEqual(before);
    signedAt -= Math.sign(ms);
    expect(await receive(id)).toBe(true);
  },
);

it('what is unknown, or of a vendor that is given no address, is not found', async () => {
  await expect(receive('task_unknown')).rejects.toMatchObject({ code: 'not_found' });
  await expect(receive(await created('quiet'))).rejects.toMatchObject({ code: 'not_found' });
});

it('one that comes before the vendor’s answer is to be sent again', async () => {
  let answer = (): void => undefined;
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<string>();
  vendor.script = async ({ method, json }) => {
    if (method !== 'POST') return undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    wasAsked(String(json['key']));
    await held;
    return undefined;
  };
  const creating = created();
  const id = await asked;
  await expect(receive(id)).rejects.toMatchObject({ code: 'conflict' });
  answer();
  expect(await creating).toBe(id);
  expect(await receive(id)).toBe(true);
});

it('a poll that is under way goes on alone', async () => {
  const id = await running();
  let answer = (): void => undefined;
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  vendor.script = async ({ method }) => {
    if (method !== 'GET') return undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    wasAsked();
    await held;
    return undefined;
  };
  clock.pass(60 * SECOND);
  const polling = harness.engine.runDue();
  await asked;
  const polls = vendor.asked.length;
  expect(await receive(id)).toBe(true);
  const other = await open(true);
  expect(await other.engine.runDue()).toBe(0);
  // Nor does a process whose clock is behind, for which it was not due yet.
  const behind = ((await task(id)).nextCheckAt ?? 0) - 5 * SECOND;
  await store.tasks.noteVendorWebhook(id, { at: clock.now() + 1, restMs: 0 }, behind);
  expect(await other.engine.runDue()).toBe(0);
  await other.close();
  answer();
  await polling;
  expect(vendor.asked).toHaveLength(polls);
  expect(await task(id)).toMatchObject({ state: 'SUCCESS' });
});

it('one that comes during a poll has the vendor asked again a second later: the answer under way may be older', async () => {
  const id = await running();
  vendor.poll = { status: 'working' };
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>();
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  vendor.script = async ({ method }) => {
    if (method !== 'GET') return undefined;
    wasAsked();
    await held;
    return { json: { status: 'working' } };
  };
  clock.pass(60 * SECOND);
  const polling = harness.engine.runDue();
  await asked;
  // Whatever the vendor's clock says.
  signedAt = clock.now() - 200 * SECOND;
  expect(await receive(id)).toBe(true);
  answer();
  await polling;
  expect(await task(id)).toMatchObject({ state: 'IN_PROGRESS', nextCheckAt: clock.now() + SECOND });
  vendor.script = () => undefined;
  clock.pass(SECOND);
  // Only once: from then on it is polled as before.
  expect(await harness.engine.runDue()).toBe(1);
  expect((await task(id)).nextCheckAt).toBeGreaterThan(clock.now() + SECOND);
});

describe('the address is not in what is kept or answered', () => {
  const escaped = (url: string): string[] => [
    url,
    `could not call <${url}>, sorry`,
    JSON.stringify({ callback_url: url }),
    JSON.stringify(url).replaceAll('/', String.raw`\/`),
    encodeURIComponent(url),
    `/hook?next=${encodeURIComponent(encodeURIComponent(url))}`,
    url.replaceAll('&', '&amp;'),
    url.replace('https://gateway.example', ''),
  ];
  const signatureOf = (url: string): string => new URL(url).searchParams.get('signature') ?? 'none';

  it.each(['working', 'done', 'failed', 'pondering'])('of a job that is %s', async (status) => {
    const id = await created();
    const url = inputs[0]?.webhookUrl ?? '';
    const spellings = escaped(url);
    vendor.poll = { status, request: { callback_url: url, kept: `of ${id}`, spellings }, reason: spellings.join(' ') };
    clock.pass(60 * SECOND);
    await harness.engine.runDue();
    const row = await task(id);
    expect(row.payload).toMatchObject({ status, request: { callback_url: '[hidden]', kept: `of ${id}` } });
    expect(JSON.stringify(row)).not.toContain(signatureOf(url));
    if (status === 'failed') expect(row.failReason).toContain('could not call <[hidden]>, sorry');
  });

  it('of a job that the vendor refuses', async () => {
    vendor.script = ({ method }) =>
      method === 'POST' ? { status: 400, json: { error: escaped(inputs[0]?.webhookUrl ?? '').join(' ') } } : undefined;
    const refused = await created().then(
      () => undefined,
      (error: unknown) => error,
    );
    const url = inputs[0]?.webhookUrl ?? '';
    expect(refused).toBeInstanceOf(GatewayError);
    const { message, details } = refused as GatewayError;
    expect(message).toContain('[hidden]');
    const [row] = await store.tasks.list({ limit: 1 });
    expect(row).toMatchObject({ state: 'FAILURE', failReason: expect.stringContaining('[hidden]') as string });
    expect(JSON.stringify([message, { ...details, cause: undefined }, row])).not.toContain(signatureOf(url));
  });
});
