import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Log } from '../parts.ts';
import type { SharedCounts } from '../ports.ts';
import { createLimiter, type Permit, type Limiter } from './limiter.ts';
import { keyWith } from './testing/key-with.ts';
import { createWindow } from './window.ts';

const START = 1_790_000_000_123;
const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const none = { inputTokens: 0, outputTokens: 0 };

function setUp(): { limiter: Limiter; pass: (ms: number) => void; at: () => number } {
  let clock = START;
  return {
    limiter: createLimiter({ now: () => clock, log: quiet }),
    pass: (ms) => (clock += ms),
    at: () => clock,
  };
}
/** In one process nothing is waited for. */
function now(permit: Permit | Promise<Permit>): Permit {
  if (permit instanceof Promise) throw new Error('a limit in memory must not be waited for');
  return permit;
}
function inside(permit: Permit | Promise<Permit>): Extract<Permit, { refusal: undefined }> {
  const done = now(permit);
  if (done.refusal !== undefined) throw done.refusal;
  return done;
}

describe('requests per minute', () => {
  it('lets in as many as it says and says when the next may come', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ requestsPerMinute: 3 });
    for (const remaining of [2, 1, 0]) {
      expect(inside(limiter.acquire(key, none)).state.requests).toMatchObject({ limit: 3, remaining });
      pass(10_000);
    }
    const refused = now(limiter.acquire(key, none));
    expect(refused.refusal).toMatchObject({ code: 'rate_limited' });
    expect(refused.refusal?.message).toContain('3 requests per minute');
    const wait = refused.refusal?.details.retryAfterSeconds ?? 0;
    pass((wait - 1) * 1000);
    expect(now(limiter.acquire(key, none)).refusal).toBeDefined();
    pass(1000);
    expect(now(limiter.acquire(key, none)).refusal).toBeUndefined();
  });

  it.each([0, 1, 499, 500, 998, 999])(
    'never asks for more than the minute, and holds to it (%i ms into a second)',
    (ms) => {
      const { limiter, pass } = setUp();
      const key = keyWith({ requestsPerMinute: 1 });
      pass(1000 - (START % 1000) + ms);
      const { state } = inside(limiter.acquire(key, none));
      expect(state.requests?.resetMs).toBe(60_000);
      const { refusal } = now(limiter.acquire(key, none));
      expect(refusal?.details.retryAfterSeconds).toBe(60);
      pass(59_999);
      expect(now(limiter.acquire(key, none)).refusal).toBeDefined();
      pass(1);
      expect(now(limiter.acquire(key, none)).refusal).toBeUndefined();
    },
  );

  it('a refused request is not counted', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ requestsPerMinute: 1 });
    inside(limiter.acquire(key, none));
    for (let request = 0; request < 20; request++) {
      pass(2_000);
      expect(now(limiter.acquire(key, none)).refusal).toBeDefined();
    }
    pass(22_000);
    expect(now(limiter.acquire(key, none)).refusal).toBeUndefined();
  });

  it('keys do not share', () => {
    const { limiter } = setUp();
    inside(limiter.acquire(keyWith({ requestsPerMinute: 1 }, 1), none));
    inside(limiter.acquire(keyWith({ requestsPerMinute: 1 }, 2), none));
  });

  it('in no 60 seconds more than the limit, and with steady pressure at most 5 % under it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(4_000), { minLength: 50, maxLength: 300 }),
        (limit, gaps) => {
          const { limiter, pass, at } = setUp();
          const key = keyWith({ requestsPerMinute: limit });
          const times: number[] = [];
          for (const gap of gaps) {
            pass(gap);
            if (now(limiter.acquire(key, none)).refusal === undefined) times.push(at());
          }
          for (const from of times)
            expect(times.filter((time) => time >= from && time < from + 60_000).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
    const { limiter, pass } = setUp();
    const key = keyWith({ requestsPerMinute: 600 });
    let served = 0;
    for (let tick = 0; tick < 600_000; tick += 50) {
      if (now(limiter.acquire(key, none)).refusal === undefined) served++;
      pass(50);
    }
    expect(served).toBeGreaterThanOrEqual(600 * 10 * 0.95);
    expect(served).toBeLessThanOrEqual(600 * 11);
  });
});

