/** The models of the configuration of this machine, as a gateway with it would list them. */
import type { components } from '@model-gateway/contracts';
import { adapters } from '../../adapters.ts';
import { buildCatalogue } from '../../config/catalogue.ts';
import { readConfig } from '../../config/config.ts';
import type { Environment } from '../../config/interpolate.ts';
import { catalogueModel } from './routes.ts';

/** Rejects with ConfigError. */
export function configuredModels(env: Environment): readonly components['schemas']['CatalogueModel'][] {
  const { models, twinOnly } = buildCatalogue(readConfig(env), adapters, undefined);
  return [...models.values()].map(
    (row) => catalogueModel(row, twinOnly, false) as components['schemas']['CatalogueModel'],
  );
}
