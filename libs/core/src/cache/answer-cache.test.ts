import { expect, it } from 'vitest';
import type { AnswerStore, CachedAnswer } from '../ports.ts';
import { createAnswerCache, LARGEST_CACHED, type CacheQuestion } from './answer-cache.ts';
import { createMemoryAnswers } from './memory-answers.ts';

let now = 0;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const answer = (text: string): CachedAnswer => ({
  body: Buffer.from(text),
  model: 'm',
  usage: {},
  lines: [],
  dropped: [],
});
const question = (given: Partial<CacheQuestion> = {}): CacheQuestion => ({
  key: 'k',
  tenant: '1 live',
  ttlMs: 1_000,
  refresh: false,
  signal: new AbortController().signal,
  ...given,
});
/** Time goes by the waits; who waits forever waits for a signal. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (ms >= 60_000) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  else now += ms;
  await new Promise((resolve) => setImmediate(resolve));
};
const memory = (most = 100_000): AnswerStore => createMemoryAnswers({ most, now: () => now });
const cacheOver = (store: AnswerStore) => createAnswerCache({ store, now: () => now, log: quiet, pause });
const asked = (looked: Awaited<ReturnType<ReturnType<typeof cacheOver>['look']>>) => {
  if (looked.hit !== undefined) throw new Error('it was kept');
  return looked;
};
const textOf = (looked: { readonly hit: CachedAnswer | undefined }): string | undefined =>
  looked.hit === undefined ? undefined : Buffer.from(looked.hit.body).toString();

it('of those who come together one asks, and all have its answer', async () => {
  const cache = cacheOver(memory());
  const first = asked(await cache.look(question()));
  const others = Array.from({ length: 20 }, () => cache.look(question()));
  await first.keep(answer('a'));
  expect((await Promise.all(others)).map(textOf)).toEqual(Array.from({ length: 20 }, () => 'a'));
  expect(textOf(await cache.look(question()))).toBe('a');
  expect(textOf(await cache.look(question({ key: 'other' })))).toBeUndefined();
});

it('when that one fails the next one asks; who has left waits no more', async () => {
  const cache = cacheOver(memory());
  const first = asked(await cache.look(question()));
  const gone = new AbortController();
  const left = cache.look(question({ signal: gone.signal }));
  gone.abort();
  expect((await left).hit).toBeUndefined();
  const [second, third] = [cache.look(question()), cache.look(question())];
  await first.forget();
  await first.keep(answer('too late'));
  const next = asked(await Promise.race([second, third]));
  await next.keep(answer('b'));
  expect((await Promise.all([second, third])).map(textOf).filter((text) => text === 'b')).toHaveLength(1);
});

it('what is too large is given to nobody else', async () => {
  const cache = cacheOver(memory(100 * LARGEST_CACHED));
  await asked(await cache.look(question())).keep(answer('x'.repeat(LARGEST_CACHED + 1)));
  expect((await cache.look(question())).hit).toBeUndefined();
});

it('two processes over one place ask once; of one that dies the claim ends', async () => {
  const claims = new Map<string, { by: string; until: number }>();
  const place = memory();
  const shared: AnswerStore = {
    ...place,
    claim: async (key, by, ms) => {
      const held = claims.get(key);
      if (held !== undefined && held.by !== by && held.until > now) return false;
      claims.set(key, { by, until: now + ms });
      return true;
    },
    release: async (key, by) => {
      if (claims.get(key)?.by === by) claims.delete(key);
    },
  };
  const [one, two] = [cacheOver(shared), cacheOver(shared)];
  const first = asked(await one.look(question({ ttlMs: 1e9 })));
  const waits = two.look(question());
  await pause(1, new AbortController().signal);
  await first.keep(answer('a'));
  expect(textOf(await waits)).toBe('a');
  asked(await one.look(question({ key: 'dead' })));
  expect((await two.look(question({ key: 'dead' }))).hit).toBeUndefined();
});

it('a place that cannot be reached is no cache, and no fault', async () => {
  const away = async (): Promise<never> => {
    throw new Error('away');
  };
  const cache = cacheOver({ get: away, set: away, claim: away, release: away });
  const first = asked(await cache.look(question()));
  const waits = cache.look(question());
  await first.keep(answer('a'));
  expect(textOf(await waits)).toBe('a');
  expect((await cache.look(question())).hit).toBeUndefined();
});

it('memory is bounded: the longest unused go first, and nobody has more than a quarter', async () => {
  const place = memory(40 * 1024);
  const set = (key: string, tenant: string) => place.set(key, tenant, answer('x'.repeat(1024)), 1_000);
  for (let index = 0; index < 7; index++) await set(`mine ${index}`, 'mine');
  const kept = async (prefix: string, count: number): Promise<number> => {
    const found = await Promise.all(Array.from({ length: count }, (_none, index) => place.get(`${prefix} ${index}`)));
    return found.filter((each) => each !== undefined).length;
  };
  expect(await kept('mine', 7)).toBe(5);
  expect(await place.get('mine 1')).toBeUndefined();
  for (let index = 0; index < 30; index++) await set(`theirs ${index}`, `tenant ${index}`);
  const left = (await kept('mine', 7)) + (await kept('theirs', 30));
  expect(left).toBe(20);
  await place.set('large', 'mine', answer('x'.repeat(11 * 1024)), 1_000);
  expect(await place.get('large')).toBeUndefined();
  now += 1_000;
  expect(await kept('theirs', 30)).toBe(0);
});
