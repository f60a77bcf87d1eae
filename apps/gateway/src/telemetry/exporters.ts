/** The exporters themselves. Only `telemetry.ts` loads this file, and only where something is exported. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SeverityNumber,
  trace,
  TraceFlags,
  type Attributes,
} from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { createRequestTracing } from './request-tracing.ts';
import type { Sampling, Signal, Target, TelemetrySettings } from './settings.ts';
import type { ExportChange, Telemetry } from './telemetry.ts';

const SCOPE = 'model-gateway';
/** A collector that is not there does not hold the end of the process up for longer. */
const CLOSE_MS = 3_000;
/** Exports at the same time: what waits for a slow collector is bounded by this and the queue. */
const AT_ONCE = 2;

export function openExporters(settings: TelemetrySettings, version: string): Telemetry {
  const { targets, queue, contentLimit } = settings;
  const resource = resourceFromAttributes({
    // Several processes of one service count for themselves.
    'service.instance.id': randomUUID(),
    ...settings.attributes,
    'service.name': settings.service,
    'service.version': version,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
  });
  const counts = new Map<string, number>();
  const last = new Map<Signal, ExportChange['outcome']>();
  const listeners: ((change: ExportChange) => void)[] = [];
  const closing: (() => Promise<void>)[] = [];

  const tell = (signal: Signal, error: Error | undefined, isGood: boolean): void => {
    const outcome = isGood ? 'sent' : 'failed';
    const name = `${signal} ${outcome}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const before = last.get(signal);
    last.set(signal, outcome);
    if (before === outcome || (before === undefined && isGood)) return;
    for (const told of listeners) told({ signal, outcome, reason: error?.message });
  };
  const watched = <T, E extends Exporter<T>>(signal: Signal, exporter: E): E => {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        tell(signal, result.error, result.code === 0);
        done(result);
      });
    return exporter;
  };
  const batch = {
    maxQueueSize: queue.most,
    maxExportBatchSize: Math.min(queue.together, queue.most),
    scheduledDelayMillis: queue.delayMs,
  };

  const openTraces = (target: Target): Pick<Telemetry, 'tracing'> => {
    const exporter = watched('traces', new OTLPTraceExporter(optionsOf(target)));
    const provider = new TracerProvider({
      resource,
      sampler: samplerOf(settings.sampling),
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: target.timeoutMs, ...batch })],
    });
    closing.push(() => provider.shutdown());
    return { tracing: createRequestTracing(provider.getTracer(SCOPE, version), contentLimit) };
  };
  const openLogs = (target: Target): Pick<Telemetry, 'logLine'> => {
    const exporter = watched('logs', new OTLPLogExporter(optionsOf(target)));
    const processor = new BatchLogRecordProcessor({ exporter, exportTimeoutMillis: target.timeoutMs, ...batch });
    const provider = new LoggerProvider({ resource, processors: [processor] });
    closing.push(() => provider.shutdown());
    return { logLine: lineTaker(provider, version) };
  };

  return {
    ...(targets.traces !== undefined && openTraces(targets.traces)),
    ...(targets.logs !== undefined && openLogs(targets.logs)),
    exportMetrics(producer) {
      if (targets.metrics === undefined) return;
      closing.push(startMetrics(targets.metrics, { settings, resource, producer, watched }));
    },
    exports: () =>
      [...counts].map(([name, count]) => {
        const [signal, outcome] = name.split(' ') as [Signal, ExportChange['outcome']];
        return { signal, outcome, count };
      }),
    onChange: (told) => void listeners.push(told),
    async close() {
      const over = new AbortController();
      const closed = Promise.allSettled(closing.map((close) => close()));
      await Promise.race([closed, wait(CLOSE_MS, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
    },
  };
}

interface Exporter<T> {
  export(items: T, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

interface MetricsOptions {
  readonly settings: Pick<TelemetrySettings, 'metricsEveryMs'>;
  readonly resource: Resource;
  readonly producer: Parameters<Telemetry['exportMetrics']>[0];
  readonly watched: <T, E extends Exporter<T>>(signal: Signal, exporter: E) => E;
}

function startMetrics(target: Target, { settings, resource, producer, watched }: MetricsOptions): () => Promise<void> {
  const reader = new PeriodicExportingMetricReader({
    exporter: watched('metrics', new OTLPMetricExporter(optionsOf(target))),
    exportIntervalMillis: settings.metricsEveryMs,
    exportTimeoutMillis: Math.min(target.timeoutMs, settings.metricsEveryMs),
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

function optionsOf({ url, headers, timeoutMs }: Target) {
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs, concurrencyLimit: AT_ONCE };
}

function samplerOf({ share, byParent }: Sampling): Sampler {
  const root =
    share >= 1 ? new AlwaysOnSampler() : share <= 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
  return byParent ? new ParentBasedSampler({ root }) : root;
}

/** pino's levels by their numbers. */
const SEVERITIES: Readonly<Record<number, { readonly number: SeverityNumber; readonly text: string }>> = {
  10: { number: SeverityNumber.TRACE, text: 'TRACE' },
  20: { number: SeverityNumber.DEBUG, text: 'DEBUG' },
  30: { number: SeverityNumber.INFO, text: 'INFO' },
  40: { number: SeverityNumber.WARN, text: 'WARN' },
  50: { number: SeverityNumber.ERROR, text: 'ERROR' },
  60: { number: SeverityNumber.FATAL, text: 'FATAL' },
};

/** A line as pino writes it. */
interface LogLine extends Attributes {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly trace_id?: string;
  readonly span_id?: string;
}

function lineTaker(provider: LoggerProvider, version: string): (line: string) => void {
  const logger = provider.getLogger(SCOPE, version);
  return (line) => {
    const { level, time, msg, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as LogLine;
    const { trace_id: traceId = '', span_id: spanId = '', ...attributes } = rest;
    const severity = SEVERITIES[level];
    const span = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
    logger.emit({
      timestamp: time,
      ...(severity !== undefined && { severityNumber: severity.number, severityText: severity.text }),
      body: msg,
      attributes,
      context: isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT,
    });
  };
}
