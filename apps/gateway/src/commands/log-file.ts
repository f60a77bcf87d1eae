/** Reading a log that somebody else writes: its end, and what is added to it. */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createLinePrinter } from '../server/terminal-log.ts';
import { CommandFault } from './command-fault.ts';

const LOOK_EVERY_MS = 250;
const PIECE = 64 * 1024;
const LINE_END = 0x0a;

export interface ReadOptions {
  /** How many lines to begin with. */
  readonly last: number;
  /** Whether what is added comes too; then it ends with `signal` only. */
  readonly follow: boolean;
  readonly signal?: AbortSignal;
}

/** What prints a line: as it is, or for people. What is no line of a log is printed as it is. */
export async function linePrinter(asItIs: boolean, colours: boolean): Promise<(line: string) => string> {
  if (asItIs) return (line) => `${line}\n`;
  const print = await createLinePrinter(colours);
  return (line) => {
    try {
      return print(line);
    } catch {
      return `${line}\n`;
    }
  };
}

/** The lines of a stream. */
export function readLines(stream: NodeJS.ReadableStream): AsyncIterable<string> {
  return createInterface({ input: stream, crlfDelay: Infinity });
}

/** The last lines of a file, then with `follow` every new one, also of the file that takes its place. Throws CommandFault when there is none. */
export async function* readLog(path: string, { last, follow, signal }: ReadOptions): AsyncGenerator<string> {
  let file = await opened(path);
  try {
    let at = await startOfLast(file, last);
    let rest = Buffer.alloc(0);
    for (;;) {
      const { piece, next } = await readFrom(file, at);
      at = next;
      const { lines, left } = cut(Buffer.concat([rest, piece]));
      rest = left;
      yield* lines;
      if (piece.length > 0) continue;
      if (!follow || signal?.aborted === true) {
        if (rest.length > 0) yield rest.toString();
        return;
      }
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      const replaced = await replacement(path, file, at);
      if (replaced === undefined) continue;
      await file.close();
      [file, at, rest] = [replaced, 0, Buffer.alloc(0)];
    }
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new CommandFault(
      `The log ${path} cannot be read (${code}); a gateway that is started with this log file writes it.`,
    );
  }
}

async function readFrom(file: FileHandle, at: number): Promise<{ readonly piece: Buffer; readonly next: number }> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE), 0, PIECE, at);
  return { piece: buffer.subarray(0, bytesRead), next: at + bytesRead };
}

function cut(bytes: Buffer): { readonly lines: readonly string[]; readonly left: Buffer<ArrayBuffer> } {
  const end = bytes.lastIndexOf(LINE_END) + 1;
  const lines =
    end === 0
      ? []
      : bytes
          .subarray(0, end - 1)
          .toString()
          .split('\n');
  return { lines, left: Buffer.from(bytes.subarray(end)) };
}

/** Where the last so many lines begin; read from behind, so that a long log takes no longer. */
async function startOfLast(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat();
  let found = 0;
  for (let end = size; end > 0; end -= PIECE) {
    const from = Math.max(0, end - PIECE);
    const { buffer } = await file.read(Buffer.alloc(end - from), 0, end - from, from);
    for (let at = buffer.length - 1; at >= 0; at--) {
      // The end of the last line begins none.
      if (buffer[at] !== LINE_END || from + at === size - 1) continue;
      if (++found === lines || lines === 0) return lines === 0 ? size : from + at + 1;
    }
  }
  return lines === 0 ? size : 0;
}

/** The file that is there now, when it is another one or was emptied. */
async function replacement(path: string, file: FileHandle, at: number): Promise<FileHandle | undefined> {
  const now = await stat(path).catch(() => undefined);
  if (now === undefined) return undefined;
  const before = await file.stat();
  return now.ino !== before.ino || now.size < at ? opened(path) : undefined;
}
