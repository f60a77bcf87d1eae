/** Rows of the configuration that the database has: read at the start, and again when somebody has changed them, here or elsewhere. */
import { existsSync } from 'node:fs';
import type { ConfigEntry, ConfigEntryStore, Log, Store } from '@model-gateway/core';
import { createSealing } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import type { Config } from '../config/config.ts';
import { createEntryLayer, type EntryLayer } from '../config/entry-layer.ts';
import { createEntrySecrets } from '../config/entry-secrets.ts';
import { faultLines } from '../config/fault.ts';
import type { Environment } from '../config/interpolate.ts';

/** A change takes effect on every replica within a second: this long, and what reading it takes. */
const LOOK_MS = 500;

export interface KeptConfig {
  readonly layer: EntryLayer;
  /** The configuration with what the database has now. */
  readonly over: (file: Config) => Promise<Config>;
  /** Calls what `listen` was given when there was a change since the last `over`. */
  readonly look: () => Promise<void>;
  /** From here on it looks by itself, where `isKept()` says that there is something to look at. */
  start(changed: () => Promise<void>, isKept: () => boolean, byItself: boolean): void;
}

/** The layer of a configuration's own keys and environment. */
export function entryLayerOf({ encryptionKeys }: Pick<Config, 'encryptionKeys'>, env: Environment): EntryLayer {
  const keys = encryptionKeys.map((key) => Buffer.from(key, 'base64'));
  return createEntryLayer(env, createEntrySecrets(keys.length === 0 ? undefined : createSealing(keys)));
}

/**
 * What a file and the database together say, for commands: a database that is not there yet has nothing and is not made, and of one that
 * cannot be read `unread` is told why. Throws ConfigError.
 */
export async function withEntries(file: Config, env: Environment, unread: (why: Error) => void): Promise<Config> {
  if (file.source !== 'database') return file;
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(file.databaseUrl)?.[1];
  if (path === ':memory:' || (path !== undefined && !existsSync(path))) return file;
  let entries: readonly ConfigEntry[];
  try {
    const store = await openStore(file.databaseUrl, { beside: true });
    try {
      ({ entries } = await store.configEntries.all());
    } finally {
      await store.close();
    }
  } catch (error) {
    unread(error as Error);
    return file;
  }
  return entryLayerOf(file, env).over(file, entries);
}

export interface KeptConfigOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly store: Pick<Store, 'configEntries'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Makes what reads them. */
export function createKeptConfig(
  resources: AsyncDisposableStack,
  { config, env, store, log }: KeptConfigOptions,
): KeptConfig {
  const entries: ConfigEntryStore = store.configEntries;
  const layer = entryLayerOf(config, env);
  let known = 0;
  let toldOf = '';
  let changed = async (): Promise<void> => undefined;
  const look = async (): Promise<void> => {
    if ((await entries.version()) !== known) await changed();
  };
  return {
    layer,
    look,
    async over(file) {
      if (file.source !== 'database') return file;
      const { version, entries: rows } = await entries.all();
      const effective = layer.over(file, rows);
      known = version;
      const lines = effective.leftOut.flatMap(({ faults }) => faultLines(faults));
      if (lines.length > 0 && lines.join('\n') !== toldOf)
        log.warn({ faults: lines }, 'entries of the configuration in the database are invalid and are left out');
      toldOf = lines.join('\n');
      return effective;
    },
    start(listener, isKept, byItself) {
      changed = listener;
      if (!byItself) return;
      let isLooking = false;
      const timer = setInterval(() => {
        if (isLooking || !isKept()) return;
        isLooking = true;
        void look()
          .catch((error: unknown) => log.warn({ err: error }, 'the configuration in the database could not be read'))
          .finally(() => (isLooking = false));
      }, LOOK_MS);
      timer.unref();
      resources.defer(() => clearInterval(timer));
    },
  };
}
