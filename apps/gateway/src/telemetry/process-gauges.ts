/** What the process says of itself: under OpenTelemetry's names for Node where there are such, else under those that Prometheus' own clients use. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Reading, ReadingSource } from '../server/meter.ts';

const RESOLUTION_MS = 20;
/** Delays are forgotten this often at most: two readers that come side by side must not take each other's. */
const WINDOW_MS = 15_000;
const NS = 1e9;

/** Begins to watch the event loop; 50 looks a second, a few microseconds each. */
export function watchProcess(
  resources: AsyncDisposableStack,
  { version, now }: { readonly version: string; readonly now: () => number },
): ReadingSource {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  resources.defer(() => void delay.disable());
  let windowAt = now();
  let utilization = performance.eventLoopUtilization();
  const startedAt = now() / 1000 - process.uptime();

  return () => {
    const used = performance.eventLoopUtilization();
    const busy = performance.eventLoopUtilization(used, utilization).utilization;
    utilization = used;
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const readings: Reading[] = [
      // Without the resolution itself: what is left is how late the loop was.
      { name: 'nodejs.eventloop.delay.mean', value: late(delay.mean) },
      { name: 'nodejs.eventloop.delay.p99', value: late(delay.percentile(99)) },
      { name: 'nodejs.eventloop.delay.max', value: late(delay.max) },
      { name: 'nodejs.eventloop.utilization', value: Number.isNaN(busy) ? 0 : busy },
      { name: 'process_cpu_seconds_total', value: (user + system) / 1e6 },
      { name: 'process_resident_memory_bytes', value: rss },
      { name: 'process_heap_bytes', value: heapUsed },
      { name: 'process_start_time_seconds', value: startedAt },
      { name: 'gateway_build_info', value: 1, labels: { version, node: process.versions.node } },
      ...openFiles(),
    ];
    if (now() - windowAt >= WINDOW_MS) {
      windowAt = now();
      delay.reset();
    }
    return readings;
  };
}

function late(ns: number): number {
  return Number.isFinite(ns) ? Math.max(0, (ns - RESOLUTION_MS * 1e6) / NS) : 0;
}

function openFiles(): readonly Reading[] {
  try {
    return [{ name: 'process_open_fds', value: readdirSync('/proc/self/fd').length }];
  } catch {
    return [];
  }
}
