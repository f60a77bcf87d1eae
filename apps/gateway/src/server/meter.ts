/** Counters, histograms and gauges: tallied here, printed for Prometheus and carried by OTLP by OpenTelemetry. */
import { ValueType, type HrTime } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { GaugeMeter, Meter } from '@model-gateway/core';
import { METRICS, type MetricInfo } from '../telemetry/metrics.ts';

/** Sets of labels of one name; what comes after shares one, named as OpenTelemetry names it. */
const MOST_SERIES = 2000;
const OVERFLOW = { 'otel.metric.overflow': 'true' };
const USUAL_BOUNDS = METRICS['gateway_request_seconds']?.bounds ?? [];

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
  /** Values as they are now, which may fall. */
  isGauge?: boolean;
}

/** What is looked at when somebody asks: a gauge, or a counter that somebody else keeps. */
export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly labels?: Labels;
}
/** Called for every page; what it cannot read is left out of the page. */
export type ReadingSource = () => readonly Reading[] | Promise<readonly Reading[]>;

export interface ExportedMeter extends GaugeMeter {
  /** Adds what is read anew for every page. */
  watch(source: ReadingSource): void;
  /** The page of /metrics. */
  page(): Promise<string>;
  /** The same for OTLP. */
  readonly producer: MetricProducer;
  close(): Promise<void>;
}

/**
 * Makes the meter of one process. OpenTelemetry's own instruments sort and print the labels at each call, several times for each request;
 * its data model and its printer take what was tallied just as well.
 */
export function createMeter(now: () => number): ExportedMeter {
  // These measure nothing: they know what the page says of the process itself (`target_info`).
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  const tallies = new Map<string, Tally>();
  const sources: ReadingSource[] = [];
  const startedAt = now();

  const tallyOf = (name: string, bounds: readonly number[]): Tally => {
    const tally: Tally = { name, bounds, series: new Map() };
    tallies.set(name, tally);
    return tally;
  };
  const seriesOf = (tally: Tally, labels: Labels = {}): Series => {
    let which = '';
    for (const label in labels) which += `${label}=${labels[label]}\n`;
    return tally.series.get(which) ?? newSeries(tally, which, labels);
  };
  const collect = async (): Promise<ResourceMetrics> => {
    const [{ resourceMetrics }, ...readings] = await Promise.all([exporter.collect(), ...sources.map(read)]);
    const times: Times = { startTime: hrTime(startedAt), endTime: hrTime(now()) };
    const metrics = [
      ...[...tallies.values()].map((tally) => tallied(tally, times)),
      ...readingsByName(readings.flat()).map((same) => readNow(same, times)),
    ];
    const seen = new Set(metrics.map(({ descriptor }) => descriptor.name));
    // Who reads the page is told of every metric, also of those that nothing was counted of yet.
    for (const name of Object.keys(METRICS)) if (!seen.has(name)) metrics.push(empty(name));
    return { ...resourceMetrics, scopeMetrics: [{ scope: { name: 'gateway' }, metrics }] };
  };

  const counter = (name: string): Tally => tallies.get(name) ?? tallyOf(name, []);
  const histogram = (name: string): Tally => tallies.get(name) ?? tallyOf(name, METRICS[name]?.bounds ?? USUAL_BOUNDS);

  return {
    count(name, labels, by = 1) {
      seriesOf(counter(name), labels).sum += by;
    },
    observe(name, value, labels) {
      const tally = histogram(name);
      observed(seriesOf(tally, labels), tally.bounds, value);
    },
    series(name, labels) {
      const tally = METRICS[name]?.kind === 'histogram' ? histogram(name) : counter(name);
      let series: Series | undefined;
      return (value) => {
        series ??= seriesOf(tally, labels);
        if (tally.bounds.length === 0) series.sum += value;
        else observed(series, tally.bounds, value);
      };
    },
    watch: (source) => void sources.push(source),
    page: async () => serializer.serialize(await collect()),
    producer: { collect: async () => ({ resourceMetrics: await collect(), errors: [] }) },
    gauge(name, value, labels) {
      const tally = tallies.get(name) ?? tallyOf(name, []);
      tally.isGauge = true;
      seriesOf(tally, labels).sum = value;
    },
    close: () => provider.shutdown(),
  };
}

function observed(series: Series, bounds: readonly number[], value: number): void {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
  series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  series.sum += value;
  series.count++;
}

/** One source that fails costs its own readings only. */
async function read(source: ReadingSource): Promise<readonly Reading[]> {
  try {
    return await source();
  } catch {
    return [];
  }
}

function readingsByName(readings: readonly Reading[]): readonly (readonly Reading[])[] {
  return [...Map.groupBy(readings, ({ name }) => name).values()];
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

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];
}

const UNKNOWN: Pick<MetricInfo, 'description' | 'unit'> = { description: '', unit: '' };

function descriptorOf(name: string): MetricData['descriptor'] {
  const { description, unit } = METRICS[name] ?? UNKNOWN;
  return { name, description, unit, valueType: ValueType.DOUBLE };
}

const aggregationTemporality = AggregationTemporality.CUMULATIVE;

function tallied({ name, bounds, series, isGauge = false }: Tally, times: Times): MetricData {
  const descriptor = descriptorOf(name);
  const points = <T>(value: (series: Series) => T): DataPoint<T>[] =>
    [...series.values()].map((each) => ({ attributes: each.labels, ...times, value: value(each) }));
  if (isGauge) {
    const dataPoints = points(({ sum }) => sum);
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
  }
  if (bounds.length === 0) {
    const dataPoints = points(({ sum }) => sum);
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  }
  const dataPoints = points(({ sum, count, buckets }): Histogram => ({
    sum,
    count,
    buckets: { boundaries: [...bounds], counts: [...buckets] },
  }));
  return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints };
}

function empty(name: string): MetricData {
  const descriptor = descriptorOf(name);
  const none = { descriptor, aggregationTemporality, dataPoints: [] };
  const { kind } = METRICS[name] ?? {};
  if (kind === 'histogram') return { ...none, dataPointType: DataPointType.HISTOGRAM };
  return kind === 'gauge'
    ? { ...none, dataPointType: DataPointType.GAUGE }
    : { ...none, dataPointType: DataPointType.SUM, isMonotonic: true };
}

function readNow(readings: readonly Reading[], times: Times): MetricData {
  const name = readings[0]?.name ?? '';
  const descriptor = descriptorOf(name);
  const dataPoints = readings.map(({ value, labels = {} }) => ({ attributes: labels, ...times, value }));
  if (METRICS[name]?.kind === 'counter')
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
}
