// What passing through adds to a request's time, at rates that keep nobody busy.
import { startRatedLoad } from '../load.mjs';
import { chatBytes } from '../requests.mjs';
import { interleave, percentile } from '../rounds.mjs';
import { rowOf } from '../table.mjs';

const RATES = [200, 500];

export async function latencyRows({ targets, direct, columns, pace }) {
  const rows = [];
  for (const rate of RATES) {
    const variants = [direct, ...targets].map(({ name, port }) => {
      const request = chatBytes(port, 'bench-model');
      return { name, start: () => startRatedLoad({ port, rate, bytes: () => request }) };
    });
    const samples = await interleave(variants, pace, ({ latencies }) => ({
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    }));
    const added = over(samples, direct.name);
    const row = (fields) => rowOf({ samples: added, columns, digits: 2, ...fields });
    rows.push(
      row({ what: `${rate} requests/s, p50 added to direct, ms`, number: 'p50', budget: { most: 0.6, unit: ' ms' } }),
      row({ what: `${rate} requests/s, p99 added to direct, ms`, number: 'p99', budget: { most: 3, unit: ' ms' } }),
    );
  }
  return rows;
}

/** Every number less what it was directly to the upstream in the same round. */
export function over(samples, direct) {
  const less = (sample, base) =>
    Object.fromEntries(Object.entries(sample).map(([key, value]) => [key, value - base[key]]));
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      list.map((sample, round) => less(sample, samples[direct][round])),
    ]),
  );
}
