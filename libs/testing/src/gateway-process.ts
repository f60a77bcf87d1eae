/** The gateway in a process of its own, as `gateway serve`: what is killed, measured or restarted runs here. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The gateway as people start it: the bundle where it is what the sources would make, which starts in a fraction of the time. */
export const GATEWAY_PROGRAM = fileURLToPath(new URL('../../../apps/gateway/bin/gateway.mjs', import.meta.url));

export interface GatewayProcessOptions {
  /** Its working directory; its configuration is `gateway.yaml` there. */
  readonly folder: string;
  /** Another program than `gateway serve` that says where it listens. */
  readonly program?: string;
  readonly logLevel?: 'info' | 'warn' | 'error' | 'fatal';
  /** Node's own, before the program. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Told what it prints, as it comes. */
  readonly heard?: (text: string) => void;
}

export interface GatewayProcess {
  /** With a channel for messages. */
  readonly child: ChildProcess;
  readonly url: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Resolves once it says where it listens; rejects with what it said if it ends before. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { folder, program, logLevel = 'warn', nodeFlags = [], env = {}, heard } = options;
  const command = program === undefined ? [GATEWAY_PROGRAM, 'serve'] : [program];
  const child = spawn(process.execPath, ['--no-warnings', ...nodeFlags, ...command], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
      LOG_LEVEL: logLevel,
      // One process, however many cores there are, unless a test asks for more.
      GATEWAY_WORKERS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    // Read to its end: a full pipe would hold the gateway up.
    child.stdout?.on('data', (chunk: unknown) => {
      said += String(chunk);
      heard?.(String(chunk));
      const place = /listens on (\S+)/.exec(said)?.[1];
      if (place !== undefined) resolve(place);
    });
    void gone.then(() => reject(new Error(`the gateway did not start:\n${said}`)));
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return { child, url, kill };
}
