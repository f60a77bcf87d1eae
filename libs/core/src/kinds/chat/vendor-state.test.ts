/** Whose an id is, the database decides; and who has an answer may refer to it at once, by way of any process. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { Offer } from '../../catalogue.ts';
import { accountOf, offerOf } from '../../routing/testing/accounts.ts';
import type { Store, VendorIdRecord } from '../../ports.ts';
import { openTestStore } from '../../tasks/testing/store.ts';
import { createVendorState, type VendorState } from './vendor-state.ts';

type Call = Parameters<VendorState['reachable']>[0];
const NOW = 1_790_000_000_000;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const offers: readonly Offer[] = [{ ...offerOf(accountOf(1)), dialects: ['openai-responses'] }];
const signal = new AbortController().signal;

let store: Store;
/** Resolved, the database takes what it was given. */
let gate: PromiseWithResolvers<void>;
let failures: number;
let pauses: number[];
/** What happens during a pause. */
let meanwhile: () => Promise<void>;

beforeEach(async () => {
  store = await openTestStore();
  gate = Promise.withResolvers();
  [failures, pauses] = [0, []];
  meanwhile = () => Promise.resolve();
});
afterEach(() => store.close());

/** A process over the store, whose writes wait for the gate. */
function startProcess(): VendorState {
  const remember = async (ids: readonly VendorIdRecord[]): Promise<void> => {
    await gate.promise;
    if (failures-- > 0) throw new Error('no disk');
    await store.vendorIds.remember(ids);
  };
  return createVendorState({
    store: { ...store, vendorIds: { ...store.vendorIds, remember } },
    now: () => NOW,
    log: quiet,
    unknownVendorIds: 'refuse',
    pause: async (ms) => {
      pauses.push(ms);
      await meanwhile();
    },
  });
}

function callOf(ownerId: number, json: JsonObject = {}): Call {
  const key = { ownerId, mode: 'live' };
  return { caller: { key, mode: 'live', signal }, dialect: 'openai-responses', body: { json } } as unknown as Call;
}
const answer = { id: 'resp_1', object: 'response', output: [] };
const referring = (ownerId: number, id = 'resp_1'): Call => callOf(ownerId, { previous_response_id: id });
const ask = async (process: VendorState, call: Call): Promise<readonly Offer[]> => process.reachable(call, offers);

it('an answer is written when the database has it, not before', async () => {
  const observer = startProcess().observer(callOf(1), 1)!;
  expect(observer.written()).toBeUndefined();
  observer.observe(answer);
  meanwhile = () => new Promise(() => undefined);
  let isWritten = false;
  const written = observer.written()!.then(() => (isWritten = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  gate.resolve();
  await written;
  expect(await ask(startProcess(), referring(1))).toHaveLength(1);
});

it('a database that hangs holds an answer up for a quarter of a second', async () => {
  const observer = startProcess().observer(callOf(1), 1)!;
  observer.observe(answer);
  await observer.written();
  expect(pauses).toEqual([250]);
});

it('another process finds what is being written when it looks again', async () => {
  const observer = startProcess().observer(callOf(1), 1)!;
  observer.observe(answer);
  meanwhile = async () => {
    gate.resolve();
    meanwhile = () => Promise.resolve();
    await observer.written();
  };
  expect(await ask(startProcess(), referring(1))).toHaveLength(1);
  expect(pauses).toEqual([25, 250]);
});

it('another’s id and nobody’s are refused after the same time', async () => {
  gate.resolve();
  const made = startProcess().observer(callOf(1), 1)!;
  made.observe(answer);
  await made.written();
  const waited: number[][] = [];
  for (const id of ['resp_1', 'resp_nobodys']) {
    pauses = [];
    await expect(ask(startProcess(), referring(2, id))).rejects.toMatchObject({ code: 'not_found' });
    waited.push(pauses);
  }
  expect(waited[0]).toEqual([25, 75, 200]);
  expect(waited[1]).toEqual(waited[0]);
});

it('whoever hears another’s id has not made it his own', async () => {
  gate.resolve();
  const owners = startProcess().observer(callOf(1), 1)!;
  owners.observe(answer);
  await owners.written();
  const process = startProcess();
  const thiefs = process.observer(callOf(2), 1)!;
  thiefs.observe(answer);
  await expect(ask(process, referring(2))).rejects.toMatchObject({ code: 'not_found' });
  await thiefs.written();
  await expect(ask(process, referring(2))).rejects.toMatchObject({ code: 'not_found' });
  expect(await ask(process, referring(1))).toHaveLength(1);
});

it('what the database did not take goes with the next', async () => {
  gate.resolve();
  failures = 1;
  const process = startProcess();
  const first = process.observer(callOf(1), 1)!;
  first.observe(answer);
  await first.written();
  await expect(ask(process, referring(1))).rejects.toMatchObject({ code: 'not_found' });
  const second = process.observer(callOf(1), 1)!;
  second.observe({ ...answer, id: 'resp_2' });
  meanwhile = () => new Promise(() => undefined);
  await second.written();
  expect(await ask(startProcess(), referring(1))).toHaveLength(1);
  expect(await ask(startProcess(), referring(1, 'resp_2'))).toHaveLength(1);
});
