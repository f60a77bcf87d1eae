/** The catalogue of a running gateway: replaced whole when the configuration changes. */
import type { Catalogue } from '@model-gateway/core';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import { loadAdapters, vendors } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';

export interface LiveCatalogue {
  readonly current: () => Catalogue;
  /** Rejects with ConfigError, or with what `prepare` rejects with, and keeps what it had. */
  replace(config: Config, prepare: (next: Catalogue) => Promise<void>): Promise<Catalogue>;
  /** Puts back one that was in effect: its adapters are loaded. */
  restore(kept: Catalogue): void;
}

/** Makes the catalogue, with the twin behind every row where there is one. Who may be asked by it is loaded before it counts. */
export async function createLiveCatalogue(
  config: Config,
  twin: Pick<VendorTwin, 'standInFor'> | undefined,
): Promise<LiveCatalogue> {
  const build = async (from: Config): Promise<Catalogue> => {
    const built = buildCatalogue(from, vendors, twin?.standInFor);
    await loadAdapters(built.accounts);
    return built;
  };
  let catalogue = await build(config);
  return {
    current: () => catalogue,
    replace: async (changed, prepare) => {
      const next = await build(changed);
      await prepare(next);
      return (catalogue = next);
    },
    restore: (kept) => {
      catalogue = kept;
    },
  };
}
