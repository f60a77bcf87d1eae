/** The database goes away in the middle of a submission, and comes back. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../ports.ts';
import { once } from './testing/printing.ts';
import { useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const { open, create, tasks, balance } = bench;

/** A store whose named functions fail while it is away, or until so many have failed. */
function failing(store: Store): { readonly store: Store; away: boolean; backAfter: number; fails: number } {
  const state = {
    away: false,
    backAfter: Infinity,
    fails: 0,
    store,
  };
  const guarded =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> => {
      if (!state.away) return work(...given);
      state.fails++;
      if (state.fails === state.backAfter) state.away = false;
      return Promise.reject(new Error('the connection was reset'));
    };
  state.store = {
    ...store,
    tasks: {
      ...store.tasks,
      markSubmitted: guarded(store.tasks.markSubmitted),
      saveTicket: guarded(store.tasks.saveTicket),
      advance: guarded(store.tasks.advance),
    },
    idempotency: {
      ...store.idempotency,
      answer: guarded(store.idempotency.answer),
      forget: guarded(store.idempotency.forget),
    },
  };
  return state;
}

describe('a database that goes away', () => {
  it('before the vendor was asked: the row ends and the key is free as soon as it is back, and a repetition makes the job', async () => {
    const database = failing(bench.store);
    const harness = open({ store: database.store });
    const key = { idempotency: once('k', 'f') };
    database.away = true;
    await expect(create({}, key, harness)).rejects.toThrow();
    database.away = false;
    const begun = performance.now();
    const { task } = await create({}, key, harness);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const all = await tasks();
    expect(all.map(({ id, state }) => [id, state]).sort()).toEqual(
      [
        [task.id, 'NOT_START'],
        [all.find(({ id }) => id !== task.id)?.id, 'FAILURE'],
      ].sort(),
    );
    expect(bench.vendor.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
    const held = await balance();
    expect((await bench.store.ledger.verify()).length).toBe(0);
    expect(held).toBeLessThan(100_000);
  });

  it('after the vendor took the job: the ticket is kept until it can be stored, and the task is acknowledged', async () => {
    const database = failing(bench.store);
    const harness = open({ store: database.store, settings: { ticketPausesMs: [0, 0, 20, 20, 20, 20] } });
    bench.vendor.script = (asked) => {
      if (asked.method === 'POST') {
        database.away = true;
        // At its own pace: a time would be over before the first attempt where the machine is busy.
        database.backAfter = 4;
      }
      return undefined;
    };
    const { task } = await create({}, {}, harness);
    expect(database.fails).toBe(4);
    expect(task.ticket).toEqual({ id: 'job-1' });
    expect(bench.vendor.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
