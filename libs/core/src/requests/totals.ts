/** What is counted of requests by minute and by hour, for their owner and for everybody, until it is written. */
import type { RequestRow, RequestTotal, Tenant, TotalOf } from '../ports.ts';
import { binOf } from './percentiles.ts';

const STEPS = { minute: 60_000, hour: 3_600_000 } as const;
const EVERYBODY = 0;
const FIRST_FAILURE = 400;

type Counted = { -readonly [Name in keyof (TotalOf & RequestTotal)]: (TotalOf & RequestTotal)[Name] } & {
  ms: Map<number, number>;
  firstByteMs: Map<number, number>;
};

export interface Totals {
  count(row: RequestRow): void;
  /** What was charged at a time for a request that was counted before. */
  charge(of: Tenant, at: number, units: number): void;
  /** What was counted since the last time. */
  take(): readonly (TotalOf & RequestTotal)[];
  /** What could not be written is counted again. */
  putBack(totals: readonly (TotalOf & RequestTotal)[]): void;
}

/** The first millisecond of the step that a time is in. */
export function stepOf(at: number, size: TotalOf['size']): number {
  return at - (at % STEPS[size]);
}

export function createTotals(): Totals {
  /** Of minutes and their owners alone, by the minute, the mode and the owner: rows come by the thousand, and are looked up once each. */
  let minutes = new Map<number, { readonly live: Map<number, Counted>; readonly test: Map<number, Counted> }>();
  let returned: readonly (TotalOf & RequestTotal)[] = [];

  const totalOf = ({ ownerId, mode }: Tenant, at: number): Counted => {
    const start = stepOf(at, 'minute');
    let minute = minutes.get(start);
    if (minute === undefined) minutes.set(start, (minute = { live: new Map(), test: new Map() }));
    const owners = minute[mode];
    let total = owners.get(ownerId);
    if (total === undefined) {
      total = emptyTotal({ ownerId, mode, size: 'minute', start });
      owners.set(ownerId, total);
    }
    return total;
  };

  return {
    charge(of, at, units) {
      totalOf(of, at).charged += units;
    },
    count(row) {
      const total = totalOf(row, row.at);
      total.requests++;
      if (row.status >= FIRST_FAILURE) total.errors++;
      total.inputTokens += row.inputTokens ?? 0;
      total.cachedInputTokens += row.cachedInputTokens ?? 0;
      total.outputTokens += row.outputTokens ?? 0;
      total.charged += row.charged;
      add(total.ms, binOf(row.ms), 1);
      if (row.streamed && row.firstByteMs !== undefined) add(total.firstByteMs, binOf(row.firstByteMs), 1);
    },
    take() {
      const places = new Map<string, Counted>();
      const addTo = (place: Place, total: RequestTotal): void => {
        const name = `${place.ownerId} ${place.mode} ${place.size} ${place.start}`;
        let known = places.get(name);
        if (known === undefined) places.set(name, (known = emptyTotal(place)));
        addTotal(known, total);
      };
      for (const { live, test } of minutes.values())
        for (const total of [...live.values(), ...test.values()])
          for (const ownerId of [total.ownerId, EVERYBODY])
            for (const size of ['minute', 'hour'] as const)
              addTo({ ownerId, mode: total.mode, size, start: stepOf(total.start, size) }, total);
      for (const total of returned) addTo(total, total);
      minutes = new Map();
      returned = [];
      return [...places.values()];
    },
    putBack(totals) {
      returned = [...returned, ...totals];
    },
  };
}

type Place = TotalOf & Pick<RequestTotal, 'start'>;

function emptyTotal({ ownerId, mode, size, start }: Place): Counted {
  return {
    ...{ ownerId, mode, size, start, requests: 0, errors: 0 },
    ...{ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, charged: 0 },
    ms: new Map(),
    firstByteMs: new Map(),
  };
}

function addTotal(known: Counted, total: RequestTotal): void {
  for (const name of SUMS) known[name] += total[name];
  for (const name of ['ms', 'firstByteMs'] as const)
    for (const [bin, count] of total[name]) add(known[name], bin, count);
}

const SUMS = ['requests', 'errors', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'charged'] as const;

function add(bins: Map<number, number>, bin: number, count: number): void {
  bins.set(bin, (bins.get(bin) ?? 0) + count);
}
