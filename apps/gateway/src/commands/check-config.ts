import { adapters } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { fail, type Terminal } from './terminal.ts';

/** `gateway check-config`: says every fault with its path, or what the configuration holds. Exit code 1 on faults. */
export function checkConfig({ env, out }: Terminal, { json = false }: { readonly json?: boolean }): void {
  try {
    const config = readConfig(env);
    const catalogue = buildCatalogue(config, new Set(adapters.keys()), undefined);
    const on = catalogue.accounts.filter((account) => account.on).map(({ name }) => name);
    const off = catalogue.accounts.filter((account) => !account.on).map(({ name }) => name);
    if (json) {
      out(
        JSON.stringify({
          ok: true,
          source: config.file ?? 'built-in',
          models: catalogue.models.size,
          accounts_on: on,
          accounts_off: off,
          keys: config.keys.length,
        }),
      );
      return;
    }
    out(
      `${config.file ?? 'The built-in catalogue'} is good: ${catalogue.models.size} models, ${config.keys.length} declared keys.`,
    );
    out(`Accounts on:  ${on.length === 0 ? 'none; live keys go to the vendor twin' : on.join(', ')}`);
    out(`Accounts off: ${off.length === 0 ? 'none' : `${off.join(', ')} (a credential variable is unset)`}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (json) out(JSON.stringify({ ok: false, faults: error.faults }));
    fail(error.message);
  }
}
