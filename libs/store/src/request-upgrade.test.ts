/** Rows that the version before wrote to its tables, before the migration and after it. */
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { migrator } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { openUrl } from './store.ts';
import type { Tables } from './tables.ts';

const AT = 1_790_000_000_000;

const OLD = {
  owner_id: 3,
  mode: 'live',
  key_id: 4,
  operation: 'createChatCompletion',
  kind: 'chat',
  model: 'm',
  status: 200,
  failed: null,
  error: null,
  aborted: 0,
  streamed: 1,
  ms: 9,
  first_byte_ms: 0,
  account_id: null,
  vendor: null,
  upstream_model: null,
  asked_ms: null,
  route: null,
  attempts: 1,
  input_tokens: 0,
  cached_tokens: null,
  output_tokens: 7,
  charged: 5,
  address: '::1',
  client: null,
  detail: null,
};
type Old = Readonly<Record<string, string | number | null>>;

/** Plain ones, several of a moment; one with nothing that may be absent, one with all of it. */
const ROWS: readonly Old[] = [
  ...Array.from({ length: 40 }, (_, n) => ({ ...OLD, at: AT + Math.floor(n / 8), id: `req_${10 + n}` })),
  { ...OLD, at: AT + 50, id: 'req_none', kind: null, model: null, first_byte_ms: null, input_tokens: null, output_tokens: null, address: null }, // prettier-ignore
  {
    ...{ ...OLD, at: AT + 60, id: 'req_all', mode: 'test', kind: 'image', status: 502, failed: 5, error: 'upstream_timeout' }, // prettier-ignore
    ...{ aborted: 1, account_id: 2, vendor: 'v', upstream_model: 'u', asked_ms: 1, route: 'own', cached_tokens: 1 },
    ...{ client: 'a “ü”', detail: JSON.stringify({ tags: { team: 'a', tier: 'b' }, dropped: ['top_k'] }) },
  },
];
const TAGS = [
  { tag: 'team=a', at: AT + 60, id: 'req_all' },
  { tag: 'tier=b', at: AT + 60, id: 'req_all' },
];

async function insert(db: Kysely<Tables>, table: string, rows: readonly Old[]): Promise<void> {
  for (const row of rows)
    await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))}) values (${sql.join(Object.values(row))})`.execute(
      db,
    );
}

async function count(db: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
  return rows[0]?.n ?? -1;
}

describe.each(['sqlite', 'postgres'] as const)('the log of requests of the version before on %s', (kind) => {
  it('is there after the migration, row by row and tag by tag; what its replicas write meanwhile is taken over', async () => {
    const database = await openTestDatabase(kind, { isBare: true });
    const first = await openUrl(database.url);
    const before = new Kysely<Tables>({ dialect: first.dialect });
    await migrator(before, migrations(kind)).migrateTo('0019-single-sign-on');
    await insert(before, 'requests', ROWS);
    await insert(before, 'request_tags', TAGS);
    await before.destroy();
    first.lock.release();

    const store = await openStore(database.url);
    const beside = await openUrl(database.url, { beside: true });
    const db = new Kysely<Tables>({ dialect: beside.dialect });
    expect([await count(db, 'requests'), await count(db, 'request_tags')]).toEqual([0, 0]);
    const { rows } = await store.requests.list({ limit: 100 });
    expect(rows.map(({ id }) => id)).toEqual(ROWS.map(({ id }) => id).toReversed());
    const common = { ownerId: 3, keyId: 4, operation: 'createChatCompletion', streamed: true, ms: 9, attempts: 1, charged: 5 }; // prettier-ignore
    const plain = { ...common, mode: 'live', status: 200, aborted: false };
    const chat = { kind: 'chat', model: 'm', firstByteMs: 0, inputTokens: 0, outputTokens: 7, address: '::1' };
    expect(rows.at(-1)).toEqual({ ...plain, ...chat, id: 'req_10', at: AT });
    expect(rows[1]).toEqual({ ...plain, id: 'req_none', at: AT + 50 });
    const whole = {
      ...{ ...common, ...chat, id: 'req_all', at: AT + 60, mode: 'test', status: 502, aborted: true, kind: 'image' },
      ...{ error: 'upstream_timeout', accountId: 2, vendor: 'v', upstreamModel: 'u', askedMs: 1, route: 'own' },
      ...{ cachedInputTokens: 1, client: 'a “ü”', tags: { team: 'a', tier: 'b' }, dropped: ['top_k'] },
    };
    expect(rows[0]).toEqual(whole);
    for (const tag of ['team=a', 'tier=b'])
      expect((await store.requests.list({ tag, limit: 5 })).rows).toEqual([whole]);
    expect((await store.requests.list({ errors: ['upstream_timeout'], limit: 5 })).rows).toEqual([whole]);

    // What it and newer rows have in common is one and the same.
    const known = async () => [await count(db, 'request_callers'), await count(db, 'request_outcomes')];
    const knownBefore = await known();
    await store.requests.add([{ ...whole, mode: 'test' as const, id: 'req_new', at: AT + 61 }]);
    expect(await known()).toEqual(knownBefore);

    const late = { ...ROWS.at(-1), id: 'req_late', at: AT + 60 };
    await insert(db, 'requests', [late, { ...OLD, id: 'req_later', at: AT + 70, client: 'another' }]);
    await insert(db, 'request_tags', [{ tag: 'team=a', at: AT + 60, id: 'req_late' }]);
    // A row whose place, chosen by chance, is taken waits for the next time.
    for (let turn = 0; turn < 50 && (await count(db, 'requests')) > 0; turn++) await store.requests.sweep(AT, 100);
    expect([await count(db, 'requests'), await count(db, 'request_tags')]).toEqual([0, 0]);
    expect((await store.requests.list({ limit: 1 })).rows).toEqual([
      { ...plain, ...chat, id: 'req_later', at: AT + 70, client: 'another' },
    ]);
    const tagged = await store.requests.list({ tag: 'team=a', limit: 5, to: AT + 61 });
    expect(tagged.rows.map(({ id }) => id).toSorted()).toEqual(['req_all', 'req_late']);
    await db.destroy();
    await store.close();
    await database.close();
  });
});
