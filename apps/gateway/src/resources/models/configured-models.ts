/** The models of the configuration of this machine, as a gateway with it would list them. */
import type { components } from '@model-gateway/contracts';
import { vendors } from '../../adapters.ts';
import { buildCatalogue } from '../../config/catalogue.ts';
import { readConfig } from '../../config/config.ts';
import type { Environment } from '../../config/interpolate.ts';
import { withEntries } from '../../server/kept-config.ts';
import { catalogueModel } from './routes.ts';

/** `unread` is told when the database, which may have models too, cannot be read. Rejects with ConfigError. */
export async function configuredModels(
  env: Environment,
  unread: (why: Error) => void,
): Promise<readonly components['schemas']['CatalogueModel'][]> {
  const config = await withEntries(readConfig(env), env, unread);
  const { models, twinOnly } = buildCatalogue(config, vendors, undefined);
  return [...models.values()].map(
    (row) => catalogueModel(row, twinOnly, false) as components['schemas']['CatalogueModel'],
  );
}
