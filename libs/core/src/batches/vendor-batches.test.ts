import type { BatchResult } from '@model-gateway/provider-kit';
import { until } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import type { VendorBatchRecord } from '../ports.ts';
import type { BatchParts } from './types.ts';
import { VendorBatchWorker } from './vendor-batches.ts';

const RECORD: VendorBatchRecord = {
  ...{ id: 'gw-1', batchId: 'b', accountId: 1, vendorModel: 'm', group: 'g', state: 'ended', lines: 250, bytes: 500 },
  ...{
    ticket: { id: 'theirs', unanswered: 'expired' },
    createdAt: 0,
    attempts: 0,
    isCancelled: false,
    isCancelTold: false,
  },
};
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A worker whose vendor batch has ended; `told` is what it did, and `gate` holds the results back behind the first part. */
function workerOf(isHeld: boolean, gate: Promise<void>, left = RECORD.lines) {
  const told: string[] = [];
  let claims = 1;
  const account = { id: 1, on: true };
  async function* results(): AsyncGenerator<BatchResult> {
    for (let number = 0; number < RECORD.lines; number++) {
      if (number === 150) await gate;
      yield { id: `gw-1-${String(number).padStart(6, '0')}`, status: 200, body: {} };
    }
  }
  const vendorBatches = {
    plan: async () => 0,
    claim: async () => (claims-- > 0 ? [RECORD] : []),
    renew: async () => isHeld,
    answer: async (_id: string, answers: readonly unknown[]) => void told.push(`answer ${answers.length}`),
    lines: async () => Array.from({ length: Math.min(1, left) }, () => ({ number: 0, body: new Uint8Array() })),
    giveBack: async () => {
      told.push('end lines');
      return 0;
    },
    save: async (_id: string, _by: string, { state }: { state: string }) => {
      told.push(state);
      return isHeld;
    },
    leave: async () => undefined,
  };
  const batches = { results, remove: async () => void told.push('remove') };
  const parts = {
    ...{ store: { vendorBatches }, log: quiet, now: () => 1, catalogue: () => ({ accounts: [account] }) },
    openAccount: () => ({ adapter: { batches }, upstream: {} }),
  };
  let work: Promise<void> = Promise.resolve();
  const worker = new VendorBatchWorker(parts as unknown as BatchParts, 'me', (begun) => {
    work = begun;
  });
  return { worker, told, ended: () => work };
}

it('what a vendor keeps is removed when all answers are written down', async () => {
  const { worker, told, ended } = workerOf(true, Promise.resolve());
  await worker.claim(true);
  await ended();
  expect(told).toEqual(['answer 100', 'answer 100', 'answer 50', 'end lines', 'remove', 'done']);
});

it('a batch whose lines have all ended needs no results: the vendor may have removed them', async () => {
  const { worker, told, ended } = workerOf(true, new Promise(() => undefined), 0);
  await worker.claim(true);
  await ended();
  expect(told).toEqual(['remove', 'done']);
});

it('a batch whose claim is lost is not worked on any more', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { worker, told, ended } = workerOf(false, promise);
  await worker.claim(true);
  await until(() => told.length === 1);
  await worker.renew(1000);
  resolve();
  await ended();
  expect(told).toEqual(['answer 100', 'answer 100']);
});

it('what a vendor keeps stays there for whoever has taken the batch over', async () => {
  const { worker, told, ended } = workerOf(false, Promise.resolve());
  await worker.claim(true);
  await ended();
  expect(told).not.toContain('remove');
});
