import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../parts.ts';
import type { IdempotencyStore, Store } from '../ports.ts';
import { openTestStore } from '../tasks/testing/store.ts';
import {
  createIdempotencyService,
  type IdempotencyService,
  type StoredAnswer,
  type AnswerClaim,
} from './idempotency-service.ts';

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const START = 1_790_000_000_000;
const here = new AbortController().signal;

let store: Store;
let clock = START;
let made: IdempotencyService[] = [];

beforeEach(async () => {
  store = await openTestStore();
  clock = START;
  made = [];
});
afterEach(async () => {
  for (const each of made) await each.close(0);
  await store.close();
});

function replica(given: { sole?: boolean; store?: Partial<IdempotencyStore>; log?: Log } = {}): IdempotencyService {
  const service = createIdempotencyService({
    store: { ...store.idempotency, ...given.store },
    now: () => clock,
    log: given.log ?? quiet,
    soleProcess: given.sole ?? false,
  });
  made.push(service);
  return service;
}
const question = (fingerprint = 'f', idempotencyKey = 'once') => ({ keyId: 7, idempotencyKey, fingerprint });
const answer = (text: string): StoredAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: new Uint8Array(Buffer.from(text)),
});
async function claimOf(service: IdempotencyService): Promise<AnswerClaim> {
  const { claim } = await service.begin(question(), here);
  if (claim === undefined) throw new Error('somebody else has the claim');
  return claim;
}
async function answerOf(service: IdempotencyService, asked = question()): Promise<string> {
  const begun = await service.begin(asked, here);
  if (begun.claim !== undefined) throw new Error('nobody has answered');
  return Buffer.from(begun.answer.body).toString();
}

describe('a key', () => {
  it('is one claim; whoever waits here or in another process gets the answer', async () => {
    const [one, other] = [replica(), replica()];
    const claim = await claimOf(one);
    const waiting = [answerOf(one), answerOf(one), answerOf(other)];
    await claim.keep(answer('done'));
    expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done']);
    expect(await answerOf(replica())).toBe('done');
  });

  it('is refused with another body, before and after its answer', async () => {
    const service = replica();
    const claim = await claimOf(service);
    await expect(service.begin(question('g'), here)).rejects.toMatchObject({ code: 'conflict' });
    await claim.keep(answer('done'));
    await expect(service.begin(question('g'), here)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that was forgotten is free; who waited here got what was said, who waits elsewhere begins anew', async () => {
    const [one, other] = [replica(), replica()];
    const claim = await claimOf(one);
    const waiting = answerOf(one);
    const elsewhere = other.begin(question(), here);
    await store.ping();
    await store.ping();
    await claim.forget(answer('no'));
    expect(await waiting).toBe('no');
    expect((await elsewhere).claim).toBeDefined();
  });

  it('whose answer cannot be stored is still answered to who waits, and told', async () => {
    const told: string[] = [];
    const service = replica({
      store: { answer: () => Promise.reject(new Error('the disk is full')) },
      log: { ...quiet, error: (_fields, message) => void told.push(message) },
    });
    const claim = await claimOf(service);
    const waiting = answerOf(service);
    // It has found that somebody is at it when the database is free again.
    await store.ping();
    await store.ping();
    await claim.keep(answer('done'));
    expect(await waiting).toBe('done');
    expect(told).toHaveLength(1);
  });

  it('is free again after a day', async () => {
    const service = replica();
    await (await claimOf(service)).keep(answer('done'));
    clock += 24 * 3_600_000 - 1;
    expect(await answerOf(service)).toBe('done');
    clock += 1;
    await (await claimOf(service)).forget(undefined);
  });
});

describe('a process that died', () => {
  it('is waited for until it has been silent for a minute; then nobody does the work again', async () => {
    await claimOf(replica());
    const other = replica();
    const waiting = other.begin(question(), here);
    clock += 60_001;
    await expect(waiting).rejects.toMatchObject({ code: 'submission_unknown' });
    clock += 3_600_000;
    await expect(other.begin(question(), here)).rejects.toMatchObject({ code: 'submission_unknown' });
  });

  it('is known at once where no other process can be alive', async () => {
    await claimOf(replica());
    clock += 10;
    await expect(replica({ sole: true }).begin(question(), here)).rejects.toMatchObject({ code: 'submission_unknown' });
  });

  it('is not one that is still heard of', async () => {
    const claim = await claimOf(replica());
    clock += 59_000;
    await store.idempotency.renew(7, 'once', clock);
    clock += 59_000;
    const waiting = answerOf(replica());
    await claim.keep(answer('late'));
    expect(await waiting).toBe('late');
  });
});

describe('the end', () => {
  it('of a caller: it waits for nothing, and the work goes on', async () => {
    const service = replica();
    const claim = await claimOf(service);
    const hangUp = new AbortController();
    const waiting = service.begin(question(), hangUp.signal);
    hangUp.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(claim.signal.aborted).toBe(false);
    await claim.keep(answer('done'));
  });

  it('of the process: it waits for running work, then aborts it', async () => {
    const service = replica();
    const claim = await claimOf(service);
    const closing = service.close(30);
    await new Promise((resolve) => claim.signal.addEventListener('abort', resolve));
    await claim.forget(undefined);
    await closing;
  });
});
