import { once } from 'node:events';
import { spawn, spawnSync } from 'node:child_process';
import { freePort } from './free-port.ts';

export interface TestRedis {
  readonly url: string;
  close(): Promise<void>;
}

/** Whether there is a Redis for tests: `TEST_REDIS` is the url of one, or `redis-server` (or Valkey's) is in PATH. */
export function hasTestRedis(): boolean {
  return (process.env['TEST_REDIS'] ?? '') !== '' || program() !== undefined;
}

/** A Redis that keeps nothing; started for one test file unless `TEST_REDIS` names one. */
export async function openTestRedis(): Promise<TestRedis> {
  const given = process.env['TEST_REDIS'] ?? '';
  if (given !== '') return { url: given, close: async () => undefined };
  const file = program();
  if (file === undefined) throw new Error('Redis was not found. Install Debian’s redis-server, or set TEST_REDIS.');
  const port = await freePort();
  const server = spawn(file, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code ?? 'a signal'}`)));
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

function program(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}
