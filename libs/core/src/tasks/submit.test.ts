/** A job is started once and acknowledged when it is kept: what a vendor answered, or did not, decides who is asked next. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { TaskRecord } from '../ports.ts';
import { account, HOLD, makeKey, PRICE, videoRow } from './testing/harness.ts';
import { once } from './testing/printing.ts';
import { BALANCE, errorOf, post, useTwoAccounts } from './testing/two-accounts.ts';
import { testAdapter } from './testing/vendor.ts';

const bench = useTwoAccounts();
const { open, create, inState, balance, tasks } = bench;

describe('W1: the acknowledgement follows the row and the ticket', () => {
  it('when the vendor is asked, row and hold are there; when the caller is answered, so is the ticket', async () => {
    let seen: TaskRecord | undefined;
    let held = 0;
    bench.vendor.script = async (asked) => {
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
    expect((await bench.store.tasks.get(task.id))?.ticket).toEqual({ id: 'job-1' });
  });

  it('a ticket that cannot be stored is not acknowledged, and the row ends without a second job', async () => {
    const failing = open({
      store: {
        ...bench.store,
        tasks: { ...bench.store.tasks, saveTicket: () => Promise.reject(new Error('disk full')) },
      },
      settings: { ticketPausesMs: [0, 0] },
    });
    await expect(create({}, {}, failing)).rejects.toThrow();
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
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
    bench.vendor.script = (asked) => (post(asked) ? answer : undefined);
    const error = await errorOf(create());
    expect(error.code).toBe('submission_unknown');
    expect(error.status()).toBe(503);
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
    const [task] = await tasks();
    expect(task).toMatchObject({ state: 'FAILURE', failCode: 'submission_unknown', quota: 0 });
    expect(await balance()).toBe(BALANCE);
    bench.vendor.script = () => undefined;
    await bench.harness.until(inState(task?.id ?? '', 'FAILURE'));
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a repetition with the same Idempotency-Key gets the same answer and starts nothing', async () => {
    bench.vendor.script = (asked) => (post(asked) ? { silence: 'cut' } : undefined);
    const idempotency = once('k-1', 'f');
    await errorOf(create({}, { idempotency }));
    bench.vendor.script = () => undefined;
    const again = await bench.harness.engine.createVideo(
      bench.harness.caller(bench.key),
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
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
  });

  it('a vendor with a dedupe key is asked whether it has the job: one job, an acknowledgement, no second question', async () => {
    bench.accounts = [account({ id: 1, vendor: 'scripted', baseUrl: bench.vendor.url })];
    const by = open({ settings: { reconcileAfterMs: [1, 1] } });
    bench.vendor.script = (asked) => {
      if (!post(asked)) return undefined;
      bench.vendor.jobs.set('job-1', asked.json);
      return { silence: 'cut' };
    };
    const { task } = await create({}, {}, by);
    expect(task.ticket).toEqual({ id: 'job-1' });
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
    bench.vendor.script = () => undefined;
    await by.until(inState(task.id, 'SUCCESS'));
    expect(await balance()).toBe(BALANCE - PRICE);
  });

  it.each([
    { name: '429', answer: { status: 429, headers: { 'retry-after': '7' } } },
    { name: 'a refused connection', answer: undefined },
    { name: "the account's key is refused", answer: { status: 401 } },
  ])('$name: certainly not taken, so the next account is asked, once', async ({ answer }) => {
    const dead = answer === undefined;
    bench.accounts = [
      account({ id: 1, vendor: 'plain', baseUrl: dead ? 'http://127.0.0.1:9' : bench.vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: bench.vendor.url }),
    ];
    const by = open();
    let questions = 0;
    bench.vendor.script = (asked) => (post(asked) && questions++ === 0 && !dead ? answer : undefined);
    const { task, attempts } = await create({}, {}, by);
    expect(attempts).toBe(2);
    expect(task.accountId).toBe(2);
    expect(bench.vendor.jobs.size).toBe(1);
  });

  it("a refusal of the caller's input is the caller's: no other account is asked", async () => {
    bench.vendor.script = (asked) => (post(asked) ? { status: 400, json: { error: 'prompt too odd' } } : undefined);
    const error = await errorOf(create());
    expect(error).toMatchObject({ code: 'invalid_request', message: 'prompt too odd' });
    expect(bench.vendor.asked.filter(post)).toHaveLength(1);
    expect(await balance()).toBe(BALANCE);
  });

  it('an adapter that has no words for the input asks nobody: the next one may have them', async () => {
    bench.accounts = [
      account({ id: 1, vendor: 'wordless', baseUrl: bench.vendor.url }),
      account({ id: 2, vendor: 'plain', baseUrl: bench.vendor.url }),
    ];
    const wordless = testAdapter('wordless');
    const refusal = new GatewayError('invalid_request', 'prompt: this model takes no kites', { param: 'prompt' });
    const adapters = [
      { ...wordless, videos: { ...wordless.videos!, start: () => Promise.reject(refusal) } },
      testAdapter('plain', ['reconcile']),
    ];
    const by = open({ adapters });
    expect((await create({}, {}, by)).task.accountId).toBe(2);
    bench.vendor.script = (asked) => (post(asked) ? { status: 429 } : undefined);
    expect((await errorOf(create({}, {}, by))).code).toBe('upstream_rate_limited');
    const alone = open({
      adapters,
      accounts: bench.accounts.slice(0, 1),
      models: [videoRow({ code: 'm', videoShape: 'prompt' }, bench.accounts[0]!)],
    });
    expect(await errorOf(create({}, {}, alone))).toBe(refusal);
    expect(bench.vendor.jobs.size).toBe(1);
  });

  it('when every account says 429 the caller is told when to come back', async () => {
    bench.vendor.script = (asked) => (post(asked) ? { status: 429, headers: { 'retry-after': '7' } } : undefined);
    const error = await errorOf(create());
    expect(error.code).toBe('upstream_rate_limited');
    expect(error.details.retryAfterSeconds).toBe(7);
    expect(error.status()).toBe(503);
    expect(error.status(true)).toBe(429);
    expect(await balance()).toBe(BALANCE);
  });

  it('a caller who hangs up does not make a taken job unknown', async () => {
    const hangUp = new AbortController();
    bench.vendor.script = async (asked) => {
      if (!post(asked)) return undefined;
      hangUp.abort();
      await new Promise((resolve) => setTimeout(resolve, 30));
      return undefined;
    };
    const created = await bench.harness.engine.createVideo(
      bench.harness.caller(bench.key, hangUp.signal),
      { model: 'm', prompt: 'x' },
      {
        endpoint: 'generations',
      },
    );
    expect(created.task?.ticket).toEqual({ id: 'job-1' });
  });
});

describe('W9: no balance below zero', () => {
  it('64 creates at once with money for ten: ten jobs', async () => {
    const poor = await makeKey(bench.store, { ownerId: 8, balance: 10 * HOLD });
    const results = await Promise.allSettled(
      Array.from({ length: 64 }, () =>
        bench.harness.engine.createVideo(
          bench.harness.caller(poor),
          { model: 'm', prompt: 'x' },
          { endpoint: 'generations' },
        ),
      ),
    );
    const refused = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as GatewayError);
    expect(refused).toHaveLength(54);
    for (const error of refused) expect(error.code).toBe('insufficient_quota');
    expect(bench.vendor.jobs.size).toBe(10);
    expect((await bench.store.owners.get(8))?.balance).toBe(0);
    expect(await bench.store.tasks.list({ ownerId: 8, limit: 100 })).toHaveLength(10);
  });
});
