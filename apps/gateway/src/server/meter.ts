/** Counters and histograms in Prometheus' text form, by OpenTelemetry's instruments. */
import type { Counter, Histogram } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Meter } from '@model-gateway/core';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];

/** Sets of labels that wait for the page; the instruments have a bound of their own for what comes after. */
const MOST_WAITING = 1000;
const OBSERVED_TOGETHER = 100;

type Labels = Parameters<Meter['count']>[1];

/** OpenTelemetry's buckets for token counts. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

export interface ExportedMeter extends Meter {
  /** The page of /metrics. */
  page(): Promise<string>;
  close(): Promise<void>;
}

/** Makes the meter of one process. */
export function createMeter(): ExportedMeter {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const meter = provider.getMeter('gateway');
  const serializer = new PrometheusSerializer();
  const counters = new Map<string, Counter>();
  /** Counted since the page was last asked for: an instrument sorts and prints its labels every time it is told something. */
  const counted = new Map<string, { readonly name: string; readonly labels: Labels; sum: number }>();
  const tellCounters = (): void => {
    for (const { name, labels, sum } of counted.values()) {
      let counter = counters.get(name);
      if (counter === undefined) counters.set(name, (counter = meter.createCounter(name)));
      counter.add(sum, labels);
    }
    counted.clear();
  };
  const histograms = new Map<string, Histogram>();
  const histogramOf = (name: string): Histogram => {
    let histogram = histograms.get(name);
    if (histogram === undefined) {
      const explicitBucketBoundaries = name.includes('.token.') ? TOKENS : SECONDS;
      histogram = meter.createHistogram(name, { advice: { explicitBucketBoundaries } });
      histograms.set(name, histogram);
    }
    return histogram;
  };
  /** Told many at a time, for the same reason. */
  let observed: { readonly name: string; readonly value: number; readonly labels: Labels }[] = [];
  const tellObserved = (): void => {
    for (const { name, value, labels } of observed) histogramOf(name).record(value, labels);
    observed = [];
  };
  return {
    count(name, labels, by = 1) {
      let which = name;
      for (const label in labels) which += ` ${label}=${labels[label]}`;
      const known = counted.get(which);
      if (known !== undefined) {
        known.sum += by;
        return;
      }
      // Nobody may ever ask for the page.
      if (counted.size >= MOST_WAITING) tellCounters();
      counted.set(which, { name, labels, sum: by });
    },
    observe(name, value, labels) {
      observed.push({ name, value, labels });
      if (observed.length >= OBSERVED_TOGETHER) tellObserved();
    },
    async page() {
      tellCounters();
      tellObserved();
      const { resourceMetrics } = await exporter.collect();
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}
