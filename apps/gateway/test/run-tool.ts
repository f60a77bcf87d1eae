/** A program of tools/ as its own process, as operators start it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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
  const [code] = (await once(run, 'close')) as [number | null];
  return { code, said };
}
