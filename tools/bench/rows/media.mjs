// A chat with 60 MB of picture in it: how long nobody else is answered, and what fifty of them at once keep in memory.
import { newCounts, openConnection } from '../connection.mjs';
import { startRatedLoad } from '../load.mjs';
import { pause } from '../processes.mjs';
import { healthBytes, mediaBytes } from '../requests.mjs';
import { rowOf } from '../table.mjs';

const MEGABYTES = 60;
const PROBES_PER_SECOND = 200;
const AT_ONCE = 50;
const SETTLE_MS = 300;

export async function mediaRows({ targets, gateways, columns, pace, isQuick, startFresh }) {
  const samples = Object.fromEntries(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < pace.rounds; round++)
    for (const target of targets) samples[target.name].push(await blocked(target));
  const rows = [
    rowOf({
      what: `${MEGABYTES} MB body, longest wait of others, ms`,
      samples,
      number: 'longest',
      columns,
      budget: { most: 300, unit: ' ms' },
    }),
    rowOf({ what: `${MEGABYTES} MB body, its own time, ms`, samples, number: 'own', columns }),
  ];
  if (isQuick) return rows;
  const peaks = {};
  for (const { name } of gateways) peaks[name] = [await parallel(await startFresh[name]())];
  rows.push(
    rowOf({
      what: `${AT_ONCE} × ${MEGABYTES} MB at once, peak MB`,
      samples: peaks,
      number: 'peak',
      columns,
      budget: { most: 2048, unit: ' MB' },
    }),
    rowOf({ what: `${AT_ONCE} × ${MEGABYTES} MB at once, answered 200`, samples: peaks, number: 'answered', columns }),
  );
  return rows;
}

/** Health checks every 5 ms while the body goes through: the slowest one waited as long as the event loop was blocked. */
async function blocked({ name, port }) {
  const body = mediaBytes(port, 'bench-model', MEGABYTES);
  const health = healthBytes(port);
  const probes = startRatedLoad({ port, rate: PROBES_PER_SECOND, bytes: () => health });
  await pause(SETTLE_MS);
  const counts = newCounts();
  const from = probes.counts.latencies.length;
  const own = await sendAll(port, counts, body, 1);
  await probes.stop();
  if (counts.errors > 0) throw new Error(`${name}: a body of ${MEGABYTES} MB was refused`);
  return { longest: Math.max(...probes.counts.latencies.slice(from)), own };
}

async function parallel(target) {
  const counts = newCounts();
  await sendAll(target.port, counts, mediaBytes(target.port, 'bench-model', MEGABYTES), AT_ONCE);
  const peak = target.peak() / 1024 / 1024;
  await target.stop();
  return { peak, answered: AT_ONCE - counts.errors };
}

async function sendAll(port, counts, body, times) {
  const started = performance.now();
  await Promise.all(
    Array.from({ length: times }, () => {
      const connection = openConnection(port, counts);
      return new Promise((resolve) => connection.send(body, resolve)).then(connection.close);
    }),
  );
  return performance.now() - started;
}
