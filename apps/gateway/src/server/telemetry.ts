/** Exports as a part of the server: opened first and closed last, so that the end is seen too. */
import { VERSION } from '@model-gateway/contracts';
import type { Log, Parts, Store } from '@model-gateway/core';
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { OPEN_METRICS } from '../config/schema.ts';
import { openTelemetry } from '../telemetry/open.ts';
import { SpendMetrics } from '../telemetry/spend-metrics.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ExportedMeter } from './meter.ts';

/** Opens what the configuration exports; undefined where that is nothing. */
export async function openTelemetryOf(
  resources: AsyncDisposableStack,
  { telemetry: settings }: Pick<Config, 'telemetry'>,
): Promise<Telemetry | undefined> {
  const telemetry = await openTelemetry(settings, VERSION);
  if (telemetry !== undefined) resources.defer(() => telemetry.close());
  return telemetry;
}

/** Sends the meter's numbers, and says when a collector cannot be reached: once for each change, whatever is lost meanwhile. */
export function watchExports(telemetry: Telemetry, meter: ExportedMeter, log: Pick<Log, 'info' | 'warn'>): void {
  telemetry.exportMetrics(meter.producer);
  meter.watch(() =>
    telemetry.exports().map(({ signal, outcome, count }) => ({
      name: 'gateway_telemetry_exports_total',
      value: count,
      labels: { signal, outcome },
    })),
  );
  telemetry.onChange(({ signal, outcome, reason }) => {
    if (outcome === 'failed')
      log.warn({ signal, reason }, 'telemetry cannot be exported; what does not fit the queue is dropped');
    else log.info({ signal }, 'telemetry is exported again');
  });
}

export interface SpendMetricsParts {
  readonly config: Pick<Config, 'spendMetrics'>;
  readonly store: Pick<Store, 'owners'>;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: ExportedMeter;
}

/** Counts charges by who spent them, for every page of metrics; undefined where the configuration names no label. */
export function openSpendMetrics(
  resources: AsyncDisposableStack,
  { config, store, now, log, meter }: SpendMetricsParts,
): Parts['spent'] {
  if (config.spendMetrics.labels.length === 0) return undefined;
  const metrics = new SpendMetrics(config.spendMetrics, { owners: store.owners, now, log });
  resources.defer(() => metrics.close());
  meter.watch(() => metrics.readings());
  return metrics.add;
}

/** Said once by a gateway that everybody may read the metrics of. */
export function tellOfNoSpend({ spendMetrics }: Pick<Config, 'spendMetrics'>, log: Pick<Log, 'info'>): void {
  if (spendMetrics.isWithheld !== true) return;
  log.info(
    {},
    `there are no metrics of spend, because the metrics key is '${OPEN_METRICS}' and everybody may read the metrics: to have them, name their labels in telemetry.spend.labels`,
  );
}

export interface UsageExportParts {
  readonly config: Pick<Config, 'usageExport'>;
  readonly store: Pick<Store, 'usageExports'>;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: ExportedMeter;
}

/** Starts the export where one is configured. */
export async function openUsageExport(
  resources: AsyncDisposableStack,
  { config, store, now, log, meter }: UsageExportParts,
): Promise<void> {
  if (config.usageExport === undefined) return;
  const { s3, everyMinutes } = config.usageExport;
  const [{ createUsageExport }, { createBlobS3 }] = await Promise.all([
    import('../telemetry/usage-export.ts'),
    import('./blob-s3.ts'),
  ]);
  const root = s3.prefix === undefined || s3.prefix === '' ? 'usage/' : s3.prefix.replace(/\/*$/, '/');
  const exporting = createUsageExport({
    store: store.usageExports,
    bucket: (folder) => createBlobS3({ bucket: { ...s3, prefix: root + folder }, now }),
    everyMs: everyMinutes * 60_000,
    process: randomBytes(8).toString('hex'),
    now,
    log,
    meter,
  });
  meter.watch(() => [{ name: 'gateway_usage_export_lag_seconds', value: exporting.lagMs() / 1000 }]);
  exporting.start();
  resources.defer(() => exporting.stop());
}
