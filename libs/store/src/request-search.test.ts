/** Searches of the log of requests against a naive filter over all rows; what has one place in common; what rows share, and when it goes. */
import { describe, expect, it } from 'vitest';
import type { RequestFilter, RequestPlace, RequestRow } from '@model-gateway/core';
import { describeDatabases } from '@model-gateway/testing';
import fc from 'fast-check';
import { sql, Kysely } from 'kysely';
import { openStore } from './index.ts';
import { searchRequests } from './request-search.ts';
import { openUrl } from './store.ts';
import type { Tables } from './tables.ts';

const ROWS = 700;
const FIRST = 1_000_000;
const MOMENTS = 200;
const pick = <T>(values: readonly T[], random: number): T => values[Math.floor(random * values.length)] as T;

/** The same each time. */
function numbers(): () => number {
  let state = 7;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const MODELS = [...Array.from({ length: 30 }, (_, index) => `m-${index}`), undefined];
const ERRORS = ['rate_limited', 'upstream_timeout'];

function manyRows(): RequestRow[] {
  const random = numbers();
  return Array.from({ length: ROWS }, (_, index): RequestRow => {
    const owner = Math.floor(random() ** 3 * 8) + 1;
    const status = random() < 0.8 ? 200 : pick([400, 429, 500, 503], random());
    const mode = random() < 0.3 ? 'test' : 'live';
    return {
      id: `req_${String(index).padStart(8, '0')}${pick(['A', 'B'], random())}`,
      at: FIRST + Math.floor(random() * MOMENTS),
      ownerId: owner,
      mode,
      keyId: owner * 10 + (mode === 'test' ? 5 : 0) + Math.floor(random() * 2),
      operation: pick(['createChatCompletion', 'createImage'], random()),
      kind: pick(['chat', 'chat', 'chat', 'image', undefined], random()),
      model: pick(MODELS, random()),
      status,
      error: status === 200 ? undefined : pick(ERRORS, random()),
      aborted: random() < 0.1,
      streamed: random() < 0.5,
      ms: index,
      attempts: 1 + Math.floor(random() * 2),
      charged: 0,
      client: pick(['sdk/1', 'sdk/2', undefined], random()),
      tags: random() < 0.2 ? { team: pick(['a', 'b'], random()) } : undefined,
      identity: random() < 0.5 ? { user: pick(['u', 'v'], random()), session: pick(['s', 't'], random()) } : undefined,
    };
  });
}

/** What a filter means. */
function fits(row: RequestRow, filter: Omit<RequestFilter, 'limit'>): boolean {
  const { ownerId, mode, keyId, model, kind, statusClass, errors, tag, identity, from, to } = filter;
  const [name = '', value] = tag?.split('=') ?? [];
  return (
    (ownerId === undefined || row.ownerId === ownerId) &&
    (mode === undefined || row.mode === mode) &&
    (keyId === undefined || row.keyId === keyId) &&
    (model === undefined || row.model === model) &&
    (kind === undefined || row.kind === kind) &&
    (statusClass === undefined || Math.floor(row.status / 100) === statusClass) &&
    (errors === undefined || errors.includes(row.error ?? '')) &&
    (tag === undefined || row.tags?.[name] === value) &&
    (identity?.user === undefined || row.identity?.user === identity.user) &&
    (identity?.session === undefined || row.identity?.session === identity.session) &&
    (from === undefined || row.at >= from) &&
    (to === undefined || row.at < to)
  );
}

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 1 });
const moment = fc.integer({ min: FIRST - 5, max: FIRST + MOMENTS + 5 });
const filters = fc.record({
  ownerId: maybe(fc.integer({ min: 1, max: 9 })),
  mode: maybe(fc.constantFrom('live' as const, 'test' as const)),
  keyId: maybe(fc.constantFrom(10, 11, 15, 20, 26, 99)),
  model: maybe(fc.constantFrom('m-0', 'm-1', 'none')),
  kind: maybe(fc.constantFrom('chat', 'image', 'none')),
  statusClass: maybe(fc.constantFrom(2, 4, 5)),
  errors: maybe(fc.subarray([...ERRORS, 'none'])),
  tag: maybe(fc.constantFrom('team=a', 'team=b', 'team=none')),
  identity: maybe(fc.constantFrom({ user: 'u' }, { user: 'v', session: 's' }, { session: 't' }, { user: 'none' })),
  from: maybe(moment),
  to: maybe(moment),
});
/** Of ten filters few at a time: all at once nothing fits. */
const searches = fc.tuple(filters, fc.subarray(['ownerId', 'mode', 'keyId', 'model', 'kind', 'statusClass', 'errors', 'tag', 'identity', 'from', 'to'] as const, { maxLength: 3 }), fc.integer({ min: 20, max: 200 })); // prettier-ignore

