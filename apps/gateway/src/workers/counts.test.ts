import { describe, expect, it } from 'vitest';
import { createLimiter, type KeyRecord, type Limiter, type Log, type Permit } from '@model-gateway/core';
import { askCounts, hostCounts, type AskedCounts } from './counts.ts';
import type { CountStep } from './messages.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const NOTHING = { inputTokens: 0, outputTokens: 0 };

/** Workers over one primary; what travels is text. */
function machine(workers: number) {
  let time = 1_000_000;
  const host = hostCounts(() => time);
  let messages = 0;
  const limiters = Array.from({ length: workers }, (_, index): Limiter => {
    const counts: AskedCounts = askCounts((steps) => {
      messages++;
      const heard = JSON.parse(JSON.stringify(steps)) as CountStep[];
      setImmediate(() => counts.answered(host.take(index + 1, heard)));
    });
    return createLimiter({ now: () => time, log: quiet, shared: counts });
  });
  return { host, limiters, pass: (ms: number) => (time += ms), messages: () => messages };
}
const keyWith = (limits: KeyRecord['limits']): KeyRecord => ({ id: 7, limits }) as KeyRecord;
/** Shared counts are always waited for. */
const ask = async (limiter: Limiter | undefined, key: KeyRecord): Promise<Permit> => limiter!.acquire(key, NOTHING);
const passes = (permits: readonly Permit[]): number => permits.filter(({ refusal }) => refusal === undefined).length;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('limits of several workers', () => {
  it('are exact, whoever is asked', async () => {
    const { limiters, pass } = machine(4);
    const key = keyWith({ requestsPerMinute: 10 });
    const askAll = () => Promise.all(Array.from({ length: 40 }, (_, index) => ask(limiters[index % 4], key)));
    expect(passes(await askAll())).toBe(10);
    expect(passes(await askAll())).toBe(0);
    pass(61_000);
    expect(passes(await askAll())).toBe(10);
  });

  it('take one message for all that a turn brings', async () => {
    const { limiters, messages } = machine(1);
    await Promise.all(Array.from({ length: 50 }, () => ask(limiters[0], keyWith({ requestsPerMinute: 9 }))));
    expect(messages()).toBe(1);
  });

  it('give back the tokens that were not used', async () => {
    const { limiters } = machine(2);
    const key = keyWith({ tokensPerMinute: 100 });
    const first = await limiters[0]!.acquire(key, { inputTokens: 10, outputTokens: 80 });
    const refused = await limiters[1]!.acquire(key, { inputTokens: 10, outputTokens: 10 });
    expect([first.refusal, refused.refusal?.code]).toEqual([undefined, 'rate_limited']);
    if (first.refusal === undefined) first.release({ input: 10, output: 5 });
    await turn();
    const again = await limiters[1]!.acquire(key, { inputTokens: 10, outputTokens: 10 });
    expect(again.refusal).toBeUndefined();
    expect(again.state.tokens?.remaining).toBe(65);
  });

  it('free the places of a worker that died, and only its own', async () => {
    const { host, limiters } = machine(2);
    const key = keyWith({ concurrentRequests: 3 });
    const [lost, , kept] = await Promise.all([0, 0, 1].map((index) => ask(limiters[index], key)));
    expect((await limiters[1]!.acquire(key, NOTHING)).refusal?.code).toBe('rate_limited');
    host.forget(1);
    expect(lost?.refusal).toBeUndefined();
    const taken = await Promise.all([0, 1, 2].map(() => ask(limiters[1], key)));
    expect(passes(taken)).toBe(2);
    if (kept?.refusal === undefined) kept?.release({ input: 0, output: 0 });
    await turn();
    expect((await limiters[1]!.acquire(key, NOTHING)).refusal).toBeUndefined();
  });
});
