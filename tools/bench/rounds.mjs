// Interleaved rounds: all variants in turn, so that what else the machine does falls on all of them alike.
import { pause } from './processes.mjs';

const SETTLE_MS = 400;

/**
 * Measures every variant in each round. A variant is `{ name, target?, start() }`; `start` begins its load.
 * `read(window)` makes the numbers of one round. Gives `{ [name]: [numbers, …] }`, one per round.
 */
export async function interleave(variants, { rounds, seconds, warmSeconds }, read) {
  const samples = Object.fromEntries(variants.map(({ name }) => [name, []]));
  for (const variant of variants) await measure(variant, warmSeconds);
  for (let round = 0; round < rounds; round++) {
    for (const variant of round % 2 === 0 ? variants : [...variants].reverse())
      samples[variant.name].push(read(await measure(variant, seconds)));
  }
  return samples;
}

/** What happened in a window of a load that was running before and goes on after. */
async function measure({ name, target, start, beforeStop }, seconds) {
  const load = start();
  await pause(SETTLE_MS);
  const before = look(load, target);
  await pause(seconds * 1000);
  const after = look(load, target);
  const stopped = load.stop();
  await beforeStop?.();
  await stopped;
  const { counts } = load;
  if (counts.errors > 0) throw new Error(`${name}: ${counts.errors} of ${counts.requests} requests failed`);
  const between = (key) => after[key] - before[key];
  return {
    seconds: between('at') / 1000,
    requests: between('requests'),
    chunks: between('chunks'),
    chunkReads: between('chunkReads'),
    cpuMicroseconds: between('cpu'),
    ownCpuMicroseconds: between('ownCpu'),
    latencies: counts.latencies.slice(before.latencies, after.latencies),
    firstChunks: counts.firstChunks.slice(before.firstChunks, after.firstChunks),
  };
}

function look({ counts }, target) {
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    requests: counts.requests,
    chunks: counts.chunks,
    chunkReads: counts.chunkReads,
    latencies: counts.latencies.length,
    firstChunks: counts.firstChunks.length,
    cpu: target?.cpu() ?? 0,
    ownCpu: user + system,
  };
}

/** The value below which `share` of the numbers lie. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (numbers) => percentile(numbers, 0.5);
