/** One verification for all who ask at a time; it ends with the last of them. */
import { expect, it } from 'vitest';
import type { LedgerDifference, VerifyOptions } from '@model-gateway/core';
import { Verification } from './routes.ts';

/** A ledger whose verification ends when it is told to, or when nobody waits. */
function slowLedger() {
  const begun: AbortSignal[] = [];
  let end: (found: readonly LedgerDifference[]) => void = () => undefined;
  const ledger = {
    verify: ({ signal }: VerifyOptions = {}) =>
      new Promise<readonly LedgerDifference[]>((resolve, reject) => {
        if (signal !== undefined) begun.push(signal);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        end = resolve;
      }),
    entries: async () => Promise.resolve([]),
  };
  const verification = new Verification(ledger as never, async () => Promise.resolve());
  return { begun, verification, end: (found: readonly LedgerDifference[]) => end(found) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('who asks while it runs gets its answer', async () => {
  const { begun, verification, end } = slowLedger();
  const both = [verification.result(undefined), verification.result(new AbortController().signal)];
  await turn();
  const found = [{ subject: 'owner 1', expected: 1, found: 2, message: 'm' }];
  end(found);
  expect(await Promise.all(both)).toEqual([found, found]);
  expect(begun).toHaveLength(1);
  void verification.result(undefined);
  await turn();
  expect(begun).toHaveLength(2);
});

it('ends when the last who asked has gone, and not before; the next one begins anew', async () => {
  const { begun, verification } = slowLedger();
  const [one, two] = [new AbortController(), new AbortController()];
  const both = Promise.allSettled([verification.result(one.signal), verification.result(two.signal)]);
  await turn();
  one.abort();
  expect(begun[0]?.aborted).toBe(false);
  two.abort();
  expect(begun[0]?.aborted).toBe(true);
  const third = new AbortController();
  const next = verification.result(third.signal);
  await turn();
  expect(begun.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  third.abort();
  await expect(next).rejects.toThrow();
});
