/** What every suite of an adapter begins with, and the tests that those of answers have in common. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Upstream } from '@model-gateway/provider-kit';
import type { AnswerHarness } from './answer-harness.ts';
import type { TwinHarness } from './twin-harness.ts';

/** Asks the adapter under test, as its suite does. */
export type AskAdapter = (upstream: Upstream) => Promise<unknown>;

/** The bench is open for the suite of which this is said; no test of it may show a secret. */
export function useHarness(bench: TwinHarness): void {
  beforeAll(() => bench.open());
  beforeEach(() => bench.reset());
  afterEach(() => {
    expect(bench.leaks()).toEqual([]);
  });
  afterAll(() => bench.close());
}

export function itSaysWhenARateLimitWillPass(bench: AnswerHarness, ask: AskAdapter, details: object = {}): void {
  it('says when a rate limit will pass', async () => {
    bench.meet({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const error = await bench.refused(ask(bench.upstream()), 'upstream_rate_limited');
    expect(error.details).toMatchObject({ ...details, retryAfterSeconds: 7 });
  });
}

export function itNeverShowsARefusedKey(bench: AnswerHarness, ask: AskAdapter): void {
  it('a refused key is the gateway’s affair, and never shown', async () => {
    const error = await bench.refused(ask(bench.upstream({ wrongKey: true })), 'upstream_rejected_key');
    expect(error.details.vendorCode).toBeUndefined();
  });
}

export function itEndsWithItsCaller(bench: AnswerHarness, ask: AskAdapter): void {
  it('a caller who has gone ends the vendor’s work', async () => {
    bench.meet({ kind: 'hang' });
    const gone = new AbortController();
    const attempt = ask(bench.upstream({ signal: gone.signal }));
    setTimeout(() => gone.abort(), 50);
    await bench.refused(attempt, 'upstream_unavailable');
  });
}
