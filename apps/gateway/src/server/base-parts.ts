/** What everything else of a gateway stands on: its log, its ports, the database, and the configuration that is in force. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { withEncryptionKey } from '../config/encryption-key.ts';
import { sweepFormFolders } from '../http/form.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createKeptConfig, type KeptConfig } from './kept-config.ts';
import { checkPorts, createListeners, type Listeners } from './listeners.ts';
import { createLog } from './log.ts';
import { createMeter, type ExportedMeter } from './meter.ts';
import type { ServerOptions } from './options.ts';
import { openShared, type Shared } from './shared.ts';
import { openStorage, type Storage } from './storage.ts';
import { openTelemetryOf } from './telemetry.ts';
import { openEmbeddedTwin } from './twin.ts';

export interface BaseParts {
  readonly telemetry: Telemetry | undefined;
  readonly log: Logger;
  readonly meter: ExportedMeter;
  readonly listeners: Listeners;
  readonly shared: Shared;
  readonly storage: Storage;
  /** That of the start, with the encryption key that was made for it. */
  readonly config: Config;
  /** What the configuration and the database say together. */
  readonly effective: Config;
  readonly kept: KeptConfig;
  readonly environment: NonNullable<ServerOptions['environment']>;
  readonly twin: ServerOptions['twin'];
}

/** Opens it; rejects with what cannot be had. */
export async function openBaseParts(resources: AsyncDisposableStack, options: ServerOptions): Promise<BaseParts> {
  const { now, siblings, environment = {}, opened = () => undefined } = options;
  const telemetry = options.telemetry ?? (await openTelemetryOf(resources, options.config));
  const log = options.log ?? createLog(options.config.logLevel, undefined, { telemetry });
  const listeners = createListeners(options.config.server, siblings?.ports);
  if (siblings === undefined) await checkPorts(options.config.server);
  const shared = await openShared(resources, { config: options.config, siblings, log, now });
  const swept = await sweepFormFolders();
  if (swept > 0) log.info({ folders: swept }, 'files of forms that an earlier process left were removed');
  const storage = await openStorage(resources, { config: options.config, now, log, worker: siblings !== undefined });
  const { store } = storage;
  opened('storage');
  const config =
    options.makeEncryptionKey === true
      ? await withEncryptionKey({ config: options.config, settings: store.settings, log })
      : options.config;
  const kept = createKeptConfig(resources, { config, env: environment, store, log });
  const effective = await kept.over(config);
  const meter = createMeter(now);
  resources.defer(() => meter.close());
  const mediaUrl = listeners.addresses.publicUrl;
  const twin = options.twin ?? (await openEmbeddedTwin(resources, { config: effective, store, now, mediaUrl }));
  opened('twin');
  return { telemetry, log, meter, listeners, shared, storage, config, effective, kept, environment, twin };
}
