/** The built-in vendor twin of a deployment: answers test keys always, and live keys while no account has credentials. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { modeOfKey, type Store } from '@model-gateway/core';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import type { Config } from '../config/config.ts';
import { TWIN_MOUNT } from '../http/mounts.ts';
import { isVendorWebhook } from '../resources/videos/vendor-webhooks.ts';
import { codeOf } from './start-fault.ts';
import { requireWritable } from './storage.ts';
import { compileWebAssemblyWell } from './v8-flags.ts';

export interface EmbeddedTwinOptions {
  readonly config: Pick<Config, 'server' | 'twin' | 'tasks' | 'files' | 'accounts' | 'keys'>;
  readonly store: Pick<Store, 'keys' | 'settings'>;
  readonly now: () => number;
  /** Where the gateway is; known when it listens. */
  readonly mediaUrl: () => string;
}

const PORT_OFFSET = 1;

/** Starts the twin, unless it is switched off: on a steady port where it can, so that links and jobs outlive a restart. */
export async function openEmbeddedTwin(
  resources: AsyncDisposableStack,
  { config, store, now, mediaUrl }: EmbeddedTwinOptions,
): Promise<VendorTwin | undefined> {
  if (!(config.twin.enabled ?? (await isNeeded(config, store)))) return undefined;
  const folder = resolve(config.files.folder, '..', 'twin');
  await requireWritable(folder, 'files.folder');
  const mediaSecret = await store.settings.first('twin_media_secret', randomBytes(32).toString('hex'));
  compileWebAssemblyWell();
  // A deployment without it loads nothing of it.
  const { startVendorTwin } = await import('@model-gateway/vendor-twin');
  const start = (port: number): Promise<VendorTwin> =>
    startVendorTwin({
      port,
      clock: now,
      seconds: { video: config.twin.videoSeconds },
      mediaUrl: () => `${mediaUrl()}${TWIN_MOUNT}`,
      mediaSecret,
      // Nobody but this gateway is called from within.
      webhooks: {
        mayCall: (url) => isVendorWebhook(url, config.server.publicUrl ?? mediaUrl()),
        timers: config.tasks.vendorWebhooks,
      },
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

/** Without a live account it answers everybody; with one, only test keys do. A deployment without any key is about to get one. */
async function isNeeded(
  { accounts, keys }: Pick<Config, 'accounts' | 'keys'>,
  store: Pick<Store, 'keys'>,
): Promise<boolean> {
  if (!accounts.some(({ on }) => on)) return true;
  if (keys.some(({ key }) => modeOfKey(key) === 'test')) return true;
  if ((await store.keys.list({ mode: 'test', limit: 1 })).length > 0) return true;
  return keys.length === 0 && (await store.keys.list({ includeRevoked: true, limit: 1 })).length === 0;
}
