/**
 * Loaded into the gateway's process by cuts.mjs: says how long its event loop was held up, and what is alive in memory. Between two looks
 * the loop was held up by the gateway no longer than its thread had the processor; the rest of the time others had it.
 */
const EVERY_MS = 2;
let ticks = [];
let at = performance.now();
let used = cpuMs();
setInterval(() => {
  const [now, cpu] = [performance.now(), cpuMs()];
  ticks.push({ wall: now - at, own: Math.min(now - at, cpu - used) });
  [at, used] = [now, cpu];
}, EVERY_MS).unref();

process.on('message', (message) => {
  const seen = { wall: percentiles('wall'), own: percentiles('own') };
  if (message === 'collect') globalThis.gc?.();
  process.send?.({ ...seen, heapMb: process.memoryUsage().heapUsed / 1024 / 1024 });
  if (message === 'read') return;
  // What this look itself took is not the gateway's own delay.
  setImmediate(() => {
    [ticks, at, used] = [[], performance.now(), cpuMs()];
  });
});
process.channel?.unref();

function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function percentiles(name) {
  const sorted = ticks.map((tick) => tick[name]).sort((a, b) => a - b);
  const of = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: of(0.5), p99: of(0.99), max: of(1), looks: sorted.length };
}
