/** The packed server of tests: packed once for all files of a run, each of which gets a copy of its own. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@model-gateway/testing';

const PACK = fileURLToPath(new URL('pack-server.mjs', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../.test-results/packed', import.meta.url));
const LONGEST_SECONDS = 240;

/** Puts it into a folder, which must not exist. */
export async function copyPackedServer(to: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  // A run has no end at which it could take its own away.
  for (const pid of readdirSync(FOLDER))
    if (!isRunning(Number(pid))) rmSync(join(FOLDER, pid), { recursive: true, force: true });
  // The processes of a run have one parent.
  const own = join(FOLDER, String(process.ppid));
  const outcome = join(own, 'outcome.txt');
  if (isMade(own)) await pack(join(own, 'server'), outcome);
  await until(() => existsSync(outcome), LONGEST_SECONDS);
  const fault = readFileSync(outcome, 'utf8');
  if (fault !== '') throw new Error(fault);
  cpSync(join(own, 'server'), to, { recursive: true });
}

/** Writes down how it went, for others who wait for it: nothing, or what went wrong. */
async function pack(folder: string, outcome: string): Promise<void> {
  const fault = await promisify(execFile)(process.execPath, [PACK, '--out', folder]).then(() => '', String);
  writeFileSync(`${outcome}.part`, fault);
  renameSync(`${outcome}.part`, outcome);
}

/** Whether it was not there before: of several who ask at once, one is told so. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
