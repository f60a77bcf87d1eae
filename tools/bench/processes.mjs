// Processes under measurement: started on a core of their own, read through /proc by their id, stopped by their id.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { memoryMapOf } from './memory-map.mjs';

const START_MS = 30_000;
const STOP_MS = 8_000;
const MICROSECONDS_PER_TICK = 10_000;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** True when the processes under measurement have the first core for themselves and the load the second. */
export const pinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Moves this process, which makes the load and plays the vendor, to the second core. */
export function pinLoad() {
  if (pinned) spawnSync('taskset', ['-apc', '1', String(process.pid)]);
}

/**
 * Starts a program whose output goes to the file `log`; resolves when `ready` matches something in it.
 * The result reads CPU (µs) and memory (bytes) of the process and its children.
 */
export async function startProcess({ name, command, cwd, env, log, ready, profile, cores = '0' }) {
  const output = openSync(log, 'w');
  const [program, ...args] = pinned ? ['taskset', '-c', cores, ...command] : command;
  const nodeOptions = profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` };
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...nodeOptions, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const found = await waitFor(
    () => ready.exec(readFileSync(log, 'utf8')),
    () => child.exitCode !== null,
  );
  if (found === undefined) {
    kill();
    throw new Error(`${name} did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  }
  const { pid } = child;
  return {
    name,
    pid,
    port: Number(found[1]),
    cpu: () => sum(pid, cpuMicroseconds),
    resident: () => sum(pid, (each) => memoryOf(each, 'VmRSS')),
    /** Bytes by kind (memory-map.mjs). */
    memoryMap: () => sumOfMaps(family(pid).map(memoryMapOf)),
    /** The most that was resident since `forgetPeak`. */
    peak: () => sum(pid, (each) => memoryOf(each, 'VmHWM')),
    async stop() {
      process.off('exit', kill);
      child.kill('SIGTERM');
      if ((await Promise.race([gone.then(() => true), pause(STOP_MS)])) !== true) kill();
      await gone;
    },
  };
}

function sumOfMaps(maps) {
  return Object.fromEntries(
    Object.keys(maps[0]).map((kind) => [kind, maps.reduce((total, map) => total + map[kind], 0)]),
  );
}

/** Microseconds of this process and all that it has started, ended or not. */
export function cpuOfThisAndChildren() {
  return sum(process.pid, cpuMicroseconds);
}

async function waitFor(look, isOver) {
  const until = performance.now() + START_MS;
  while (performance.now() < until && !isOver()) {
    const found = look();
    if (found) return found;
    await pause(20);
  }
  return undefined;
}

function sum(pid, read) {
  return family(pid).reduce((total, each) => total + read(each), 0);
}

/** The process and all below it. */
function family(pid) {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  const children = readdirSync(tasks).flatMap((task) => words(readProc(`${tasks}/${task}/children`)));
  return [pid, ...children.flatMap((child) => family(Number(child)))];
}

/** User and system time, of ended children too. */
function cpuMicroseconds(pid) {
  const stat = readProc(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may contain spaces: fields are counted after it.
  const fields = words(stat.slice(stat.lastIndexOf(')') + 1));
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks) * MICROSECONDS_PER_TICK, 0);
}

function memoryOf(pid, field) {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function readProc(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function words(text) {
  return text.split(/\s+/).filter((word) => word !== '');
}
