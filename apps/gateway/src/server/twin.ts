/** The built-in vendor twin of a deployment: answers test keys always, and live keys while no account has credentials. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';

export interface EmbeddedTwinOptions {
  readonly folder: string;
  readonly preferredPort: number;
  readonly videoSeconds: number;
  readonly mediaUrl: () => string;
  readonly clock: () => number;
}

/** Starts the twin on a steady port where it can, so that links and jobs outlive a restart. */
export async function startEmbeddedTwin(options: EmbeddedTwinOptions): Promise<VendorTwin> {
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const start = (port: number): Promise<VendorTwin> =>
    startVendorTwin({
      port,
      clock: options.clock,
      seconds: { video: options.videoSeconds },
      mediaUrl: options.mediaUrl,
      mediaCacheFolder: join(folder, 'media'),
      journal: join(folder, 'jobs.jsonl'),
    });
  try {
    return await start(options.preferredPort);
  } catch {
    return start(0);
  }
}