describeDatabases('searches of the log of requests', openStore, ({ kind, store, replica, url }) => {
  const within = async <T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> => {
    const { dialect } = await openUrl(url(), { beside: true });
    const db = new Kysely<Tables>({ dialect });
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  };
  const raw = async <T>(text: string): Promise<readonly T[]> =>
    within(async (db) => (await sql.raw<T>(text).execute(db)).rows);
  const all = async (filter: Omit<RequestFilter, 'limit' | 'after'>, limit: number): Promise<RequestRow[]> => {
    const found: RequestRow[] = [];
    let after: RequestPlace | undefined;
    do {
      const page = await replica().requests.list({ ...filter, limit, ...(after !== undefined && { after }) });
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      found.push(...page.rows);
      after = page.next;
    } while (after !== undefined);
    return found;
  };

  it('page by page find what a naive filter finds, each row once, newest first', async () => {
    const rows = manyRows();
    await store().requests.add(rows);
    await fc.assert(
      fc.asyncProperty(searches, async ([values, names, limit]) => {
        const filter = Object.fromEntries(
          names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
        );
        const found = await all(filter, limit);
        const times = found.map(({ at }) => at);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
        const expected = rows.filter((row) => fits(row, filter));
        expect(idsOf(found)).toBe(idsOf(expected));
      }),
      { numRuns: kind === 'sqlite' ? 40 : 15, seed: 20 },
    );
    const whole = await all({ keyId: 20 }, 50);
    expect(whole.toSorted(byId)).toEqual(rows.filter((row) => fits(row, { keyId: 20 })));
  });

  describe('rows that want one place', () => {
    const at = 5_000_000;
    const row = (id: string, given: Partial<RequestRow> = {}): RequestRow => ({
      ...{ id, at, ownerId: 77, mode: 'live', keyId: 7, operation: 'o', status: 200, aborted: false, streamed: false },
      ...{ ms: 1, attempts: 1, charged: 0 },
      ...given,
    });

    it('are all kept, once, with their tags, whoever writes them and how often', async () => {
      const rows = Array.from({ length: 50 }, (_, index) => row(`req_${index}_xyz`, { tags: { n: `v${index}` } }));
      await store().requests.add([...rows.slice(0, 30), rows[3]!]);
      await Promise.all([store().requests.add(rows), replica().requests.add(rows.toReversed())]);
      await replica().requests.add(rows.map((each) => ({ ...each, charged: 9 })));
      const found = await all({ ownerId: 77 }, 7);
      expect(found.toSorted(byId)).toEqual(rows.toSorted(byId));
      for (const index of [0, 17, 49]) {
        expect(await store().requests.get(rows[index]!)).toEqual(rows[index]);
        expect(await all({ tag: `n=v${index}` }, 5)).toEqual([rows[index]]);
      }
    });

    it('a page looks at so many rows and no more, and the next goes on from there', async () => {
      const tags = { team: 'hay' };
      const needle = row('req_needle', { at: at + 1, tags, error: 'needle', status: 400 });
      const hay = Array.from({ length: 650 }, (_, index) => row(`req_hay_${index}`, { at: at + 2 + index, tags }));
      await store().requests.add([needle, ...hay]);
      await within(async (db) => {
        const search = (after?: RequestPlace) =>
          searchRequests({ kind, db }, { tag: 'team=hay', errors: ['needle'], limit: 5, ...(after && { after }) }, 600);
        const first = await search();
        expect(first.rows).toEqual([]);
        // On a slow machine the time of a page is over earlier.
        expect(first.next?.at).toBeGreaterThanOrEqual(at + 52);
        const found: RequestRow[] = [];
        for (let after = first.next; after !== undefined;) {
          const page = await search(after);
          found.push(...page.rows);
          after = page.next;
        }
        expect(found).toEqual([needle]);
      });
    });

    it('what rows have in common is kept once, known to all, told of again each day, and goes after the last of them', async () => {
      const DAY = 86_400_000;
      const start = -9 * DAY;
      const old = (id: string, when: number): RequestRow =>
        row(id, { at: when, ownerId: 88, keyId: 8_888, client: 'only/1', model: 'only one', kind: 'chat' });
      const known = async (): Promise<readonly number[]> =>
        [
          ...(await raw<{ seen_at: number }>(`select seen_at from request_callers where client = 'only/1'`)),
          ...(await raw<{ seen_at: number }>(`select seen_at from request_outcomes where model = 'only one'`)),
        ].map(({ seen_at: seen }) => seen);
      await store().requests.add([old('req_1', start), old('req_2', start + 5)]);
      await replica().requests.add([old('req_3', start + 6)]);
      const first = await known();
      expect(first).toHaveLength(2);
      for (const seen of first) expect(seen).toBeLessThanOrEqual(start + 6);
      await store().requests.add([old('req_4', start + 2 * DAY)]);
      expect(await known()).toEqual([start + 2 * DAY, start + 2 * DAY]);
      await store().requests.sweep(start + 2 * DAY + 1, 1_000);
      expect(await store().requests.list({ ownerId: 88, limit: 9 })).toEqual({ rows: [] });
      expect(await known()).toHaveLength(2);
      await store().requests.sweep(start + 4 * DAY, 1_000);
      expect(await known()).toEqual([]);
      // It was forgotten by the database only.
      await replica().requests.add([old('req_5', start + 5 * DAY)]);
      expect((await store().requests.list({ keyId: 8_888, limit: 9 })).rows.map(({ id }) => id)).toEqual(['req_5']);
    });
  });
});

function idsOf(rows: readonly RequestRow[]): string {
  return rows
    .map(({ id }) => id)
    .toSorted()
    .join(' ');
}

function byId(a: RequestRow, b: RequestRow): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
