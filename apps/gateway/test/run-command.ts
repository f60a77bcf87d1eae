/** `gateway …` in this process, on a terminal that only the test sees; or as the process that people start. */
import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { run } from '../src/commands/program.ts';

const program = fileURLToPath(new URL('../bin/gateway.mjs', import.meta.url));

/** What a command said, and how it ended. */
export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed, or comes through a pipe. */
  readonly input?: string;
  /** Whether people sit there: both ends are a terminal. */
  readonly tty?: boolean;
  readonly now?: () => number;
}

/** Runs a command in this process. */
export async function runCommand(
  line: readonly string[],
  { env = {}, input = '', tty = false, now = Date.now }: Surroundings = {},
): Promise<Said> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  for (const stream of [stdin, stdout, stderr]) Object.assign(stream, { isTTY: tty, columns: 80 });
  let code: number | null = 0;
  const [said, told] = [collected(stdout), collected(stderr)];
  if (tty) typed(input, stdin, stdout, stderr);
  else stdin.end(input);
  await run(
    {
      env: { XDG_CONFIG_HOME: '/nowhere', ...env },
      now,
      isTerminal: tty,
      out: (text) => stdout.write(`${text}\n`),
      exitWith: (status) => void (code = status),
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: stderr as unknown as NodeJS.WriteStream,
    },
    line,
  );
  stdin.end();
  return { code, out: said(), error: told() };
}

/** Starts the program itself, with nothing of this process' settings. */
export async function startCommand(
  line: readonly string[],
  { env = {}, input = '' }: Pick<Surroundings, 'env' | 'input'> = {},
): Promise<Said> {
  const child = spawn(process.execPath, ['--no-warnings', program, ...line], {
    env: { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: '/nowhere', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [said, told] = [collected(child.stdout), collected(child.stderr)];
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, out: said(), error: told() };
}

function collected(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => void pieces.push(piece));
  return () => Buffer.concat(pieces).toString();
}

/** A line each time that something is asked: what is typed ahead is not lost between two questions. */
function typed(input: string, stdin: PassThrough, ...asking: readonly PassThrough[]): void {
  const lines = input.split('\n');
  for (const stream of asking)
    stream.on('data', (piece: Buffer) => {
      if (!/(: |> )$/.test(stripVTControlCharacters(piece.toString()))) return;
      const next = lines.shift();
      if (next !== undefined) setImmediate(() => stdin.write(`${next}\r`));
    });
}
