import { once } from 'node:events';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
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
  // The port is free when asked for, and rarely taken before Redis binds it: then another is tried.
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = spawn(file, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
    if (!(await isReady(server))) {
      if (attempt === 5) throw new Error(`${file} does not start.`);
      continue;
    }
    return {
      url: `redis://127.0.0.1:${port}`,
      async close() {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      },
    };
  }
}

/** False when it ends instead. */
function isReady(server: ChildProcessWithoutNullStreams): Promise<boolean> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => resolve(false));
    server.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes('Ready to accept connections')) resolve(true);
    });
  });
}

function program(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}
