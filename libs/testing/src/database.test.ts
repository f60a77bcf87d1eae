import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { openTestDatabase } from './database.ts';

describe('openTestDatabase', () => {
  it('gives each caller an empty PostgreSQL database of its own, on one server', async () => {
    const [a, b] = [await openTestDatabase('postgres'), await openTestDatabase('postgres')];
    expect(a.url).not.toBe(b.url);
    expect(new URL(a.url).host).toBe(new URL(b.url).host);
    const client = new pg.Client({ connectionString: a.url });
    await client.connect();
    await client.query('create table t (id int)');
    await client.end();
    const other = new pg.Client({ connectionString: b.url });
    await other.connect();
    await expect(other.query('select * from t')).rejects.toMatchObject({ code: '42P01' });
    await other.end();
    await a.close();
    await b.close();
    const gone = new pg.Client({ connectionString: a.url });
    await expect(gone.connect()).rejects.toMatchObject({ code: '3D000' });
    await gone.end().catch(() => undefined);
  });

  it('gives a SQLite file of its own and removes it', async () => {
    const [a, b] = [await openTestDatabase('sqlite'), await openTestDatabase('sqlite')];
    expect(a.url).toMatch(/^sqlite:\//);
    expect(a.url).not.toBe(b.url);
    const folder = join(a.url.replace('sqlite:', ''), '..');
    expect(existsSync(folder)).toBe(true);
    await a.close();
    await b.close();
    expect(existsSync(folder)).toBe(false);
  });

  it.each(['', 'embedded'])('stops the server (TEST_POSTGRES=%s) when its last user was killed', async (choice) => {
    const folder = mkdtempSync(join(tmpdir(), 'model-gateway-test-'));
    const program = `
      import { openTestDatabase } from './database.ts';
      const { url } = await openTestDatabase('postgres', { isBare: true });
      console.log(url);
      setInterval(() => {}, 1000);`;
    const users = [0, 1].map(() =>
      spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', program], {
        cwd: import.meta.dirname,
        env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder, TEST_POSTGRES: choice },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const urls = await Promise.all(
      users.map(async ({ stdout }) => {
        const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
        return new URL(line);
      }),
    );
    expect(urls[0]!.host).toBe(urls[1]!.host);
    users[0]!.kill('SIGKILL');
    await once(users[0]!, 'exit');
    expect(await listens(Number(urls[0]!.port))).toBe(true);
    users[1]!.kill('SIGKILL');
    await once(users[1]!, 'exit');
    while (await listens(Number(urls[0]!.port))) await new Promise((resolve) => setTimeout(resolve, 100));
    // Nothing but the registry is left in the temporary folder.
    while (readdirSync(folder).some((name) => name.includes('data'))) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    rmSync(folder, { recursive: true, force: true });
  });
});

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
