/** Counters and histograms in Prometheus' text form: tallied here, printed by OpenTelemetry. */
import { ValueType, type HrTime } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Meter } from '@model-gateway/core';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];
/** OpenTelemetry's buckets for token counts. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Sets of labels of one name; what comes after shares one, named as OpenTelemetry names it. */
const MOST_SERIES = 2000;
const OVERFLOW = { 'otel.metric.overflow': 'true' };

type Labels = NonNullable<Parameters<Meter['count']>[1]>;

interface Series {
  readonly labels: Labels;
  sum: number;
  count: number;
  /** Of a histogram: how many were at most each bound, and more than the one before; the last are above all. */
  readonly buckets: number[];
}
interface Tally {
  readonly name: string;
  /** None: a counter. */
  readonly bounds: readonly number[];
  readonly series: Map<string, Series>;
}

export interface ExportedMeter extends Meter {
  /** The page of /metrics. */
  page(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Makes the meter of one process. OpenTelemetry's own instruments sort and print the labels at each call, several times for each request;
 * its data model and its printer take what was tallied just as well.
 */
export function createMeter(): ExportedMeter {
  // These measure nothing: they know what the page says of the process itself (`target_info`).
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const serializer = new PrometheusSerializer();
  const tallies = new Map<string, Tally>();

  const seriesOf = (name: string, labels: Labels = {}, bounds: readonly number[] = []): Series => {
    let tally = tallies.get(name);
    if (tally === undefined) tallies.set(name, (tally = { name, bounds, series: new Map() }));
    let which = '';
    for (const label in labels) which += `${label}=${labels[label]}\n`;
    return tally.series.get(which) ?? newSeries(tally, which, labels);
  };

  return {
    count(name, labels, by = 1) {
      seriesOf(name, labels).sum += by;
    },
    observe(name, value, labels) {
      const bounds = name.includes('.token.') ? TOKENS : SECONDS;
      const series = seriesOf(name, labels, bounds);
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
      series.buckets[at] = (series.buckets[at] ?? 0) + 1;
      series.sum += value;
      series.count++;
    },
    async page() {
      const { resourceMetrics } = await exporter.collect();
      const metrics = [...tallies.values()].map(dataOf);
      return serializer.serialize({ ...resourceMetrics, scopeMetrics: [{ scope: { name: 'gateway' }, metrics }] });
    },
    close: () => provider.shutdown(),
  };
}

function newSeries({ series, bounds }: Tally, which: string, labels: Labels): Series {
  const isFull = series.size >= MOST_SERIES - 1;
  const name = isFull ? '' : which;
  const fresh = series.get(name) ?? {
    labels: isFull ? OVERFLOW : labels,
    sum: 0,
    count: 0,
    buckets: bounds.length === 0 ? [] : Array<number>(bounds.length + 1).fill(0),
  };
  series.set(name, fresh);
  return fresh;
}

/** The printer of Prometheus' text looks at no times. */
const NO_TIME: HrTime = [0, 0];

function dataOf({ name, bounds, series }: Tally): MetricData {
  const descriptor = { name, description: '', unit: '', valueType: ValueType.DOUBLE };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const points = <T>(value: (series: Series) => T): DataPoint<T>[] =>
    [...series.values()].map((each) => ({
      attributes: each.labels,
      startTime: NO_TIME,
      endTime: NO_TIME,
      value: value(each),
    }));
  if (bounds.length === 0) {
    const dataPoints = points(({ sum }) => sum);
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  }
  const dataPoints = points(({ sum, count, buckets }): Histogram => ({
    sum,
    count,
    buckets: { boundaries: [...bounds], counts: buckets },
  }));
  return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}
