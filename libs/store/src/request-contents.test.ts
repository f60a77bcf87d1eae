import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import type { RequestContentRecord, RequestRow } from '@model-gateway/core';
import { describeDatabases, openTestDatabase } from '@model-gateway/testing';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { unique } from './test-rows.ts';
import { openUrl } from './store.ts';

const content = (given: Partial<RequestContentRecord> = {}): RequestContentRecord => ({
  ...{ at: 5, id: `req_${unique()}`, ownerId: 1, mode: 'live', sealed: Buffer.from([0, 1, 255, 0]) },
  ...given,
});

describeDatabases('prompts and answers that are kept', openStore, ({ store, replica, url }) => {
  const kept = async (record: RequestContentRecord): Promise<boolean> =>
    (await replica().requests.content(record)) !== undefined;

  it('come back as they are, once', async () => {
    await store().owners.ensure({ id: 1, name: 'one', group: 'default' }, 0);
    const one = content();
    await store().requests.addContents([one, content({ mode: 'test' })]);
    await replica().requests.addContents([{ ...one, sealed: Buffer.from('other') }]);
    const found = await replica().requests.content(one);
    expect(found).toEqual({ ...one, sealed: expect.anything() });
    expect(Buffer.from(found?.sealed ?? []).equals(Buffer.from(one.sealed))).toBe(true);
    expect(await kept({ ...one, at: 6 })).toBe(false);
  });

  it('go with their owner, and are not kept for one that is gone', async () => {
    const { id } = await store().owners.create({ name: 'short-lived', group: 'default' }, 0);
    const [of, others] = [content({ ownerId: id }), content()];
    await store().requests.addContents([of, others]);
    expect(await kept(of)).toBe(true);
    const { dialect } = await openUrl(url(), { beside: true });
    const db = new Kysely({ dialect });
    await sql`delete from owners where id in (${id}, ${-id})`.execute(db);
    await db.destroy();
    expect([await kept(of), await kept(others)]).toEqual([false, true]);
    const late = content({ ownerId: id });
    await store().requests.addContents([late]);
    expect(await kept(late)).toBe(false);
  });

  it('are removed in steps when they are out of date', async () => {
    const old = [11, 12, 13].map((at) => content({ at }));
    const young = content({ at: 14 });
    await store().requests.addContents([...old, young]);
    await store().requests.sweepContents(11, 1_000);
    expect(await store().requests.sweepContents(14, 2)).toBe(2);
    expect(await store().requests.sweepContents(14, 2)).toBe(1);
    expect(await Promise.all([...old, young].map(kept))).toEqual([false, false, false, true]);
  });

  it('leave rows of the log with any text as it was written', async () => {
    const row = (client: string): RequestRow => ({
      ...{ id: `req_${unique()}`, at: 7, ownerId: 1, mode: 'live', keyId: 7, operation: 'x', status: 200, charged: 0 },
      ...{ aborted: false, streamed: false, ms: 1, attempts: 0, client },
    });
    const rows = ['', 'null', 'NULL', '{a,"b"}', '\\', '\\"', "it's", ' ü ,', '{}'].map(row);
    await store().requests.add(rows);
    for (const each of rows) expect((await replica().requests.get(each))?.client).toBe(each.client);
  });
});

it('are whole or not there when the process that writes them is killed', async () => {
  const database = await openTestDatabase('sqlite');
  const bytes = 300_000;
  const script = `
    const { openStore } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    const store = await openStore(${JSON.stringify(database.url)});
    await store.owners.ensure({ id: 1, name: 'one', group: 'default' }, 0);
    for (let at = 1; ; at++) {
      const sealed = Buffer.alloc(${bytes}, at % 251);
      await store.requests.addContents([{ at, id: 'req_' + at, ownerId: 1, mode: 'live', sealed }]);
      if (at % 10 === 0) process.stdout.write('.');
    }`;
  const writer = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  writer.kill('SIGKILL');
  await ended;
  const store = await openStore(database.url);
  let found = 0;
  for (let at = 1; ; at++) {
    const record = await store.requests.content({ at, id: `req_${at}` });
    if (record === undefined) break;
    found++;
    expect(Buffer.from(record.sealed).equals(Buffer.alloc(bytes, at % 251))).toBe(true);
  }
  expect(found).toBeGreaterThanOrEqual(10);
  await store.close();
  await database.close();
});
