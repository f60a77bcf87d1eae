/** The export of usage rows as a part of the server. */
import { randomBytes } from 'node:crypto';
import type { Log, Store } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import type { ExportedMeter } from './meter.ts';

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
