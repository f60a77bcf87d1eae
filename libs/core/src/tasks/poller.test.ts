/** What polling makes of the answers of a vendor, and that nobody else polls. */
import { describe, expect, it } from 'vitest';
import { account, HOLD, PRICE, videoRow } from './testing/harness.ts';
import { BALANCE, HOUR, useTwoAccounts } from './testing/two-accounts.ts';
import { startTestVendor } from './testing/vendor.ts';

const bench = useTwoAccounts();
const { open, create, get, inState, balance } = bench;

describe('W4: reading never calls the vendor', () => {
  it('a hundred reads of every kind change nothing and ask nobody', async () => {
    bench.vendor.poll = { status: 'failed', reason: 'x' };
    const { task } = await create();
    bench.clock.pass(HOUR);
    const before = bench.vendor.asked.length;
    for (let count = 0; count < 100; count++) {
      bench.harness.engine.resultUrl(await get(task.id));
    }
    await bench.harness.engine.list(bench.harness.caller(bench.key), {});
    expect(bench.vendor.asked).toHaveLength(before);
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', checks: 0 });
    await bench.harness.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'FAILURE', quota: 0 });
    expect(await balance()).toBe(BALANCE);
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
    bench.vendor.script = (asked) => (asked.method === 'GET' ? answer : undefined);
    bench.clock.pass(60_000);
    await bench.harness.engine.runDue();
    bench.clock.pass(60_000);
    await bench.harness.engine.runDue();
    const kept = await get(task.id);
    expect(kept).toMatchObject({ state: 'NOT_START', progress: 0 });
    expect(kept.faults + kept.checks).toBeGreaterThanOrEqual(2);
    expect(await balance()).toBe(BALANCE - HOLD);
    bench.vendor.script = () => undefined;
    await bench.harness.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it("a vendor's retry-after on a poll is kept", async () => {
    const { task } = await create();
    bench.vendor.script = (asked) =>
      asked.method === 'GET' ? { status: 429, headers: { 'retry-after': '90' } } : undefined;
    bench.clock.pass(60_000);
    await bench.harness.engine.runDue();
    expect((await get(task.id)).nextCheckAt).toBe(bench.clock.now() + 90_000);
  });

  it('"no such job" three times in a row is believed, twice is not', async () => {
    const first = await create();
    let left = 2;
    bench.vendor.script = (asked) =>
      asked.method === 'GET' && left-- > 0 ? { status: 404, json: { error: 'gone' } } : undefined;
    await bench.harness.until(inState(first.task.id, 'SUCCESS', 'FAILURE'));
    expect((await get(first.task.id)).state).toBe('SUCCESS');
    const second = await create();
    left = 3;
    await bench.harness.until(inState(second.task.id, 'SUCCESS', 'FAILURE'));
    expect(await get(second.task.id)).toMatchObject({
      state: 'FAILURE',
      failReason: 'the vendor no longer knows this task',
    });
    expect(await balance()).toBe(BALANCE - PRICE);
  });
});

describe('W7: an unknown word is counted, and does not hang a task', () => {
  it('keeps the state, is counted, and the deadline of the model ends it', async () => {
    bench.vendor.poll = { status: 'pondering' };
    const rows = [videoRow({ code: 'm', videoShape: 'prompt', usualSeconds: 60, deadlineHours: 1 }, ...bench.accounts)];
    const by = open({ models: rows });
    const { task } = await create({}, {}, by);
    bench.clock.pass(60_000);
    await by.engine.runDue();
    expect(await get(task.id)).toMatchObject({ state: 'NOT_START', payload: { status: 'pondering' } });
    expect(by.counted.get('gateway_task_unknown_words_total{plain}')).toBe(1);
    expect(by.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ word: 'pondering' }) }),
    );
    await by.until(inState(task.id, 'FAILURE'), 2000);
    expect(bench.clock.now() - task.createdAt).toBeLessThan(HOUR + 60_000);
    expect(await balance()).toBe(BALANCE);
  });
});

describe('W8: no head of the line', () => {
  it('an account that hangs, with more tasks than may be asked about at once, delays no other', async () => {
    const other = await startTestVendor('other');
    bench.accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: bench.vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: other.url }),
    ];
    const rows = bench.accounts.map((each) => videoRow({ code: `m${each.id}`, videoShape: 'prompt' }, each));
    const by = open({ accounts: bench.accounts, models: rows, settings: { pollsPerAccount: 4 } });
    for (let count = 0; count < 20; count++) await create({ model: 'm1' }, {}, by);
    const quick = await Promise.all(Array.from({ length: 20 }, () => create({ model: 'm2' }, {}, by)));
    bench.vendor.script = (asked) => (asked.method === 'GET' ? { silence: 'hang' } : undefined);
    bench.clock.pass(60_000);
    const sweep = by.engine.runDue();
    const finished = async (): Promise<number> =>
      (await Promise.all(quick.map(({ task }) => get(task.id)))).filter(({ state }) => state === 'SUCCESS').length;
    const begun = performance.now();
    while ((await finished()) < 20) {
      expect(performance.now() - begun).toBeLessThan(9_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(bench.vendor.asked.filter(({ method }) => method === 'GET').length).toBe(4);
    await bench.vendor.close();
    await sweep;
    await other.close();
  });
});

describe('W10: vendors may use the same id', () => {
  it('two accounts with a job-1 each: every task gets its own video', async () => {
    const other = await startTestVendor();
    bench.accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: bench.vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: other.url }),
    ];
    const by = open({
      accounts: bench.accounts,
      models: bench.accounts.map((each) => videoRow({ code: `m${each.id}`, videoShape: 'prompt' }, each)),
    });
    const one = await create({ model: 'm1' }, {}, by);
    const two = await create({ model: 'm2' }, {}, by);
    expect(one.task.ticket).toEqual(two.task.ticket);
    bench.vendor.poll = { status: 'done', url: 'https://one.example/v.mp4' };
    other.poll = { status: 'failed', reason: 'two failed' };
    await by.until(inState(two.task.id, 'FAILURE'));
    expect(bench.harness.engine.resultUrl(await get(one.task.id))).toBe('https://one.example/v.mp4');
    expect(await get(two.task.id)).toMatchObject({ failReason: 'two failed', quota: 0 });
    await other.close();
  });
});
