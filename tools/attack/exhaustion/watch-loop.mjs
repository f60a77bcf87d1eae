/** Loaded into the gateway before its program (`--import`): says over the channel to its parent how long its event loop was held up, and its memory. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();
let peak = 0;
const look = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
look.unref();

process.on('message', (message) => {
  if (message !== 'loop') return;
  // What the timer adds itself is no delay.
  const delayMs = Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);
  process.send?.({ delayMs, peakBytes: Math.max(peak, process.memoryUsage.rss()), cpu: process.cpuUsage() });
  histogram.reset();
  peak = 0;
});
// An attack that broke off leaves no gateway behind.
process.once('disconnect', () => process.exit(1));
// The channel alone keeps no gateway alive.
process.channel?.unref();
