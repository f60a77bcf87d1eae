import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Kysely, sql } from 'kysely';
import { openStore } from './index.ts';
import { openSqlite } from './sqlite.ts';
import { newKey, newPayer } from './test-rows.ts';

/** Programs share what the run has compiled. */
const COMPILED = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** A second process, because the locks of one process do not stand in its own way. */
class Program {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;

  constructor(source: string, url: string) {
    const program = `import { openStore } from '@model-gateway/store';\nconst url = process.argv[1];\n${source}`;
    this.child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', program, url], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: COMPILED,
    });
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done === true) throw new Error('The program has ended.');
    return value;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

const HOLD = `await openStore(url); console.log('open'); setInterval(() => {}, 1000);`;
const TRY = `await openStore(url).then((store) => store.close()).then(() => console.log('open'), (error) => console.log(error.code + ': ' + error.message));`;

describe('a SQLite file', () => {
  let folder: string;
  let url: string;
  let programs: Program[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
    url = `sqlite:${join(folder, 'deep', 'gateway.db')}`;
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) await program.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (source: string, at = url): Program => {
    const program = new Program(source, at);
    programs.push(program);
    return program;
  };

  it('is made with its folder, for its user alone', async () => {
    const store = await openStore(url);
    await store.ping();
    await store.close();
    expect(statSync(join(folder, 'deep', 'gateway.db')).mode & 0o777).toBe(0o600);
  });

  it('is refused to a second process, by any name of the file, and told by whom it is held', async () => {
    const holder = run(HOLD);
    expect(await holder.line()).toBe('open');
    symlinkSync(join(folder, 'deep'), join(folder, 'link'));
    for (const name of [url, `sqlite:${join(folder, 'link', '..', 'link', 'gateway.db')}`]) {
      const second = await run(TRY, name).line();
      expect(second).toMatch(/^conflict: .*gateway\.db is in use by another gateway process \(pid \d+\)/);
      expect(second).toContain(`(pid ${holder.child.pid})`);
    }
    // Being refused twice has not loosened the lock.
    expect(await run(TRY).line()).toMatch(/^conflict/);
  });

  it('is refused a second time to the same process', async () => {
    const store = await openStore(url);
    await expect(openStore(url)).rejects.toMatchObject({ code: 'conflict' });
    await store.close();
    await (await openStore(url)).close();
  });

  it('may be opened beside its holder by a command, which changes what the holder sees', async () => {
    const holder = run(`
      const store = await openStore(url);
      const version = await store.keys.version();
      console.log('open');
      while ((await store.keys.version()) === version) await new Promise((resolve) => setTimeout(resolve, 20));
      console.log((await store.keys.list({ limit: 9 })).map((key) => key.name).join());`);
    await holder.line();
    const command = await openStore(url, { beside: true });
    await command.owners.ensure({ id: 1, name: 'o', group: 'g' }, 0);
    await command.keys.create(newKey(1, { name: 'made beside' }), 0);
    expect(await holder.line()).toBe('made beside');
    await command.close();
  });

  it('is brought up to date by a command when nobody has it, and kept from nobody', async () => {
    const command = await openStore(url, { beside: true });
    expect(await command.keys.list({ limit: 1 })).toEqual([]);
    expect(await run(TRY).line()).toBe('open');
    await command.close();
  });

  it('is left alone by a command of a newer version', async () => {
    const store = await openStore(url);
    const file = new DatabaseSync(url.replace('sqlite:', ''));
    file.exec(`delete from kysely_migration where name = (select max(name) from kysely_migration)`);
    file.close();
    await expect(openStore(url, { beside: true })).rejects.toMatchObject({ code: 'conflict' });
    await store.close();
  });

  it('is free as soon as its holder is killed or closes', async () => {
    const holder = run(HOLD);
    await holder.line();
    await holder.kill();
    expect(await run(TRY).line()).toBe('open');
    expect(await run(TRY).line()).toBe('open');
  });

  it('loses nothing that was acknowledged when its writer is killed', async () => {
    const store = await openStore(url);
    const payer = await newPayer(store, { balance: 100_000, creditLimit: 0 });
    await store.close();
    const writer = `
      import { writeSync } from 'node:fs';
      const store = await openStore(url);
      const payer = ${JSON.stringify(payer)};
      const { hold, capture } = store.ledger;
      const charge = (requestId) => ({ payer, requestId, model: 'm', endpoint: 'e', charged: 1, shortfall: 0, priceVersion: 'v', detail: {}, at: 0 });
      const one = async (lane) => {
        for (let turn = 0; ; turn += 1) {
          const id = process.pid + '_' + lane + '_' + turn;
          await store.tasks.create({ id, kind: 'video', mode: 'live', ownerId: payer.ownerId, keyId: payer.keyId, group: 'g', requestId: id, model: 'm',
            accountId: 1, accountName: 'a', vendor: 'v', upstreamModel: 'u', input: {}, quota: 3, createdAt: 0, deadlineAt: 9, priceVersion: 'v', nextCheckAt: 5 },
            { payer, amount: 3, detail: {} }, undefined, 0);
          writeSync(1, 'task ' + id + '\\n');
          if (turn % 2 === 0) {
            await store.tasks.advance(id, ['NOT_START'], { state: 'SUCCESS' }, { type: 'capture', charged: 2, priceVersion: 'v', detail: {} }, 1);
            writeSync(1, 'ended ' + id + '\\n');
          }
          await store.ledger.record([charge('charge ' + id)]);
          writeSync(1, 'charge ' + id + '\\n');
        }
      };
      await Promise.all([0, 1, 2, 3].map(one));`;
    for (let round = 0; round < 3; round += 1) {
      const program = run(writer);
      const acknowledged: string[] = [];
      while (acknowledged.length < 60 + round * 37) acknowledged.push(await program.line());
      program.child.kill('SIGKILL');
      // What it had written to the pipe was acknowledged too.
      for await (const line of { [Symbol.asyncIterator]: () => program.lines }) acknowledged.push(line);
      const after = await openStore(url);
      for (const line of acknowledged) {
        const [what, id] = line.split(' ') as [string, string];
        if (what === 'charge') {
          expect(await after.ledger.entries({ requestId: line, limit: 2 })).toHaveLength(1);
        } else {
          const task = await after.tasks.get(id);
          expect(task).toBeDefined();
          if (what === 'ended') expect(task).toMatchObject({ state: 'SUCCESS', quota: 2 });
        }
      }
      expect(await after.ledger.verify()).toEqual([]);
      await after.close();
    }
  });

  it('takes integers as integers, in expressions too', async () => {
    const db = new Kysely({ dialect: openSqlite(':memory:').dialect });
    const values = sql<{
      whole: string;
      part: string;
    }>`select typeof(1 + ${2 ** 53 - 1}) as whole, typeof(${0.5}) as part`;
    expect((await values.execute(db)).rows).toMatchObject([{ whole: 'integer', part: 'real' }]);
    await db.destroy();
  });

  it('keeps integers whole up to 2^53 and refuses to read beyond', async () => {
    const store = await openStore('sqlite::memory:');
    const payer = await newPayer(store, { balance: Number.MAX_SAFE_INTEGER });
    expect(await store.owners.get(payer.ownerId)).toMatchObject({ balance: Number.MAX_SAFE_INTEGER });
    await store.ledger.adjust(payer.ownerId, -Number.MAX_SAFE_INTEGER, {}, 0);
    await store.ledger.adjust(payer.ownerId, -Number.MAX_SAFE_INTEGER, {}, 0);
    await expect(store.ledger.adjust(payer.ownerId, -1, {}, 0)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await store.owners.get(payer.ownerId)).toMatchObject({ balance: -Number.MAX_SAFE_INTEGER });
    await store.close();
  });

  it.each(['mysql://a/b', 'sqlite:', 'gateway.db', ''])('is not meant by the url "%s"', async (wrong) => {
    await expect(openStore(wrong)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
