// What was measured on, without names.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { cpuOfThisAndChildren, pinned } from './processes.mjs';

const MICROSECONDS_PER_TICK = 10_000;

/** Processor, cores and Node. */
export function machine() {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const cores = pinned ? 'each target alone on one core, load and upstream on another' : 'not pinned to cores';
  return `${cpus().length}-core machine, ${model}, Node ${process.versions.node}; ${cores}`;
}

/** Starts to watch; the result says how much of the machine's CPU time other processes have used since. */
export function watchOthers() {
  const before = look();
  return () => {
    const after = look();
    const others = after.busy - before.busy - (after.ours - before.ours);
    const percent = (Math.max(0, others) / (after.total - before.total)) * 100;
    return `Other processes used ${percent.toFixed(0)} % of the machine`;
  };
}

function look() {
  const [user, nice, system, ...rest] = /^cpu +(.*)$/m
    .exec(readFileSync('/proc/stat', 'utf8'))[1]
    .split(' ')
    .slice(0, 8)
    .map((ticks) => Number(ticks) * MICROSECONDS_PER_TICK);
  // Interrupts are nobody's.
  const busy = user + nice + system;
  return { busy, total: rest.reduce((sum, each) => sum + each, busy), ours: cpuOfThisAndChildren() };
}
