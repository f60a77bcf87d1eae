import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@model-gateway/contracts';
import { ark } from '@model-gateway/provider-ark';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import type { GatewayAccount } from '../catalogue.ts';
import type { KeyRecord, Store } from '../ports.ts';
import {
  account,
  createClock,
  createHarness,
  HOLD,
  makeKey,
  PRICE,
  START,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';
import type { NewlyCreated } from './types.ts';

const body = (text = 'A paper boat', more: JsonObject = {}): JsonObject => ({
  model: 'seedance',
  content: [{ type: 'text', text }],
  ...more,
});

let clock: Clock;
let twin: VendorTwin;
let store: Store;
let key: KeyRecord;
let first: GatewayAccount;
let second: GatewayAccount;
let harness: Harness;

const open = (over: Partial<HarnessOptions> = {}): Harness =>
  createHarness({
    store,
    clock,
    adapters: [ark],
    accounts: [first, second],
    models: [videoRow({ code: 'seedance', videoShape: 'content', usualSeconds: 60 }, first, second)],
    ...over,
  });

beforeEach(async () => {
  clock = createClock();
  twin = await startVendorTwin({ clock: clock.now, media: 'tiny', seconds: { video: 60 } });
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, balance: 100_000 });
  first = account({ id: 1, vendor: 'ark', baseUrl: twin.baseUrl('ark'), credentials: twin.credentials('ark') });
  second = account({ id: 2, vendor: 'ark', baseUrl: twin.baseUrl('ark'), credentials: twin.credentials('ark') });
  harness = open();
});
afterEach(async () => {
  await harness.close();
  await store.close();
  await twin.close();
});

const create = async (request = body()): Promise<NewlyCreated> => {
  const created = await harness.engine.createVideo(harness.caller(key), request, { endpoint: 'generations' });
  if (created.replayed !== undefined) throw new Error('not new');
  return created;
};
const ended = async (id: string): Promise<boolean> => {
  const task = await harness.engine.get(harness.caller(key), id);
  return task.state === 'SUCCESS' || task.state === 'FAILURE';
};

describe('a video task', () => {
  it('goes from the acknowledgement to the record of service.md, and is charged once', async () => {
    const { task, body: ack } = await create();
    expect(ack).toEqual({
      id: task.id,
      task_id: task.id,
      object: 'video',
      model: 'seedance',
      status: 'queued',
      progress: 0,
      created_at: START / 1000,
    });
    expect(task.id).toMatch(/^task_[a-z0-9]+$/);
    expect((await store.owners.get(7))?.balance).toBe(100_000 - HOLD);

    await harness.until(() => ended(task.id));
    const record = harness.engine.replies.task(await harness.engine.get(harness.caller(key), task.id));
    expect(record).toMatchObject({
      code: 'success',
      message: '',
      data: {
        id: task.number,
        created_at: START / 1000,
        task_id: task.id,
        platform: '54',
        user_id: 7,
        group: 'default',
        channel_id: 1,
        quota: PRICE,
        action: 'generate',
        status: 'SUCCESS',
        fail_reason: '',
        progress: '100%',
        properties: { input: 'A paper boat', upstream_model_name: 'vendor-seedance', origin_model_name: 'seedance' },
        data: { status: 'succeeded' },
      },
    });
    expect((await store.owners.get(7))?.balance).toBe(100_000 - PRICE);
    expect(await store.ledger.verify()).toEqual([]);
  });
});
