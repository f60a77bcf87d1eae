/** A bar on a terminal, and nothing in a pipe. */
import { paintFor } from './output.ts';
import type { Terminal } from './terminal.ts';

const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[2K';

export interface Progress {
  /** `percent` from 0 to 100. */
  show(percent: number, words: string): void;
  /** Takes the bar away, so that what follows begins a line. */
  end(): void;
}

/** Shows how far something is on one line of standard error. In a pipe each change of `words` is a line of its own. */
export function startProgress({ stderr }: Pick<Terminal, 'stderr'>): Progress {
  if (!stderr.isTTY) return lines(stderr);
  const paint = paintFor(stderr);
  return {
    show(percent, words) {
      const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * WIDTH);
      const bar = `${paint('green', '█'.repeat(full))}${paint('dim', '░'.repeat(WIDTH - full))}`;
      stderr.write(`${CLEAR_LINE}${bar} ${String(Math.round(percent)).padStart(3)}% ${words}`);
    },
    end: () => void stderr.write(CLEAR_LINE),
  };
}

function lines(stderr: NodeJS.WritableStream): Progress {
  let last: string | undefined;
  return {
    show(percent, words) {
      const line = `${Math.round(percent)}% ${words}`;
      if (line !== last) stderr.write(`${line}\n`);
      last = line;
    },
    end: () => undefined,
  };
}
