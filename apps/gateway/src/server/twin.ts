/** The built-in vendor twin of a deployment: answers test keys always, and live keys while no account has credentials. */
import { join, resolve } from 'node:path';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import type { Config } from '../config/config.ts';
import { TWIN_MOUNT } from '../http/mounts.ts';
import { codeOf } from './start-fault.ts';
import { requireWritable } from './storage.ts';

export interface EmbeddedTwinOptions {
  readonly config: Pick<Config, 'server' | 'twin' | 'files'>;
  readonly now: () => number;
  /** Where the gateway is; known when it listens. */
  readonly mediaUrl: () => string;
}

const PORT_OFFSET = 1;

/** Starts the twin, unless it is switched off: on a steady port where it can, so that links and jobs outlive a restart. */
export async function openEmbeddedTwin(
  resources: AsyncDisposableStack,
  { config, now, mediaUrl }: EmbeddedTwinOptions,
): Promise<VendorTwin | undefined> {
  if (!config.twin.enabled) return undefined;
  const folder = resolve(config.files.folder, '..', 'twin');
  await requireWritable(folder, 'files.folder');
  const start = (port: number): Promise<VendorTwin> =>
    startVendorTwin({
      port,
      clock: now,
      seconds: { video: config.twin.videoSeconds },
      mediaUrl: () => `${mediaUrl()}${TWIN_MOUNT}`,
      mediaCacheFolder: join(folder, 'media'),
      journal: join(folder, 'jobs.jsonl'),
    });
  const { port } = config.server;
  const twin = await start(port === 0 ? 0 : port + PORT_OFFSET).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    return start(0);
  });
  resources.defer(() => twin.close());
  return twin;
}
