/** Thousands of open tasks in controlled time, for each account as many as it can just be asked about: found finished within two seconds, with fewer questions than a plain poller's. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProviderAdapter } from '@model-gateway/provider-kit';
import type { Store } from '../ports.ts';
import {
  account,
  createClock,
  createHarness,
  HOLD,
  makeKey,
  START,
  videoRow,
  type Clock,
  type Harness,
} from './testing/harness.ts';
import { openTestStore } from './testing/store.ts';

const TASKS = Number(process.env['OPEN_TASKS'] ?? 2_500);
const WARM_UP = 256;
/** At once, of one account: 10,000 tasks and 64 questions are the same as 2,500 and 16. */
const POLLS_PER_ACCOUNT = Math.ceil((TASKS * 64) / 10_000);
const POLL_SECONDS = 5;
const STEP_MS = 100;
const MEAN_MS = 60_000;
const SPREAD = 0.12;

let clock: Clock;
let store: Store;
let harness: Harness;
let readyAt: number[];
let questions: number;
let random: () => number;

/** Jobs take a minute, more or less (log-normal), and are done at a time that only the vendor knows. */
const vendor: ProviderAdapter = {
  id: 'timed',
  videos: {
    start: async () => {
      const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      readyAt.push(clock.now() + MEAN_MS * Math.exp(SPREAD * normal));
      return { ticket: { index: readyAt.length - 1 }, dropped: [] };
    },
    check: async ({ index }) => {
      questions++;
      const ready = readyAt[Number(index)] ?? Infinity;
      if (clock.now() < ready) return { state: 'running', payload: { status: 'running' } };
      return {
        state: 'succeeded',
        files: [{ url: 'https://media.example/v.mp4', mime: 'video/mp4' }],
        usage: { videos: 1 },
        payload: { status: 'done' },
      };
    },
  },
  authorize: () => ({}),
  readFault: () => undefined,
};

beforeEach(async () => {
  clock = createClock();
  store = await openTestStore();
  readyAt = [];
  questions = 0;
  let state = 42;
  random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const accounts = [1, 2, 3, 4].map((id) => account({ id, vendor: 'timed', baseUrl: 'http://127.0.0.1:9' }));
  harness = createHarness({
    store,
    clock,
    adapters: [vendor],
    accounts,
    models: accounts.map((each) => videoRow({ code: `m${each.id}`, videoShape: 'prompt', usualSeconds: 60 }, each)),
    settings: { pollSeconds: POLL_SECONDS, pollsPerAccount: POLLS_PER_ACCOUNT },
  });
});
afterEach(async () => {
  await harness.close();
  await store.close();
});

it(`${TASKS} open tasks`, async () => {
  const key = await makeKey(store, { ownerId: 7, balance: (TASKS + WARM_UP) * HOLD });
  const caller = harness.caller(key);
  const ids: string[] = [];
  const create = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made++) {
      const body = { model: `m${(ids.length % 4) + 1}`, prompt: 'A kite' };
      const { task } = await harness.engine.createVideo(caller, body, { endpoint: 'generations' });
      ids.push(task?.id ?? '');
    }
  };
  const open = async (): Promise<number> => (await store.tasks.countOpen()).reduce((sum, { count }) => sum + count, 0);

  await create(WARM_UP);
  while ((await open()) > 0) {
    clock.pass(STEP_MS * 10);
    await harness.engine.runDue();
  }
  questions = 0;
  let most = 0;
  // All of them come within 40 seconds, so that all are open at once.
  for (let step = 0; step === 0 || (await open()) > 0; step++) {
    if (ids.length < TASKS + WARM_UP) await create(TASKS / 400);
    clock.pass(STEP_MS);
    await harness.engine.runDue();
    if (step % 50 === 0) most = Math.max(most, await open());
  }

  const lags: number[] = [];
  let plain = 0;
  for (const [index, id] of ids.entries()) {
    if (index < WARM_UP) continue;
    const task = await store.tasks.get(id);
    expect(task?.state).toBe('SUCCESS');
    const ready = readyAt[index] ?? 0;
    lags.push((task?.finishTime ?? Infinity) - ready);
    plain += Math.ceil((ready - (task?.createdAt ?? START)) / (POLL_SECONDS * 1000));
  }
  lags.sort((a, b) => a - b);
  const p95 = lags[Math.floor(lags.length * 0.95)] ?? Infinity;
  expect(most).toBeGreaterThan(TASKS * 0.95);
  expect(p95).toBeLessThan(2000);
  expect(questions).toBeLessThan(plain);
}, 240_000);