describe('tokens per minute', () => {
  it('counts an estimate first and what was used then', () => {
    const { limiter } = setUp();
    const key = keyWith({ tokensPerMinute: 1_000 });
    const first = inside(limiter.acquire(key, { inputTokens: 100, outputTokens: 500 }));
    expect(first.state.tokens).toMatchObject({ limit: 1_000, remaining: 400 });
    expect(now(limiter.acquire(key, { inputTokens: 1, outputTokens: 400 })).refusal?.message).toContain('1000 tokens');
    first.release({ input: 90, output: 10 });
    expect(inside(limiter.acquire(key, { inputTokens: 400, outputTokens: 500 })).state.tokens?.remaining).toBe(0);
  });

  it('what was used beyond the estimate counts', () => {
    const { limiter } = setUp();
    const key = keyWith({ tokensPerMinute: 1_000 });
    inside(limiter.acquire(key, { inputTokens: 10, outputTokens: 10 })).release({ input: 500, output: 499 });
    expect(now(limiter.acquire(key, { inputTokens: 1, outputTokens: 1 })).refusal).toBeDefined();
    expect(now(limiter.acquire(key, { inputTokens: 1, outputTokens: 0 })).refusal).toBeUndefined();
  });

  it('a request larger than the limit passes alone', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ tokensPerMinute: 100 });
    const large = { inputTokens: 90, outputTokens: 5_000 };
    inside(limiter.acquire(key, large)).release({ input: 90, output: 5 });
    expect(now(limiter.acquire(key, large)).refusal?.details.retryAfterSeconds).toBeGreaterThan(0);
    pass(61_000);
    inside(limiter.acquire(key, large));
  });

  it('a request that failed gives its tokens back', () => {
    const { limiter } = setUp();
    const key = keyWith({ tokensPerMinute: 100 });
    inside(limiter.acquire(key, { inputTokens: 50, outputTokens: 50 })).release({ input: 0, output: 0 });
    inside(limiter.acquire(key, { inputTokens: 50, outputTokens: 50 }));
  });

  it('what is given back after its minute does not make room twice', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ tokensPerMinute: 100 });
    const slow = inside(limiter.acquire(key, { inputTokens: 0, outputTokens: 100 }));
    pass(90_000);
    inside(limiter.acquire(key, { inputTokens: 0, outputTokens: 100 }));
    slow.release({ input: 0, output: 0 });
    expect(now(limiter.acquire(key, { inputTokens: 0, outputTokens: 1 })).refusal).toBeDefined();
  });

  it('where a request sets no cap the guess follows what the key usually gets', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ tokensPerMinute: 1_000 });
    for (let request = 0; request < 40; request++) {
      inside(limiter.acquire(key, { inputTokens: 10, outputTokens: undefined })).release({ input: 10, output: 15 });
      if (request < 20) pass(10_000);
    }
    // 25 tokens each: the guess of 256 would have stopped long before.
    const { state } = now(limiter.acquire(key, { inputTokens: 10, outputTokens: undefined }));
    expect(state.tokens?.remaining).toBeLessThan(500);
  });
});

describe('concurrent requests', () => {
  it('as many as it says; a place is free when its request has left, once', () => {
    const { limiter } = setUp();
    const key = keyWith({ concurrentRequests: 2 });
    const [first] = [inside(limiter.acquire(key, none)), inside(limiter.acquire(key, none))];
    expect(now(limiter.acquire(key, none)).refusal).toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 1 },
    });
    first.release({ input: 0, output: 0 });
    first.release({ input: 0, output: 0 });
    inside(limiter.acquire(key, none));
    expect(now(limiter.acquire(key, none)).refusal).toBeDefined();
  });

  it('a request refused for another limit takes no place', () => {
    const { limiter, pass } = setUp();
    const key = keyWith({ concurrentRequests: 1, requestsPerMinute: 1 });
    inside(limiter.acquire(key, none)).release({ input: 0, output: 0 });
    now(limiter.acquire(key, none));
    pass(61_000);
    inside(limiter.acquire(key, none));
  });
});

