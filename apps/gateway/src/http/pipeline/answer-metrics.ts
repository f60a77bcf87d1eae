/** What is measured of a generation request when its answer has ended, under OpenTelemetry's GenAI names. */
import { operationOf, perOffer, providerOf, type Meter } from '@model-gateway/core';
import type { Exchange } from '../exchange.ts';

/** Measures nothing where no vendor was asked. `ms` is the time to the end of the answer. */
export function measureAnswer(
  meter: Meter,
  exchange: Exchange,
  { ms, aborted }: { readonly ms: number; readonly aborted: boolean },
): void {
  const { trace, firstByteAt, streamed, startedAt, errorCode } = exchange;
  if (streamed && firstByteAt !== undefined) {
    const route = exchange.match.place.metric;
    meter.observe('gateway_first_byte_seconds', (firstByteAt - startedAt) / 1000, { route });
  }
  if (trace?.row === undefined || trace.offer === undefined) return;
  const { labels, duration, timeToFirst, timePerToken } = seriesOf(meter, trace.row, trace.offer);
  const error = errorCode ?? (aborted ? 'cancelled' : undefined);
  const seconds = ms / 1000;
  if (error !== undefined) {
    meter.observe(DURATION, seconds, { ...labels, 'error.type': error });
    return;
  }
  duration(seconds);
  if (!streamed || firstByteAt === undefined) return;
  const toFirst = (firstByteAt - startedAt) / 1000;
  timeToFirst(toFirst);
  const further = (trace.usage?.outputTokens ?? 0) - 1;
  if (further > 0) timePerToken((seconds - toFirst) / further);
}

const DURATION = 'gen_ai.server.request.duration';

const seriesOf = perOffer((meter, row, offer) => {
  const labels = {
    'gen_ai.operation.name': operationOf(row.kind),
    'gen_ai.provider.name': providerOf(offer?.account),
    // Callers find the names of a wildcard: they make no series.
    'gen_ai.request.model': row.wildcard ?? row.code,
    'gen_ai.response.model': row.wildcard ?? offer?.model ?? row.code,
  };
  return {
    labels,
    duration: meter.series(DURATION, labels),
    timeToFirst: meter.series('gen_ai.server.time_to_first_token', labels),
    timePerToken: meter.series('gen_ai.server.time_per_output_token', labels),
  };
});
