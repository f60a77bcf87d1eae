/** Requests that may be answered by models of different prices: the dearest is set aside, the one that answers is billed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { ModelRow } from '../catalogue.ts';
import type { Store } from '../ports.ts';
import { accountOf, offerOf } from '../routing/testing/accounts.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import type { Candidate } from './attempt-loop.ts';
import { UNTIL_ANSWERED } from './repeat.ts';
import { runPaid } from './paid-request.ts';
import type { PriceTerms } from './payment.ts';
import { payer, pictureRow, watch } from './testing/harness.ts';
import { newTrace } from './trace.ts';

/** One quota unit. */
const UNIT = 1 / 500_000;
const MOST: Usage = { images: 3 };
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

/** A row at so many quota units a picture. */
function rowAt(units: number, id: number): ModelRow {
  return {
    ...pictureRow(0),
    code: `at-${units}-${id}`,
    price: { image: units * UNIT },
    offers: [offerOf(accountOf(id))],
  };
}

/** Runs a request over rows of these prices; those before `answering` fail. */
async function play(prices: readonly number[], answering: number, { balance = 1_000_000, used = MOST } = {}) {
  const rows = prices.map((units, index) => rowAt(units, index + 1));
  const asked = { ...pictureRow(0), code: 'asked', price: {} };
  const watched = watch(store, asked);
  const call = await payer(store, balance);
  const terms = new Map(rows.map((row): [ModelRow, PriceTerms] => [row, { row, quote: { most: MOST } }]));
  const reserved: number[] = [];
  const spending = {
    ...watched.parts.spending,
    reserve: (...[caller, need]: Parameters<typeof watched.parts.spending.reserve>) => {
      reserved.push(typeof need === 'number' ? need : need.most);
      return watched.parts.spending.reserve(caller, need);
    },
  };
  const trace = newTrace();
  const outcome = await runPaid<Candidate & { readonly row: ModelRow }, string>(
    { ...watched.parts, spending },
    {
      caller: call(new AbortController().signal),
      row: asked,
      endpoint: '/v1/test',
      trace,
      candidates: rows.map((row) => ({ row, offer: row.offers[0] as ModelRow['offers'][number] })),
      repeat: { ...UNTIL_ANSWERED, mostAttempts: 100 },
      quote: { most: MOST },
      terms,
      async attempt({ row }, payment) {
        if (row !== rows[answering]) throw new GatewayError('upstream_unavailable', 'out');
        payment.settle({ usage: used });
        return row.code;
      },
    },
  ).catch((error: unknown) => error);
  await watched.spending.close();
  return { outcome, reserved, trace, rows, reservations: watched.reservations };
}

describe('whoever answers', () => {
  it('what is set aside is the worst case of the dearest, and the bill is that of the one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        fc.nat(3),
        async (prices, which, images) => {
          const answering = which % prices.length;
          const { outcome, reserved, trace, rows, reservations } = await play(prices, answering, { used: { images } });
          expect(outcome).toBe(rows[answering]?.code);
          expect(reserved).toEqual([3 * Math.max(...prices)]);
          const bill = images * (prices[answering] ?? 0);
          expect(reservations).toEqual([[`charge ${bill}`]]);
          expect(trace.charged).toBe(bill);
          expect(bill).toBeLessThanOrEqual(reserved[0] ?? 0);
          expect(trace.row).toBe(rows[answering]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('the entry names the model that answered and the code that was asked', async () => {
    const { rows } = await play([1, 7], 1);
    const entries = await store.ledger.entries({ limit: 10, order: 'newest' });
    const found = entries.find(({ model }) => model === rows[1]?.code);
    expect(found).toMatchObject({ detail: { asked: 'asked' } });
  });

  it('who cannot pay for the dearest is refused before anybody is asked', async () => {
    const { outcome, trace, reservations } = await play([1, 100], 0, { balance: 50 });
    expect(outcome).toMatchObject({ code: 'insufficient_quota' });
    expect([trace.attempts, reservations]).toEqual([0, []]);
  });
});

it('when nobody answers, nothing is charged', async () => {
  const { outcome, reservations, trace } = await play([5, 3], 9);
  expect(outcome).toMatchObject({ code: 'upstream_unavailable' });
  expect([trace.attempts, reservations]).toEqual([2, [['cancel']]]);
});
