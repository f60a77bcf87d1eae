/** Exports as a part of the server: opened first and closed last, so that the end is seen too. */
import { VERSION } from '@model-gateway/contracts';
import type { Log } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { openTelemetry } from '../telemetry/open.ts';
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
