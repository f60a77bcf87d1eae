/** A changed configuration in a running gateway: catalogue, keys and the log's level at once, the rest at the next start. */
import { GatewayError } from '@model-gateway/contracts';
import type { Catalogue, Log, Store } from '@model-gateway/core';
import type { Logger } from 'pino';
import { changesLine, configChanges, type ConfigChanges } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, faultLines } from '../config/fault.ts';
import { declareKeys } from './declared-keys.ts';
import type { LiveCatalogue } from './live-catalogue.ts';

export interface ReloadingOptions {
  /** As it is in effect. */
  readonly config: Config;
  /** As its file said it. */
  readonly file: Config;
  /** Reads the configuration again; throws ConfigError. */
  readonly reread: () => Config;
  /** Puts what the database has over what the file says. */
  readonly over: (file: Config) => Promise<Config>;
  readonly catalogue: LiveCatalogue;
  readonly store: Store;
  readonly now: () => number;
  readonly log: Logger;
  /** What must be read before a changed catalogue counts, and again when the owners that it came with are written. */
  readonly prepare: (next: Catalogue) => Promise<void>;
  /** Forgets keys that this process remembers. */
  readonly forgetKeys: () => void;
  /** Whether somebody else says what changed. */
  readonly quiet: boolean;
}

/** What the last reload changed. */
export interface LastReload extends ConfigChanges {
  readonly at: number;
}

export interface Reloading {
  /** Takes a changed file, one change after another. It rejects with ConfigError or GatewayError, and leaves the old one in place. */
  readonly reload: () => Promise<void>;
  /** Takes what has changed in the database, in the same way. */
  readonly takeEntries: () => Promise<void>;
  /** The configuration in effect. */
  readonly loaded: () => Config;
  /** What its file says of it. */
  readonly file: () => Config;
  readonly last: () => LastReload | undefined;
}

/** Makes what takes a changed configuration. */
export function createReloading(options: ReloadingOptions): Reloading {
  const { reread, catalogue, store, now, log, prepare, forgetKeys, quiet } = options;
  let { config, file } = options;
  let told: LastReload | undefined;
  let last: Promise<void> = Promise.resolve();
  const reload = async (read: () => Config): Promise<void> => {
    const next = read();
    const changed = await options.over(next);
    const before = config;
    const kept = catalogue.current();
    await catalogue.replace(changed, prepare);
    try {
      await declareAll(changed, { store, now });
      // A budget may be of an owner that was only made now.
      await prepare(catalogue.current());
    } catch (error) {
      catalogue.restore(kept);
      throw error;
    }
    forgetKeys();
    log.level = changed.logLevel;
    config = changed;
    file = next;
    const changes = configChanges(before, changed);
    told = { ...changes, at: now() };
    if (!quiet) tellOfChanges(log, changes);
  };
  const inTurn = (read: () => Config): Promise<void> => {
    const next = last.then(() => reload(read));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    reload: () => inTurn(reread),
    takeEntries: () => inTurn(() => file),
    loaded: () => config,
    file: () => file,
    last: () => told,
  };
}

/** Says why a changed configuration was not taken. */
export function refuseChange(log: Pick<Log, 'error'>, error: unknown): void {
  const why = error instanceof ConfigError ? { faults: faultLines(error.faults) } : { err: error };
  log.error(why, 'the changed configuration is invalid; the old one stays in effect');
}

/** One line that people understand, and the same for programs. */
export function tellOfChanges(log: Pick<Log, 'info'>, changes: ConfigChanges): void {
  log.info({ changes: changes.changes.length, needs_restart: changes.needRestart }, changesLine(changes));
}

/** Other processes write the same keys at the same moment: who comes second finds them written. */
async function declareAll(config: Config, parts: { readonly store: Store; readonly now: () => number }): Promise<void> {
  try {
    await declareKeys(config, parts);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    await declareKeys(config, parts);
  }
}
