/** OpenTelemetry's exporters, opened only where something is to be exported: they take 15 MB that others keep. */
import type { TelemetrySettings } from './settings.ts';
import type { Telemetry } from './telemetry.ts';

/** Opens the exporters of the settings; undefined where there is nothing to export. */
export async function openTelemetry(
  settings: TelemetrySettings | undefined,
  version: string,
): Promise<Telemetry | undefined> {
  if (settings === undefined) return undefined;
  const { openExporters } = await import('./exporters.ts');
  return openExporters(settings, version);
}
