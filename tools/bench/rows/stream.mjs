// Streams: chunk by chunk at full speed, and how long the first chunk takes when nobody is busy.
import { startClosedLoad, startRatedLoad } from '../load.mjs';
import { streamBytes } from '../requests.mjs';
import { interleave, percentile } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { over } from './latency.mjs';

const STREAMS = 128;
const CHUNKS = 300;
const EVERY_MS = 1;
/** As models write: 50 chunks a second; 40 streams begin in a second and about as many are open. */
const CALM = { rate: 40, chunks: 50, everyMs: 20 };

/** Keeps 128 streams of a target going, or as many as `how` says. */
export function streamVariant({ upstream }, target, model = 'bench-model', name = target.name, how = {}) {
  const { streams = STREAMS, resumable } = how;
  return {
    name,
    target,
    start: () =>
      startClosedLoad({
        port: target.port,
        connections: streams,
        bytes: (id) => streamBytes(target.port, model, { id, chunks: CHUNKS, everyMs: EVERY_MS, resumable }),
        onChunks: upstream.arrived,
      }),
    beforeStop: upstream.endStreams,
  };
}

export const perChunk = ({ chunks, chunkReads, seconds, cpuMicroseconds, ownCpuMicroseconds }) => ({
  perSecond: chunks / seconds,
  cpu: cpuMicroseconds / chunks,
  perRead: chunks / chunkReads,
  targetBusy: (cpuMicroseconds / seconds / 1e6) * 100,
  loadBusy: (ownCpuMicroseconds / seconds / 1e6) * 100,
});

function calmVariant({ upstream }, { name, port }) {
  return {
    name,
    start: () =>
      startRatedLoad({
        port,
        rate: CALM.rate,
        bytes: (id) => streamBytes(port, 'bench-model', { id, ...CALM }),
        onChunks: upstream.arrived,
      }),
    beforeStop: upstream.endStreams,
  };
}

export async function streamRows(context) {
  const { targets, columns, pace } = context;
  const samples = await interleave(
    targets.map((target) => streamVariant(context, target)),
    pace,
    perChunk,
  );
  const row = (fields) => rowOf({ samples, columns, base: 'floor', ...fields });
  return [
    row({ what: 'stream, chunks/s', number: 'perSecond', budget: { least: 0.85 } }),
    row({ what: 'stream, CPU µs/chunk', number: 'cpu', digits: 1 }),
    row({ what: 'stream, chunks per read', number: 'perRead', digits: 2, base: undefined }),
    row({ what: 'stream, its core busy, %', number: 'targetBusy', base: undefined }),
    row({ what: 'stream, the load’s core busy, %', number: 'loadBusy', base: undefined }),
    ...(await firstChunkRows(context)),
  ];
}

async function firstChunkRows(context) {
  const { targets, direct, columns, pace } = context;
  const variants = [direct, ...targets].map((target) => calmVariant(context, target));
  const samples = await interleave(variants, pace, ({ firstChunks }) => ({
    p50: percentile(firstChunks, 0.5),
    p99: percentile(firstChunks, 0.99),
  }));
  const row = (fields) => rowOf({ samples: over(samples, direct.name), columns, digits: 2, ...fields });
  return [
    row({ what: 'first chunk, p50 added to direct, ms', number: 'p50', budget: { most: 1, unit: ' ms' } }),
    row({ what: 'first chunk, p99 added to direct, ms', number: 'p99' }),
  ];
}
