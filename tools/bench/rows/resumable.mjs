// Streams that can be resumed, beside the same streams that cannot. A version that knows none of them sends both alike.
import { interleave } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { perChunk, streamVariant } from './stream.mjs';

/** Fewer than one owner may have, with those whose end is being written down. */
const STREAMS = 48;

export async function resumableRows(context) {
  const { gateways, pace } = context;
  const samples = await interleave(
    gateways.flatMap((target) => [
      streamVariant(context, target, 'bench-model', target.name, { streams: STREAMS }),
      streamVariant(context, target, 'bench-model', `${target.name} resumable`, { streams: STREAMS, resumable: true }),
    ]),
    pace,
    perChunk,
  );
  const columns = { before: 'before resumable', now: 'now resumable' };
  const row = (fields) => rowOf({ samples, columns, number: 'cpu', base: 'now', digits: 1, ...fields });
  return [row({ what: 'resumable stream, CPU µs/chunk, against a plain one', budget: { most: 1.3 } })];
}
