/** The gateway in a process of its own, as `gateway serve`: what is killed, measured or restarted runs here. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../apps/gateway/src/main.ts', import.meta.url));

export interface GatewayProcessOptions {
  /** Its working directory; its configuration is `gateway.yaml` there. */
  readonly folder: string;
  readonly logLevel?: 'warn' | 'error' | 'fatal';
  /** Node's own, before the program. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
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
  const { folder, logLevel = 'warn', nodeFlags = [], env = {} } = options;
  const child = spawn(process.execPath, ['--no-warnings', ...nodeFlags, MAIN, 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      GATEWAY_CONFIG: join(folder, 'gateway.yaml'),
      LOG_LEVEL: logLevel,
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
