/** `gateway twin`: every vendor, simulated, on one port and without a gateway, for tests of programs that call vendors (docs/guides/twin.md). */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { InvalidArgumentError, type Command } from 'commander';
import type { TwinVendor, VendorTwin } from '@model-gateway/vendor-twin';
import type { Environment } from '../config/interpolate.ts';
import { codeOf, StartFault } from '../server/start-fault.ts';
import { CommandFault } from './command-fault.ts';
import type { JsonOption } from './command-options.ts';
import { sayTo, table } from './output.ts';
import { note, type Terminal } from './terminal.ts';

interface TwinCommandOptions extends JsonOption {
  readonly port?: number;
  readonly host: string;
  readonly videoSeconds: number;
  readonly chunkDelay?: number;
}

const USUAL_PORT = 9000;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
const NOT_FOUND = 127;
/** As a shell says that a program was ended by a signal. */
const BY_SIGNAL = 128;

/** Adds `gateway twin`. */
export function addTwinCommand(program: Command, terminal: Terminal): void {
  program
    .command('twin')
    .description('simulate every vendor on one port, for tests without a vendor; needs no gateway and no key')
    .argument('[command...]', 'a command to run with the twin, which stops when the command ends: -- npm test')
    .option(
      '--port <port>',
      `the port to listen on: ${USUAL_PORT}, or with a command any free port; 0 is any free port`,
      portNumber,
    )
    .option('--host <address>', 'the address to listen on: this machine only, or 0.0.0.0 for everybody', '127.0.0.1')
    .option('--video-seconds <seconds>', 'how long a video takes', seconds, 3)
    .option('--chunk-delay <milliseconds>', 'how long to pause after each event of a stream', milliseconds)
    .option('--json', 'print only JSON: the address and credentials of each vendor')
    .addHelpText(
      'after',
      `
A command gets OPENAI_BASE_URL, OPENAI_API_KEY and their like of Anthropic and Gemini, and TWIN_URL. The exit code is the command's.
Faults on demand: POST /_twin/faults, such as {"fault":"status","status":429,"times":3}.`,
    )
    .action((command: readonly string[], options: TwinCommandOptions) => runTwin(terminal, command, options));
}

async function runTwin(terminal: Terminal, command: readonly string[], options: TwinCommandOptions): Promise<void> {
  const { host, videoSeconds, chunkDelay } = options;
  const port = options.port ?? (command.length > 0 ? 0 : USUAL_PORT);
  const { startVendorTwin, TWIN_VENDORS } = await import('@model-gateway/vendor-twin');
  const twin = await startVendorTwin({
    ...{ host, port, control: true, seconds: { video: videoSeconds } },
    ...(chunkDelay !== undefined && { chunkDelayMs: chunkDelay }),
  }).catch((error: unknown) => {
    throw unstarted(error, host, port);
  });
  const stopped = signalled();
  try {
    if (!LOOPBACK.includes(host))
      note(terminal, `Others reach the twin at ${host}: anyone there may use it and script its faults.`);
    if (command.length > 0) {
      terminal.exitWith(await runBeside(twin, command, terminal, stopped.signal));
      return;
    }
    sayTo(terminal, options)({ url: twin.url, vendors: placesOf(twin, TWIN_VENDORS) }, (paint) =>
      [
        `The twin listens on ${twin.url}`,
        '',
        table(
          ['Vendor', 'Base URL', 'Key'],
          TWIN_VENDORS.map((vendor) => [vendor, twin.baseUrl(vendor), twin.credentials(vendor)['api_key'] ?? '']),
          paint,
        ),
        '',
        `Credentials of the others: GET ${twin.url}/_twin`,
        `Faults on demand:          POST ${twin.url}/_twin/faults`,
      ].join('\n'),
    );
    await stopped.ended;
  } finally {
    stopped.forget();
    await twin.close();
  }
}

function placesOf(twin: VendorTwin, vendors: readonly TwinVendor[]): object[] {
  return vendors.map((name) => ({ name, base_url: twin.baseUrl(name), credentials: twin.credentials(name) }));
}

/** The variables that the vendors' SDKs read; with a key for the same SDK that would go ahead of ours taken out. */
function environmentOf(twin: VendorTwin, env: Environment): Record<string, string> {
  const key = (vendor: TwinVendor): string => twin.credentials(vendor)['api_key'] ?? '';
  const { GOOGLE_API_KEY: _, ANTHROPIC_AUTH_TOKEN: __, ...others } = env;
  const kept = Object.entries(others).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...Object.fromEntries(kept),
    TWIN_URL: twin.url,
    OPENAI_BASE_URL: twin.baseUrl('openai'),
    OPENAI_API_KEY: key('openai'),
    ANTHROPIC_BASE_URL: twin.baseUrl('anthropic'),
    ANTHROPIC_API_KEY: key('anthropic'),
    GOOGLE_GEMINI_BASE_URL: twin.baseUrl('gemini'),
    GEMINI_API_KEY: key('gemini'),
  };
}

/** Runs the command to its end, and answers with its exit code. Signals that end the twin end the command first. */
async function runBeside(
  twin: VendorTwin,
  [program = '', ...args]: readonly string[],
  { env, stdin }: Pick<Terminal, 'env' | 'stdin'>,
  stop: AbortSignal,
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: environmentOf(twin, env) });
  const end = (): void => {
    // A terminal tells both of its Ctrl-C; with a second one test runners end without a report.
    if (stop.reason !== 'SIGINT' || !stdin.isTTY) child.kill(stop.reason as NodeJS.Signals);
  };
  stop.addEventListener('abort', end, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new CommandFault(`${program} cannot be started (${codeOf(error)}).`, NOT_FOUND)),
    );
    child.once('exit', (code, signal) => {
      stop.removeEventListener('abort', end);
      resolve(code ?? BY_SIGNAL + constants.signals[signal ?? 'SIGTERM']);
    });
  });
}

interface Stop {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
  readonly forget: () => void;
}

/** Hears of SIGINT and SIGTERM. */
function signalled(): Stop {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (signal: NodeJS.Signals): void => {
    controller.abort(signal);
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return {
    signal: controller.signal,
    ended: promise,
    forget: () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    },
  };
}

function unstarted(error: unknown, host: string, port: number): unknown {
  if (codeOf(error) === 'EADDRINUSE')
    return new StartFault(`port ${port} is in use; --port 0 takes any free one`, { cause: error });
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES'].includes(codeOf(error)))
    return new StartFault(`the twin cannot listen on ${host} port ${port} (${codeOf(error)})`, { cause: error });
  return error;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('it must be a port, or 0 for any free one.');
  return port;
}

function seconds(text: string): number {
  if (!/^\d{1,4}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('it must be a number of seconds.');
  return Number(text);
}

function milliseconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('it must be a whole number of milliseconds.');
  return Number(text);
}
