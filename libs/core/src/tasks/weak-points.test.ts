/** One named test for each weak point seen in a popular gateway; a naive implementation fails it. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { GatewayAccount } from '../catalogue.ts';
import type { KeyRecord, LedgerEntry, Store, TaskRecord } from '../ports.ts';
import {
  account,
  createClock,
  createHarness,
  HOLD,
  makeKey,
  PRICE,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { once } from './testing/printing.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';
import type { CreateOptions, NewlyCreated } from './types.ts';

const BALANCE = 100_000;
const HOUR = 3_600_000;

let clock: Clock;
let vendor: TestVendor;
let store: Store;
let key: KeyRecord;
let accounts: GatewayAccount[];
let harness: Harness;
let opened: Harness[];

const open = (over: Partial<HarnessOptions> = {}): Harness => {
  const made = createHarness({
    store,
    clock,
    adapters: [testAdapter(), testAdapter('plain', ['reconcile', 'cancel'])],
    accounts,
    models: [videoRow({ code: 'm', videoShape: 'prompt', usualSeconds: 60 }, ...accounts)],
    ...over,
  });
  opened.push(made);
  return made;
};

beforeEach(async () => {
  clock = createClock();
  vendor = await startTestVendor();
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, balance: BALANCE });
  accounts = [1, 2].map((id) => account({ id, vendor: 'plain', baseUrl: vendor.url }));
  opened = [];
  harness = open();
});
afterEach(async () => {
  await vendor.close();
  await Promise.all(opened.map((each) => each.close()));
  await store.close();
});

const create = async (
  more: JsonObject = {},
  options: Partial<CreateOptions> = {},
  by = harness,
): Promise<NewlyCreated> => {
  const body = { model: 'm', prompt: 'A kite', ...more };
  const created = await by.engine.createVideo(by.caller(key), body, { endpoint: 'generations', ...options });
  if (created.replayed !== undefined) throw new Error('replayed');
  return created;
};
const get = (id: string): Promise<TaskRecord> => harness.engine.get(harness.caller(key), id);
const inState =
  (id: string, ...states: string[]) =>
  async (): Promise<boolean> =>
    states.includes((await get(id)).state);
const balance = async (): Promise<number> => (await store.owners.get(7))?.balance ?? 0;
const entriesOf = (taskId: string): Promise<readonly LedgerEntry[]> => store.ledger.entries({ taskId, limit: 100 });
const closings = async (): Promise<LedgerEntry[]> =>
  (await store.ledger.entries({ limit: 1000 })).filter(({ kind }) => kind === 'capture' || kind === 'release');
const errorOf = async (work: Promise<unknown>): Promise<GatewayError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw new Error('no GatewayError', { cause: error });
  return error;
};
const tasks = (): Promise<readonly TaskRecord[]> => store.tasks.list({ limit: 100 });
const post = (asked: { method: string }): boolean => asked.method === 'POST';

describe('W1: the acknowledgement follows the row and the ticket', () => {
  it('when the vendor is asked, row and hold are there; when the caller is answered, so is the ticket', async () => {
    let seen: TaskRecord | undefined;
    let held = 0;
    vendor.script = async (asked) => {
      if (post(asked)) {
        [seen] = await tasks();
        held = BALANCE - (await balance());
      }
      return undefined;
    };
    const { task } = await create();
    expect(seen).toMatchObject({ id: task.id, state: 'NOT_START', submitted: true });
    expect(seen?.ticket).toBeUndefined();
    expect(held).toBe(HOLD);
    expect((await store.tasks.get(task.id))?.ticket).toEqual({ id: 'job-1' });
  });

  it('a ticket that cannot be stored is not acknowledged, and the row ends without a second job', async () => {
    const failing = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => Promise.reject(new Error('disk full')) } },
    });
    await expect(create({}, {}, failing)).rejects.toThrow();
    expect(vendor.asked.filter(post)).toHaveLength(1);
    expect((await tasks()).map(({ state }) => state)).toEqual(['FAILURE']);
    expect(await balance()).toBe(BALANCE);
  });
});

describe('W2: a lost answer is not asked again', () => {
  const lost: { name: string; answer: Parameters<typeof create>[0] & object }[] = [
    { name: 'the connection is cut', answer: { silence: 'cut' } },
    { name: 'a 500 without words', answer: { status: 500 } },
    { name: 'a 502 from a proxy', answer: { status: 502, json: { error: 'bad gateway' } } },
    { name: 'a reply without an id', answer: { json: { ok: true } } },
  ];
  it.each(lost)('$name: one question, 503, money back, never the other account', async ({ answer }) => {
    vendor.script = (asked) => (post(asked) ? answer : undefined);
    const error = await errorOf(create());
    expect(error.code).toBe('submission_unknown');
    expect(error.status()).toBe(503);
    expect(vendor.asked.filter(post)).toHaveLength(1);
    const [task] = await tasks();
    expect(task).toMatchObject({ state: 'FAILURE', failCode: 'submission_unknown', quota: 0 });
    expect(await balance()).toBe(BALANCE);
    vendor.script = () => undefined;
    await harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a repetition with the same Idempotency-Key gets the same answer and starts nothing', async () => {
    vendor.script = (asked) => (post(asked) ? { silence: 'cut' } : undefined);
    const idempotency = once('k-1', 'f');
    await errorOf(create({}, { idempotency }));
    vendor.script = () => undefined;
    const again = await harness.engine.createVideo(
      harness.caller(key),
      { model: 'm', prompt: 'A kite' },
      {
        endpoint: 'generations',
        idempotency,
      },
    );
    expect(again.replayed?.status).toBe(503);
    expect(JSON.parse(Buffer.from(again.replayed?.body ?? []).toString())).toMatchObject({
      code: 'submission_unknown',
    });
    expect(vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a vendor with a dedupe key is asked whether it has the job: one job, an acknowledgement, no second question', async () => {
    accounts = [account({ id: 1, vendor: 'scripted', baseUrl: vendor.url })];
    const by = open({ settings: { reconcileAfterMs: [1, 1] } });
    vendor.script = (asked) => {
      if (!post(asked)) return undefined;
      vendor.jobs.set('job-1', asked.json);
      return { silence: 'cut' };
    };
    const { task } = await create({}, {}, by);
    expect(task.ticket).toEqual({ id: 'job-1' });
    expect(vendor.asked.filter(post)).toHaveLength(1);
    vendor.script = () => undefined;
    await by.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it.each([
    { name: '429', answer: { status: 429, headers: { 'retry-after': '7' } } },
    { name: 'a refused connection', answer: undefined },
    { name: "the account's key is refused", answer: { status: 401 } },
  ])('$name: certainly not taken, so the next account is asked, once', async ({ answer }) => {
    const dead = answer === undefined;
    accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: dead ? 'http://127.0.0.1:9' : vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: vendor.url }),
    ];
    const by = open();
    let questions = 0;
    vendor.script = (asked) => (post(asked) && questions++ === 0 && !dead ? answer : undefined);
    const { task, attempts } = await create({}, {}, by);
    expect(attempts).toBe(2);
    expect(task.accountId).toBe(2);
    expect(vendor.jobs.size).toBe(1);
  });

  it("a refusal of the caller's input is the caller's: no other account is asked", async () => {
    vendor.script = (asked) => (post(asked) ? { status: 400, json: { error: 'prompt too odd' } } : undefined);
    const error = await errorOf(create());
    expect(error).toMatchObject({ code: 'invalid_request', message: 'prompt too odd' });
    expect(vendor.asked.filter(post)).toHaveLength(1);
    expect(await balance()).toBe(BALANCE);
  });

  it('an adapter that has no words for the input asks nobody: the next one may have them', async () => {
    accounts = [
      account({ id: 1, vendor: 'wordless', baseUrl: vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: vendor.url }),
    ];
    const wordless = testAdapter('wordless');
    const refusal = new GatewayError('invalid_request', 'prompt: this model takes no kites', { param: 'prompt' });
    const adapters = [
      { ...wordless, videos: { ...wordless.videos!, start: () => Promise.reject(refusal) } },
      testAdapter('plain', ['reconcile']),
    ];
    const by = open({ adapters });
    expect((await create({}, {}, by)).task.accountId).toBe(2);
    vendor.script = (asked) => (post(asked) ? { status: 429 } : undefined);
    expect((await errorOf(create({}, {}, by))).code).toBe('upstream_rate_limited');
    const alone = open({
      adapters,
      accounts: accounts.slice(0, 1),
      models: [videoRow({ code: 'm', videoShape: 'prompt' }, accounts[0]!)],
    });
    expect(await errorOf(create({}, {}, alone))).toBe(refusal);
    expect(vendor.jobs.size).toBe(1);
  });

  it('when every account says 429 the caller is told when to come back', async () => {
    vendor.script = (asked) => (post(asked) ? { status: 429, headers: { 'retry-after': '7' } } : undefined);
    const error = await errorOf(create());
    expect(error.code).toBe('upstream_rate_limited');
    expect(error.details.retryAfterSeconds).toBe(7);
    expect(error.status()).toBe(503);
    expect(error.status(true)).toBe(429);
    expect(await balance()).toBe(BALANCE);
  });

  it('a caller who hangs up does not make a taken job unknown', async () => {
    const hangUp = new AbortController();
    vendor.script = async (asked) => {
      if (!post(asked)) return undefined;
      hangUp.abort();
      await new Promise((resolve) => setTimeout(resolve, 30));
      return undefined;
    };
    const created = await harness.engine.createVideo(
      harness.caller(key, hangUp.signal),
      { model: 'm', prompt: 'x' },
      {
        endpoint: 'generations',
      },
    );
    expect(created.task?.ticket).toEqual({ id: 'job-1' });
  });
});

describe('W3: a missing account or ticket never loses money', () => {
  it('tasks of an account that was taken out of the configuration stay, and finish when it is back', async () => {
    vendor.poll = { status: 'working' };
    const { task } = await create();
    const without = open({ accounts: [], models: [] });
    clock.pass(HOUR);
    await without.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', faults: 1 });
    expect(await balance()).toBe(BALANCE - HOLD);
    vendor.poll = { status: 'done' };
    await harness.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it('if it never comes back, the deadline ends them and gives the money back', async () => {
    const { task } = await create();
    const without = open({ accounts: [], models: [] });
    await without.until(inState(task.id, 'FAILURE'), 5000);
    expect(await balance()).toBe(BALANCE);
    expect(clock.now() - task.createdAt).toBeLessThan(24 * HOUR + 60_000);
  });

  it('a process that died before the vendor was asked leaves a row that ends, and money that returns', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, markSubmitted: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while ((await tasks()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await balance()).toBe(BALANCE - HOLD);
    const [task] = await tasks();
    await harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(await balance()).toBe(BALANCE);
    expect(vendor.asked).toHaveLength(0);
  });

  it('a process that died while asking: the job is looked up by its dedupe key, adopted and charged', async () => {
    accounts = [account({ id: 1, vendor: 'scripted', baseUrl: vendor.url })];
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const next = open();
    const [task] = await tasks();
    await next.until(inState(task?.id ?? '', 'SUCCESS'));
    expect(vendor.asked.filter(post)).toHaveLength(1);
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it('a process that died while asking a vendor without one: submission unknown, money back, no second job', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const [task] = await tasks();
    await harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(await get(task?.id ?? '')).toMatchObject({ failCode: 'submission_unknown' });
    expect(await balance()).toBe(BALANCE);
    expect(vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a ticket that comes back after its row was taken for a leftover is not acknowledged, and its job is cancelled', async () => {
    accounts = [account({ id: 1, vendor: 'scripted', baseUrl: vendor.url })];
    const adapter = testAdapter('scripted', ['reconcile']);
    const slow = open({ adapters: [adapter], accounts });
    let answer = (): void => undefined;
    vendor.script = async (asked) => {
      if (post(asked)) await new Promise<void>((resolve) => (answer = resolve));
      return undefined;
    };
    const pending = errorOf(create({}, {}, slow));
    while (vendor.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pass(HOUR);
    const other = open({ adapters: [adapter], accounts });
    await other.engine.runDue();
    answer();
    expect((await pending).code).toBe('submission_unknown');
    expect(vendor.jobs.get('job-1')).toMatchObject({ cancelled: true });
    expect(await balance()).toBe(BALANCE);
    expect(await store.ledger.verify()).toEqual([]);
  });

  it('the only process on a database settles leftovers at once when it starts', async () => {
    const dying = open({
      store: { ...store, tasks: { ...store.tasks, saveTicket: () => new Promise(() => undefined) } },
    });
    void create({}, {}, dying).catch(() => undefined);
    while (vendor.jobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.pass(1);
    const next = open({ settings: { soleProcess: true } });
    next.engine.start();
    const [task] = await tasks();
    while (!(await inState(task?.id ?? '', 'FAILURE')())) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await balance()).toBe(BALANCE);
  });
});

describe('W4: reading never calls the vendor', () => {
  it('a hundred reads of every kind change nothing and ask nobody', async () => {
    vendor.poll = { status: 'failed', reason: 'x' };
    const { task } = await create();
    clock.pass(HOUR);
    const before = vendor.asked.length;
    for (let count = 0; count < 100; count++) {
      harness.engine.resultUrl(await get(task.id));
    }
    await harness.engine.list(harness.caller(key), {});
    expect(vendor.asked).toHaveLength(before);
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', checks: 0 });
    await harness.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'FAILURE', quota: 0 });
    expect(await balance()).toBe(BALANCE);
  });
});

describe('W5: state, money, event and webhook are one step', () => {
  it('if the webhook row cannot be written, nothing has happened; the next poll settles once', async () => {
    const withSecret = await makeKey(store, {
      ownerId: 7,
      balance: 0,
      name: 'hooked',
      webhookSecret: `whsec_${'a'.repeat(32)}`,
    });
    let fixed: string | undefined = 'samesamesamesamesame';
    let serial = 0;
    const by = open({ parts: { randomId: () => fixed ?? `free${++serial}`.padEnd(24, '0') } });
    const start = async (): Promise<string> => {
      const ids = fixed;
      fixed = undefined;
      const created = await by.engine.createVideo(
        by.caller(withSecret),
        { model: 'm', prompt: 'x', callback_url: `${vendor.url}/hook` },
        { endpoint: 'generations' },
      );
      fixed = ids;
      return created.task?.id ?? '';
    };
    const ids = [await start(), await start()];
    clock.pass(HOUR);
    await by.engine.runDue();
    const states = await Promise.all(ids.map(async (id) => (await store.tasks.get(id))?.state));
    // One delivery id for two tasks: the second transaction is rolled back as a whole.
    expect(states.sort()).toEqual(['NOT_START', 'SUCCESS']);
    expect(await balance()).toBe(BALANCE - PRICE - HOLD);
    expect(await closings()).toHaveLength(1);
    fixed = undefined;
    clock.pass(HOUR);
    await by.engine.runDue();
    expect(await balance()).toBe(BALANCE - 2 * PRICE);
    expect(await closings()).toHaveLength(2);
    expect(await store.ledger.verify()).toEqual([]);
  });

  it('pollers and cancels at the same moment settle every task exactly once', async () => {
    accounts = accounts.map((each) => ({ ...each, vendor: 'scripted' }));
    const engines = [open(), open(), open()];
    const ids: string[] = [];
    for (let count = 0; count < 30; count++) ids.push((await create({}, {}, engines[0])).task.id);
    clock.pass(HOUR);
    await Promise.all([
      ...engines.map((each) => each.engine.runDue()),
      ...ids.map((id, index) => {
        const by = engines[index % 3] ?? harness;
        return by.engine.cancel(by.caller(key), id).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'conflict' });
        });
      }),
    ]);
    for (const id of ids) {
      const task = await get(id);
      expect(['SUCCESS', 'FAILURE']).toContain(task.state);
      const closed = (await entriesOf(id)).filter(({ kind }) => kind === 'capture' || kind === 'release');
      expect(closed.map(({ kind }) => kind)).toEqual([task.state === 'SUCCESS' ? 'capture' : 'release']);
    }
    expect(await store.ledger.verify()).toEqual([]);
  });
});

describe('W6: the status of a poll counts', () => {
  it.each([
    { name: '429', answer: { status: 429, json: { error: 'slow down' } } },
    { name: '500 with a JSON error', answer: { status: 500, json: { error: 'oops', status: 'failed' } } },
    { name: '503 in HTML', answer: { status: 503, bytes: Buffer.from('<html>') } },
    { name: '401: our key was refused', answer: { status: 401, json: { error: 'key' } } },
    { name: '400', answer: { status: 400, json: { error: 'odd question' } } },
    { name: 'a cut connection', answer: { silence: 'cut' as const } },
    { name: 'a 200 that is no JSON', answer: { bytes: Buffer.from('{"status":"fai') } },
  ])('$name is no failure of the job, and no sign of life either', async ({ answer }) => {
    const { task } = await create();
    vendor.script = (asked) => (asked.method === 'GET' ? answer : undefined);
    clock.pass(60_000);
    await harness.engine.runDue();
    clock.pass(60_000);
    await harness.engine.runDue();
    const kept = await get(task.id);
    expect(kept).toMatchObject({ state: 'NOT_START', progress: 0 });
    expect(kept.faults + kept.checks).toBeGreaterThanOrEqual(2);
    expect(await balance()).toBe(BALANCE - HOLD);
    vendor.script = () => undefined;
    await harness.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it("a vendor's retry-after on a poll is kept", async () => {
    const { task } = await create();
    vendor.script = (asked) => (asked.method === 'GET' ? { status: 429, headers: { 'retry-after': '90' } } : undefined);
    clock.pass(60_000);
    await harness.engine.runDue();
    expect((await get(task.id)).nextCheckAt).toBe(clock.now() + 90_000);
  });

  it('"no such job" three times in a row is believed, twice is not', async () => {
    const first = await create();
    let left = 2;
    vendor.script = (asked) =>
      asked.method === 'GET' && left-- > 0 ? { status: 404, json: { error: 'gone' } } : undefined;
    await harness.until(inState(first.task.id, 'SUCCESS', 'FAILURE'));
    expect((await get(first.task.id)).state).toBe('SUCCESS');
    const second = await create();
    left = 3;
    await harness.until(inState(second.task.id, 'SUCCESS', 'FAILURE'));
    expect(await get(second.task.id)).toMatchObject({
      state: 'FAILURE',
      failReason: 'the vendor no longer knows this task',
    });
    expect(await balance()).toBe(BALANCE - PRICE);
  });
});

describe('W7: an unknown word is counted, and does not hang a task', () => {
  it('keeps the state, is counted, and the deadline of the model ends it', async () => {
    vendor.poll = { status: 'pondering' };
    const rows = [videoRow({ code: 'm', videoShape: 'prompt', usualSeconds: 60, deadlineHours: 1 }, ...accounts)];
    const by = open({ models: rows });
    const { task } = await create({}, {}, by);
    clock.pass(60_000);
    await by.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', payload: { status: 'pondering' } });
    expect(by.counted.get('gateway_task_unknown_words_total{plain}')).toBe(1);
    expect(by.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ word: 'pondering' }) }),
    );
    await by.until(inState(task.id, 'FAILURE'), 2000);
    expect(clock.now() - task.createdAt).toBeLessThan(HOUR + 60_000);
    expect(await balance()).toBe(BALANCE);
  });
});

describe('W8: no head of the line', () => {
  it('an account that hangs, with more tasks than may be asked about at once, delays no other', async () => {
    const other = await startTestVendor('other');
    accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: other.url }),
    ];
    const rows = accounts.map((each) => videoRow({ code: `m${each.id}`, videoShape: 'prompt' }, each));
    const by = open({ accounts, models: rows, settings: { pollsPerAccount: 4 } });
    for (let count = 0; count < 20; count++) await create({ model: 'm1' }, {}, by);
    const quick = await Promise.all(Array.from({ length: 20 }, () => create({ model: 'm2' }, {}, by)));
    vendor.script = (asked) => (asked.method === 'GET' ? { silence: 'hang' } : undefined);
    clock.pass(60_000);
    const sweep = by.engine.runDue();
    const finished = async (): Promise<number> =>
      (await Promise.all(quick.map(({ task }) => get(task.id)))).filter(({ state }) => state === 'SUCCESS').length;
    const begun = performance.now();
    while ((await finished()) < 20) {
      expect(performance.now() - begun).toBeLessThan(3000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(vendor.asked.filter(({ method }) => method === 'GET').length).toBe(4);
    await vendor.close();
    await sweep;
    await other.close();
  });
});

describe('W9: no balance below zero', () => {
  it('64 creates at once with money for ten: ten jobs', async () => {
    const poor = await makeKey(store, { ownerId: 8, balance: 10 * HOLD });
    const results = await Promise.allSettled(
      Array.from({ length: 64 }, () =>
        harness.engine.createVideo(harness.caller(poor), { model: 'm', prompt: 'x' }, { endpoint: 'generations' }),
      ),
    );
    const refused = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as GatewayError);
    expect(refused).toHaveLength(54);
    for (const error of refused) expect(error.code).toBe('insufficient_quota');
    expect(vendor.jobs.size).toBe(10);
    expect((await store.owners.get(8))?.balance).toBe(0);
    expect(await store.tasks.list({ ownerId: 8, limit: 100 })).toHaveLength(10);
  });
});

describe('W10: vendors may use the same id', () => {
  it('two accounts with a job-1 each: every task gets its own video', async () => {
    const other = await startTestVendor();
    accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: other.url }),
    ];
    const by = open({
      accounts,
      models: accounts.map((each) => videoRow({ code: `m${each.id}`, videoShape: 'prompt' }, each)),
    });
    const one = await create({ model: 'm1' }, {}, by);
    const two = await create({ model: 'm2' }, {}, by);
    expect(one.task.ticket).toEqual(two.task.ticket);
    vendor.poll = { status: 'done', url: 'https://one.example/v.mp4' };
    other.poll = { status: 'failed', reason: 'two failed' };
    await by.until(inState(two.task.id, 'FAILURE'));
    expect(harness.engine.resultUrl(await get(one.task.id))).toBe('https://one.example/v.mp4');
    expect(await get(two.task.id)).toMatchObject({ failReason: 'two failed', quota: 0 });
    await other.close();
  });
});

describe('W11: payloads stay small', () => {
  it('embedded media, endless lists and long texts do not reach the row', async () => {
    vendor.poll = {
      status: 'done',
      video: Buffer.alloc(300_000, 5).toString('base64'),
      image: `data:image/png;base64,${'A'.repeat(50_000)}`,
      story: 'long '.repeat(40_000),
      list: Array.from({ length: 5000 }, (_, index) => ({ index, text: 'x'.repeat(100) })),
      deep: JSON.parse('['.repeat(200) + ']'.repeat(200)) as never,
    };
    const { task } = await create();
    await harness.until(inState(task.id, 'SUCCESS'));
    const { payload } = await get(task.id);
    const text = JSON.stringify(payload);
    expect(text.length).toBeLessThan(66_000);
    expect(text).not.toContain('AAAAAAAAAAAAAAAA');
    expect(payload).toMatchObject({ status: 'done' });
  });
});

describe('W12: the content endpoint copies nothing it should not', () => {
  it('passes the range on and five headers back', async () => {
    const { task } = await create();
    await harness.until(inState(task.id, 'SUCCESS'));
    vendor.script = ({ path, headers }) =>
      path.startsWith('/file')
        ? {
            status: headers['range'] === undefined ? 200 : 206,
            bytes: Buffer.from('3456'),
            headers: {
              'content-type': 'text/html',
              'content-range': 'bytes 3-6/10',
              'accept-ranges': 'bytes',
              etag: '"e"',
              'set-cookie': 'session=1',
              'cache-control': 'public, max-age=31536000',
              'x-vendor-account': 'secret',
              server: 'vendor',
            },
          }
        : undefined;
    const { signal } = new AbortController();
    const part = { range: 'bytes=3-6', of: () => ({ first: 3, last: 6 }) };
    const content = await harness.engine.openContent(harness.caller(key), task.id, { part, signal });
    const { body, ...about } = content;
    expect(about).toEqual({ mime: 'video/mp4', size: 10, part: { first: 3, last: 6 }, seekable: true, etag: '"e"' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('3456');
    expect(vendor.asked.at(-1)?.headers['range']).toBe('bytes=3-6');
  });
});

describe('W13: no vendor secret in a row', () => {
  it('a vendor that repeats our key in its payload and its reason is not quoted', async () => {
    vendor.poll = {
      status: 'failed',
      reason: 'the key vendor-key-0123456789 is odd',
      echo: 'Bearer vendor-key-0123456789',
    };
    const { task } = await create();
    await harness.until(inState(task.id, 'FAILURE'));
    const row = JSON.stringify(await get(task.id));
    expect(row).not.toContain('vendor-key-0123456789');
    expect((await get(task.id)).failReason).toContain('[hidden]');
  });
});

describe('W14: an ended row does not contradict itself', () => {
  it('a task that ran out of time has no payload that says running', async () => {
    vendor.poll = { status: 'working' };
    const { task } = await create();
    await harness.until(inState(task.id, 'IN_PROGRESS'));
    await harness.until(inState(task.id, 'FAILURE'), 5000);
    expect(await get(task.id)).toMatchObject({
      state: 'FAILURE',
      failReason: 'the task was not finished within 24 hours',
      payload: null,
      files: [],
      quota: 0,
    });
  });

  it('a cancelled task says so in the payload too, or nothing', async () => {
    accounts = accounts.map((each) => ({ ...each, vendor: 'scripted' }));
    const by = open();
    vendor.poll = { status: 'waiting' };
    const { task } = await create({}, {}, by);
    clock.pass(10_000);
    await by.engine.runDue();
    expect(await get(task.id)).toMatchObject({ payload: { status: 'waiting' } });
    const cancelled = await by.engine.cancel(by.caller(key), task.id);
    expect(cancelled).toMatchObject({
      state: 'FAILURE',
      failReason: 'task cancelled',
      payload: { status: 'cancelled' },
      quota: 0,
    });
    expect(await balance()).toBe(BALANCE);
  });
});
