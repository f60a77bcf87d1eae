/** The catalogue of a running gateway: replaced whole when the configuration changes. */
import type { Catalogue } from '@model-gateway/core';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import { adapters } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';

export interface LiveCatalogue {
  readonly current: () => Catalogue;
  /** Throws ConfigError, and keeps what it had. */
  replace(config: Config): Catalogue;
}

/** Makes the catalogue, with the twin behind every row where there is one. */
export function createLiveCatalogue(config: Config, twin: Pick<VendorTwin, 'standInFor'> | undefined): LiveCatalogue {
  const build = (from: Config): Catalogue => buildCatalogue(from, adapters, twin?.standInFor);
  let catalogue = build(config);
  return {
    current: () => catalogue,
    replace: (changed) => (catalogue = build(changed)),
  };
}
