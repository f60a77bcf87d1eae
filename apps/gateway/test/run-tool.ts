/** A program of tools/ as its own process, as operators start it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** How long what an ended tool has printed may take to be read. */
const LONGEST_DRAIN_MS = 5_000;

export interface ToolRun {
  readonly code: number | null;
  /** What it printed on both streams, in the order it came. */
  readonly said: string;
}

/** Runs `tool`, a path below tools/, to its end. */
export async function runTool(tool: string, ...args: readonly string[]): Promise<ToolRun> {
  const path = fileURLToPath(new URL(`../../../tools/${tool}`, import.meta.url));
  const run = spawn(process.execPath, ['--no-warnings', path, ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  run.stdout.on('data', (chunk) => (said += String(chunk)));
  run.stderr.on('data', (chunk) => (said += String(chunk)));
  const closed = once(run, 'close');
  const [code] = (await once(run, 'exit')) as [number | null];
  // A process that the tool left behind may hold its pipes: what the tool said is told all the same.
  await Promise.race([closed, setTimeout(LONGEST_DRAIN_MS, undefined, { ref: false })]);
  run.stdout.destroy();
  run.stderr.destroy();
  return { code, said };
}
