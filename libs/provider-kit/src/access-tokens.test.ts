import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accessTokenFor, signInFailed } from './access-tokens.ts';

describe('a sign-in that fails', () => {
  it.each([
    { of: { status: 401 }, code: 'upstream_rejected_key' },
    { of: { status: 429 }, code: 'upstream_rate_limited' },
    { of: { status: 503 }, code: 'upstream_unavailable' },
    { of: { $metadata: { httpStatusCode: 500 } }, code: 'upstream_unavailable' },
    { of: { $metadata: { httpStatusCode: 403 } }, code: 'upstream_rejected_key' },
    { of: { code: 'ENOTFOUND' }, code: 'upstream_unavailable' },
    { of: { code: 'ECONNRESET' }, code: 'upstream_unavailable' },
    { of: { name: 'TimeoutError' }, code: 'upstream_unavailable' },
    { of: { code: 'ENOENT' }, code: 'upstream_rejected_key' },
    { of: new Error('/etc/keys/secret.json is no JSON'), code: 'upstream_rejected_key' },
    { of: undefined, code: 'upstream_rejected_key' },
  ])('by $of is $code', ({ of, code }) => {
    const error = signInFailed(of);
    expect(error).toMatchObject({ code, details: { taken: 'no' } });
    expect(error.message).not.toContain('secret');
  });
});

describe('a sign-in without an end', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is given up for all who wait, and tried again', async () => {
    const identity = ['never ends'];
    const silent = (): Promise<never> => new Promise(() => undefined);
    const waiting = [1, 2].map(() => accessTokenFor({ identity, now: 0, exchange: silent }));
    const ended = Promise.allSettled(waiting);
    await vi.advanceTimersByTimeAsync(30_000);
    for (const result of await ended) expect(result).toMatchObject({ reason: { code: 'upstream_timeout' } });
    const exchange = async () => ({ value: 'good', until: 1e9 });
    expect(await accessTokenFor({ identity, now: 0, exchange })).toBe('good');
  });
});
