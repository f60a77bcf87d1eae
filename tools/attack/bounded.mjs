/** One attack in a process of its own, which may take so long and so much: what is attacked may hang, or eat all there is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

const LONGEST_MS = 120_000;
const MOST_BYTES = 4 * 1024 ** 3;
const LOOK_MS = 250;
const PAGE_BYTES = 4096;

/** Runs `node <args>`; resolves with what it said, and what ended it if it did not end itself. */
export async function runBounded(args) {
  // A group of its own: whatever it has started goes with it.
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let said = '';
  let cut;
  child.stdout.on('data', (chunk) => (said += String(chunk)));
  const end = (why) => {
    cut ??= why;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  };
  const clock = setTimeout(() => end(`no end after ${LONGEST_MS / 1000} s`), LONGEST_MS);
  const look = setInterval(() => {
    if (bytesOfGroup(child.pid) > MOST_BYTES) end(`more than ${MOST_BYTES / 1024 ** 3} GB of memory`);
  }, LOOK_MS);
  await once(child, 'close');
  clearTimeout(clock);
  clearInterval(look);
  return { said, cut };
}

/** Resident memory of all processes of the group. */
function bytesOfGroup(group) {
  let sum = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, , of] = readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(of) === group) sum += Number(readFileSync(`/proc/${id}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}
