import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Log } from '../parts.ts';
import type { IdempotencyStore, Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import { createReplays, type Replays, type StoredAnswer, type Turn } from './replays.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const START = 1_790_000_000_000;
const here = new AbortController().signal;

let store: Store;
let clock = START;
let made: Replays[] = [];

beforeEach(async () => {
  store = await openTestStore();
  clock = START;
  made = [];
});
afterEach(async () => {
  for (const each of made) await each.close(0);
  await store.close();
});

function replica(given: { sole?: boolean; store?: Partial<IdempotencyStore>; log?: Log } = {}): Replays {
  const replays = createReplays({
    store: { ...store.idempotency, ...given.store },
    now: () => clock,
    log: given.log ?? quiet,
    soleProcess: given.sole ?? false,
  });
  made.push(replays);
  return replays;
}
const question = (fingerprint = 'f', idempotencyKey = 'once') => ({ keyId: 7, idempotencyKey, fingerprint });
const answer = (text: string): StoredAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: new Uint8Array(Buffer.from(text)),
});
async function turnOf(replays: Replays): Promise<Turn> {
  const { turn } = await replays.begin(question(), here);
  if (turn === undefined) throw new Error('somebody else has the turn');
  return turn;
}
async function answerOf(replays: Replays, asked = question()): Promise<string> {
  const begun = await replays.begin(asked, here);
  if (begun.turn !== undefined) throw new Error('nobody has answered');
  return Buffer.from(begun.answer.body).toString();
}

describe('a key', () => {
  it('is one turn; whoever waits here or in another process gets the answer', async () => {
    const [one, other] = [replica(), replica()];
    const turn = await turnOf(one);
    const waiting = [answerOf(one), answerOf(one), answerOf(other)];
    await turn.keep(answer('done'));
    expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done']);
    expect(await answerOf(replica())).toBe('done');
  });

  it('is refused with another body, before and after its answer', async () => {
    const replays = replica();
    const turn = await turnOf(replays);
    await expect(replays.begin(question('g'), here)).rejects.toMatchObject({ code: 'conflict' });
    await turn.keep(answer('done'));
    await expect(replays.begin(question('g'), here)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that was forgotten is free; who waited here got what was said, who waits elsewhere begins anew', async () => {
    const [one, other] = [replica(), replica()];
    const turn = await turnOf(one);
    const waiting = answerOf(one);
    const elsewhere = other.begin(question(), here);
    await store.ping();
    await store.ping();
    await turn.forget(answer('no'));
    expect(await waiting).toBe('no');
    expect((await elsewhere).turn).toBeDefined();
  });

  it('whose answer cannot be stored is still answered to who waits, and told', async () => {
    const told: string[] = [];
    const replays = replica({
      store: { answer: () => Promise.reject(new Error('the disk is full')) },
      log: { ...quiet, error: (_fields, message) => void told.push(message) },
    });
    const turn = await turnOf(replays);
    const waiting = answerOf(replays);
    // It has found that somebody is at it when the database is free again.
    await store.ping();
    await store.ping();
    await turn.keep(answer('done'));
    expect(await waiting).toBe('done');
    expect(told).toHaveLength(1);
  });

  it('is free again after a day', async () => {
    const replays = replica();
    await (await turnOf(replays)).keep(answer('done'));
    clock += 24 * 3_600_000 - 1;
    expect(await answerOf(replays)).toBe('done');
    clock += 1;
    await (await turnOf(replays)).forget(undefined);
  });
});

describe('a process that died', () => {
  it('is waited for until it has been silent for a minute; then nobody does the work again', async () => {
    await turnOf(replica());
    const other = replica();
    const waiting = other.begin(question(), here);
    clock += 60_001;
    await expect(waiting).rejects.toMatchObject({ code: 'submission_unknown' });
    clock += 3_600_000;
    await expect(other.begin(question(), here)).rejects.toMatchObject({ code: 'submission_unknown' });
  });

  it('is known at once where no other process can be alive', async () => {
    await turnOf(replica());
    clock += 10;
    await expect(replica({ sole: true }).begin(question(), here)).rejects.toMatchObject({ code: 'submission_unknown' });
  });

  it('is not one that is still heard of', async () => {
    const turn = await turnOf(replica());
    clock += 59_000;
    await store.idempotency.renew(7, 'once', clock);
    clock += 59_000;
    const waiting = answerOf(replica());
    await turn.keep(answer('late'));
    expect(await waiting).toBe('late');
  });
});

describe('the end', () => {
  it('of a caller: it waits for nothing, and the work goes on', async () => {
    const replays = replica();
    const turn = await turnOf(replays);
    const hangUp = new AbortController();
    const waiting = replays.begin(question(), hangUp.signal);
    hangUp.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(turn.signal.aborted).toBe(false);
    await turn.keep(answer('done'));
  });

  it('of the process: it waits for running work, then aborts it', async () => {
    const replays = replica();
    const turn = await turnOf(replays);
    const closing = replays.close(30);
    await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
    await turn.forget(undefined);
    await closing;
  });
});
