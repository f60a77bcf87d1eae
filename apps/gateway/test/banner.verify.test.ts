/** What people see at the first start: the banner whole, then a log they can read; machines get JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GATEWAY_PROGRAM } from '@model-gateway/testing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-gateway-banner-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts in an empty folder, sends a request, stops; resolves with standard output and the exit code. */
async function firstStart(format: string, more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--no-warnings', GATEWAY_PROGRAM, 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_FORMAT: format, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const place = /listens on (\S+)[\s\S]*Admin key .*: admin-\S+\n/.exec(said)?.[1];
      if (place !== undefined) resolve(place);
    });
    void gone.then(() => reject(new Error(`it did not start:\n${said}`)));
  });
  await (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer nobody' } })).arrayBuffer();
  child.kill('SIGTERM');
  const [code] = (await gone) as [number];
  return { said, code };
}

it.each([
  { workers: '1', name: 'alone' },
  { workers: '2', name: 'with workers' },
])('text, $name: the banner in one piece, first, and readable lines behind it', async ({ workers }) => {
  const { said, code } = await firstStart('text', { GATEWAY_WORKERS: workers });
  const lines = said.split('\n').filter((line) => line !== '');
  const isLog = lines.map((line) => /^\[\d\d:\d\d:\d\d\] [A-Z]+: /.test(line));
  const from = lines.findIndex((line) => line.startsWith('Model gateway listens on'));
  const to = lines.findIndex((line) => line.startsWith('Admin key (shown once'));
  expect(isLog.slice(from, to + 1)).not.toContain(true);
  expect(isLog.slice(to + 1)).not.toContain(false);
  if (workers === '1') expect(from).toBe(0);
  // Built with the bundle; sources that were changed since then show the one of the last bundle.
  expect(lines[from + 1]).toMatch(/^ {2}console http:\S+\/console {3}docs http:\S+\/docs /);
  expect(said).toMatch(/^ {2}The built-in vendor twin listens on http:\/\/127\.0\.0\.1:\d+$/m);
  expect(said).toMatch(/^Test key \(shown once; .*: sk-test-\S+$/m);
  expect(said).toMatch(/INFO: GET \/v1\/models 401 \d+ ms \{"code":"unauthenticated","request_id":"req_\w+"\}/);
  expect(code).toBe(0);
});

it('json: every line that is none of the banner is an object', async () => {
  const { said } = await firstStart('json');
  const lines = said.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    expect.arrayContaining(['request', 'shutting down: finishing running requests']),
  );
  expect(lines.filter((line) => line.includes('the database was brought up to date'))).toHaveLength(1);
});
