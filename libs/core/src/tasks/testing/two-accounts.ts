/** An engine over two accounts of one test vendor, new for each test, and the questions its tests ask. */
import { afterEach, beforeEach } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { GatewayAccount } from '../../catalogue.ts';
import type { KeyRecord, LedgerEntry, Store, TaskRecord } from '../../ports.ts';
import type { CreateOptions, NewlyCreated } from '../types.ts';
import {
  account,
  createClock,
  createHarness,
  makeKey,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './harness.ts';
import { openTestStore } from './store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './vendor.ts';

/** Quota units of the owner when a test begins. */
export const BALANCE = 100_000;
export const HOUR = 3_600_000;

interface TwoAccounts {
  clock: Clock;
  vendor: TestVendor;
  store: Store;
  key: KeyRecord;
  /** What the next `open` serves; a test may replace it. */
  accounts: GatewayAccount[];
  /** The engine that is opened before each test; a test may replace it. */
  harness: Harness;
}

/** Opens a vendor, a store and an engine before each test of the file, and closes them and what `open` opened after it. */
export function useTwoAccounts() {
  const bench = {} as TwoAccounts;
  let opened: Harness[] = [];

  const open = (over: Partial<HarnessOptions> = {}): Harness => {
    const made = createHarness({
      store: bench.store,
      clock: bench.clock,
      adapters: [testAdapter(), testAdapter('plain', ['reconcile', 'cancel'])],
      accounts: bench.accounts,
      models: [videoRow({ code: 'm', videoShape: 'prompt', usualSeconds: 60 }, ...bench.accounts)],
      ...over,
    });
    opened.push(made);
    return made;
  };

  beforeEach(async () => {
    bench.clock = createClock();
    bench.vendor = await startTestVendor();
    bench.store = await openTestStore();
    bench.key = await makeKey(bench.store, { ownerId: 7, balance: BALANCE });
    bench.accounts = [1, 2].map((id) => account({ id, vendor: 'plain', baseUrl: bench.vendor.url }));
    opened = [];
    bench.harness = open();
  });
  afterEach(async () => {
    await bench.vendor.close();
    await Promise.all(opened.map((each) => each.close()));
    await bench.store.close();
  });

  const get = (id: string): Promise<TaskRecord> => bench.harness.engine.get(bench.harness.caller(bench.key), id);
  return Object.assign(bench, {
    open,
    async create(
      more: JsonObject = {},
      options: Partial<CreateOptions> = {},
      by: Harness = bench.harness,
    ): Promise<NewlyCreated> {
      const body = { model: 'm', prompt: 'A kite', ...more };
      const created = await by.engine.createVideo(by.caller(bench.key), body, { endpoint: 'generations', ...options });
      if (created.replayed !== undefined) throw new Error('replayed');
      return created;
    },
    get,
    inState:
      (id: string, ...states: string[]) =>
      async (): Promise<boolean> =>
        states.includes((await get(id)).state),
    balance: async (): Promise<number> => (await bench.store.owners.get(7))?.balance ?? 0,
    entriesOf: (taskId: string): Promise<readonly LedgerEntry[]> => bench.store.ledger.entries({ taskId, limit: 100 }),
    /** The entries that end a hold, of all tasks. */
    closings: async (): Promise<LedgerEntry[]> =>
      (await bench.store.ledger.entries({ limit: 1000 })).filter(
        ({ kind }) => kind === 'capture' || kind === 'release',
      ),
    tasks: (): Promise<readonly TaskRecord[]> => bench.store.tasks.list({ limit: 100 }),
  });
}

/** The error that this work ends with; anything else fails the test. */
export async function errorOf(work: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw new Error('no GatewayError', { cause: error });
  return error;
}

/** True of a request that may start a job. */
export const post = (asked: { method: string }): boolean => asked.method === 'POST';
