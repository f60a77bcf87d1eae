import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../../apps/console/build.mjs', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../../.test-results/console', import.meta.url));
let built: Promise<string> | undefined;

/** The folder with the console's pages, built of the sources once for all files of a process. Do not change what is in it. */
export function builtConsole(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  // A process has no end at which it could take its own away.
  for (const pid of readdirSync(FOLDER))
    if (!isRunning(Number(pid))) rmSync(join(FOLDER, pid), { recursive: true, force: true });
  const folder = join(FOLDER, String(process.pid));
  await promisify(execFile)(process.execPath, [BUILD, folder]);
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
