/** The database that the gateway of this machine would use, and its catalogue. */
import type { Catalogue, Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { adapters } from '../../adapters.ts';
import { buildCatalogue } from '../../config/catalogue.ts';
import { readConfig, type Config } from '../../config/config.ts';
import { entryLayerOf } from '../../server/kept-config.ts';
import type { Environment } from '../../config/interpolate.ts';
import { contentReader } from '../../server/request-contents.ts';
import { localOperator } from './local.ts';
import type { Operator } from './operator.ts';

export interface OpenDatabase extends AsyncDisposable {
  readonly config: Config;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly operator: Operator;
}

/** Opens it beside a running gateway, or alone. Rejects with ConfigError, or with GatewayError when there is no database to be had. */
export async function openDatabase(env: Environment, now: () => number): Promise<OpenDatabase> {
  const file = readConfig(env);
  const layer = entryLayerOf(file, env);
  const store = await openStore(file.databaseUrl, { beside: true });
  try {
    const config = file.source === 'database' ? layer.over(file, (await store.configEntries.all()).entries) : file;
    const catalogue = buildCatalogue(config, adapters, undefined);
    return {
      config,
      store,
      catalogue,
      operator: localOperator({ store, catalogue, now, file, layer, contents: contentReader(config, { store, now }) }),
      [Symbol.asyncDispose]: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
