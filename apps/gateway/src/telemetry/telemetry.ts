/** What a process says of itself to others: traces, metrics and logs. */
import type { MetricProducer } from '@opentelemetry/sdk-metrics';
import type { RequestTracing } from './request-tracing.ts';
import type { Signal } from './settings.ts';

/** What a process exports. */
export interface Telemetry {
  /** Absent where traces are not exported. */
  readonly tracing?: RequestTracing;
  /** Takes one line of the log as it was written; absent where logs are not exported. */
  readonly logLine?: (line: string) => void;
  /** Sends what the producer says, again and again; does nothing where metrics are not exported. */
  exportMetrics(producer: MetricProducer): void;
  /** How many exports went well or failed so far. */
  exports(): readonly { readonly signal: Signal; readonly outcome: 'sent' | 'failed'; readonly count: number }[];
  /** Told when exports begin to fail, and when they go well again. */
  onChange(told: (change: ExportChange) => void): void;
  /** Sends what waits, within a few seconds. */
  close(): Promise<void>;
}

export interface ExportChange {
  readonly signal: Signal;
  readonly outcome: 'sent' | 'failed';
  /** One word or sentence of the exporter's, without headers. */
  readonly reason: string | undefined;
}
