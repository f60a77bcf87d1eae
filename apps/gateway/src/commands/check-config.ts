import { adapters } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { ConfigError, readConfig, type Config } from '../config/config.ts';
import { fail, type Terminal } from './terminal.ts';

export interface CheckOptions {
  readonly json?: boolean;
  /** Warnings count as faults. */
  readonly strict?: boolean;
}

/** `gateway check-config`: says every fault with its place, or what the configuration holds. Exit code 1 on faults, with --strict on warnings too. */
export function checkConfig({ env, out }: Terminal, { json = false, strict = false }: CheckOptions): void {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (json) out(JSON.stringify({ ok: false, faults: error.faults }));
    fail(error.message);
    return;
  }
  const { warnings } = config;
  const ok = !strict || warnings.length === 0;
  out(json ? JSON.stringify({ ok, ...contents(config), warnings }) : summary(config));
  if (!ok) fail('There are warnings, and --strict takes them for faults.');
}

function contents(config: Config) {
  const { models, accounts } = buildCatalogue(config, adapters, undefined);
  return {
    source: config.file ?? 'built-in',
    models: models.size,
    accounts_on: accounts.filter(({ on }) => on).map(({ name }) => name),
    accounts_off: accounts.filter(({ on }) => !on).map(({ name }) => name),
    keys: config.keys.length,
  };
}

function summary(config: Config): string {
  const { models, accounts_on: on, accounts_off: off, keys } = contents(config);
  const lines = [
    `${config.file ?? 'The built-in catalogue'} is good: ${models} models, ${keys} declared keys.`,
    `Accounts on:  ${on.length === 0 ? 'none; live keys go to the vendor twin' : on.join(', ')}`,
    `Accounts off: ${off.length === 0 ? 'none' : `${off.join(', ')} (a credential variable is unset)`}`,
  ];
  if (config.warnings.length > 0) lines.push('Warnings:', ...config.warnings.map((warning) => `  - ${warning}`));
  return lines.join('\n');
}
