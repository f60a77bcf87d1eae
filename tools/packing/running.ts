/** A packed gateway that runs: started as a process of its own, asked, stopped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const START_MS = 60_000;
/** Nothing of the machine's own environment but where programs are, this Node before any other. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: process.env['HOME'],
  PORT: '0',
});

export interface Running {
  readonly url: string;
  readonly pid: number;
  readonly testKey: string | undefined;
  readonly adminKey: string | undefined;
  /** All that it has printed by now. */
  printed(): string;
  /** From its start until it listened, less what other programs kept it waiting for the processor. */
  readonly milliseconds: number;
  /** Bytes. */
  resident(): number;
  stop(): Promise<number | null>;
}

/** Starts it in the folder `cwd`; rejects with all it said when it does not listen. */
export async function startPacked(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const began = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const gone = once(child, 'exit') as Promise<[number | null]>;
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: unknown): void => {
      said += String(chunk);
      const place = /listens on (\S+)/.exec(said)?.[1];
      if (place === undefined || !said.includes('\n', said.indexOf(place))) return;
      clearTimeout(late);
      resolve(place);
    };
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS);
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void gone.then(() => {
      clearTimeout(late);
      reject(new Error(`it did not start:\n${said}`));
    });
    late.unref();
  });
  const milliseconds = performance.now() - began - waitedMs(child.pid);
  return {
    url,
    pid: child.pid ?? 0,
    milliseconds,
    testKey: /sk-test-[\w-]+/.exec(said)?.[0],
    adminKey: /admin-[\w-]{43}/.exec(said)?.[0],
    printed: () => said,
    resident: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    async stop() {
      // npx hands no signal on: its group gets it.
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      const [code] = await gone;
      child.stdout.destroy();
      child.stderr.destroy();
      return code;
    },
  };
}

/** How long its main thread was ready to run, and another had the processor; 0 where the system does not say. */
function waitedMs(pid: number | undefined): number {
  const file = `/proc/${pid}/schedstat`;
  if (!existsSync(file)) return 0;
  const [, nanoseconds] = readFileSync(file, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Asks with the test key, or another one; gives the status and the body, read as JSON where it is. */
export async function ask(
  gateway: Running,
  path: string,
  body?: object,
  {
    key = gateway.testKey,
    method = body === undefined ? 'GET' : 'POST',
  }: { key?: string | undefined; method?: string } = {},
): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key ?? ''}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}