describe('a window', () => {
  it('agrees with the plain list of what happened', () => {
    const step = fc.record({ gap: fc.nat(70_000), amount: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const window = createWindow();
        const list: { at: number; amount: number }[] = [];
        let clock = START;
        for (const { gap, amount } of steps) {
          clock += gap;
          window.add(clock, amount);
          list.push({ at: clock, amount });
          const total = totalAt(list, clock);
          expect(window.total(clock)).toBe(total);
          const wait = window.waitFor(clock, total - 1);
          expect(wait).toBeLessThanOrEqual(60_000);
          expect(totalAt(list, clock + wait)).toBeLessThan(total);
          expect(totalAt(list, clock + wait - 1)).toBe(total);
          // Never less than what the last 60 seconds had.
          const sure = list.reduce((sum, each) => sum + (each.at > clock - 60_000 ? each.amount : 0), 0);
          expect(total).toBeGreaterThanOrEqual(sure);
        }
      }),
    );
    /** What was counted within one second is forgotten with the last of it. */
    function totalAt(list: readonly { at: number; amount: number }[], at: number): number {
      const last = new Map(list.map((each) => [Math.floor(each.at / 1000), each.at]));
      return list.reduce(
        (sum, each) => sum + ((last.get(Math.floor(each.at / 1000)) ?? 0) + 60_000 > at ? each.amount : 0),
        0,
      );
    }
  });

  it('a clock that is set back takes nothing away', () => {
    const window = createWindow();
    window.add(START, 5);
    window.add(START - 30_000, 5);
    expect(window.total(START - 30_000)).toBe(10);
    expect(window.total(START + 59_000)).toBe(10);
    expect(window.total(START + 61_000)).toBe(0);
  });
});

describe('shared counts that cannot be had', () => {
  it('each process counts for itself, and it is told once a minute', async () => {
    const told: string[] = [];
    let clock = START;
    const broken: SharedCounts = {
      acquire: () => Promise.reject(new Error('connection refused')),
      release: () => undefined,
      close: async () => undefined,
    };
    const limiter = createLimiter({
      now: () => clock,
      log: { ...quiet, warn: (_fields, message) => void told.push(message) },
      shared: broken,
    });
    const key = keyWith({ requestsPerMinute: 2 });
    expect((await limiter.acquire(key, none)).refusal).toBeUndefined();
    expect((await limiter.acquire(key, none)).refusal).toBeUndefined();
    expect((await limiter.acquire(key, none)).refusal).toBeDefined();
    expect(told).toHaveLength(1);
    clock += 60_001;
    await limiter.acquire(key, none);
    expect(told).toHaveLength(2);
  });
});

describe('requests per run', () => {
  function setUpRuns(count: () => number) {
    const runs = { count: async () => ({ requests: count(), startedAt: START }), answered: async () => undefined };
    return createLimiter({ now: () => START, log: quiet, runs });
  }

  it('count no request that another limit refuses', async () => {
    let made = 0;
    const limiter = setUpRuns(() => ++made);
    const key = keyWith({ requestsPerRun: 2, concurrentRequests: 1 });
    const first = inside(await limiter.acquire(key, none, { run: 'r' }));
    for (let retry = 0; retry < 3; retry++)
      expect((await limiter.acquire(key, none, { run: 'r' })).refusal).toMatchObject({ code: 'rate_limited' });
    expect(made).toBe(1);
    first.release({ input: 0, output: 0 });
    inside(await limiter.acquire(key, none, { run: 'r' }));
  });

  it('free the place of a request that the run refuses, or that cannot be counted', async () => {
    let answer: () => number = () => 3;
    const limiter = setUpRuns(() => answer());
    const key = keyWith({ requestsPerRun: 2, concurrentRequests: 1, tokensPerMinute: 100 });
    const asked = { inputTokens: 60, outputTokens: 40 };
    expect((await limiter.acquire(key, asked, { run: 'r' })).refusal).toMatchObject({ code: 'run_limit_reached' });
    answer = () => {
      throw new Error('no database');
    };
    await expect(limiter.acquire(key, asked, { run: 'r' })).rejects.toThrow('no database');
    answer = () => 1;
    inside(await limiter.acquire(key, asked, { run: 'r' }));
  });
});
