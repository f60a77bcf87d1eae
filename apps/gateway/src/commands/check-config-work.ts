import { GatewayError } from '@model-gateway/contracts';
import { findModel, wholeAccounts } from '@model-gateway/core';
import { vendors } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { ConfigError, readConfig, type Config } from '../config/config.ts';
import { faultLines } from '../config/fault.ts';
import { withEntries } from '../server/kept-config.ts';
import { routeTree } from '../resources/models/route-tree.ts';
import { fail, note, type Terminal } from './terminal.ts';

export interface CheckOptions {
  readonly json?: boolean;
  /** Warnings count as faults. */
  readonly strict?: boolean;
  /** A model whose way is printed instead. */
  readonly explain?: string;
}

type CheckTerminal = Pick<Terminal, 'env' | 'out' | 'stderr' | 'exitWith' | 'now'>;

const DAY_MS = 86_400_000;
/** Vendors change prices several times a year. */
const LONGEST_UNCHECKED_DAYS = 90;
const UNVERIFIED = 'unverified';

/** Says every fault with its place, or what the configuration holds. Exit code 1 on faults, with --strict on warnings too. */
export async function checkConfig(
  terminal: CheckTerminal,
  { json = false, strict = false, explain }: CheckOptions,
): Promise<void> {
  const { env, out } = terminal;
  let config: Config;
  try {
    config = await withEntries(readConfig(env), env, ({ message }) =>
      note(terminal, `The file alone is checked, because the database cannot be read: ${message}`),
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (json) out(JSON.stringify({ ok: false, faults: error.faults }));
    fail(terminal, error.message);
    return;
  }
  if (explain !== undefined) {
    explainModel(terminal, config, explain);
    return;
  }
  const { warnings } = config;
  const leftOut = config.leftOut.flatMap(({ faults }) => faults);
  const ok = !strict || warnings.length + leftOut.length === 0;
  const more = config.source === 'database' && { left_out: leftOut };
  const unchecked = uncheckedFor(config, terminal.now());
  const idle = idleFallbacks(config);
  out(
    json
      ? JSON.stringify({
          ok,
          ...contents(config),
          warnings,
          unchecked_prices: unchecked,
          idle_fallbacks: idle,
          ...more,
        })
      : [summary(config), ...idle, ...uncheckedWords(unchecked)].join('\n'),
  );
  if (!ok) fail(terminal, 'There are warnings, and --strict takes them for faults.');
}

/** Models whose price nobody has compared with its source, or not for long. No warning: what is good today must not be a fault in a quarter. */
function uncheckedFor({ models }: Config, now: number): readonly string[] {
  const isOld = (checked: string): boolean => now - Date.parse(checked) > LONGEST_UNCHECKED_DAYS * DAY_MS;
  return models
    .filter(({ source, checked }) => (checked === undefined ? source === UNVERIFIED : isOld(checked)))
    .map(({ code }) => code);
}

/**
 * Fallbacks that nobody would answer, because every account of theirs is off. No warning: where a file is checked without its secrets, accounts are
 * off that are on where it runs. Nothing is said where all accounts are off.
 */
function idleFallbacks({ models, accounts }: Config): readonly string[] {
  const on = new Set(accounts.filter((account) => account.on).map(({ name }) => name));
  if (on.size === 0) return [];
  const offersOf = new Map(models.map(({ code, offers }) => [code, offers]));
  return models.flatMap(({ code, fallbacks }) => {
    const targets = new Set(Object.values(fallbacks ?? {}).flatMap((codes) => codes ?? []));
    return [...targets].flatMap((target) => {
      const offers = offersOf.get(target) ?? [];
      if (offers.length === 0 || offers.some(({ account }) => on.has(account))) return [];
      const names = [...new Set(offers.map(({ account }) => account))].join(', ');
      return [
        `The fallback ${target} of ${code} cannot answer: its account is off because credentials are missing (${names}).`,
      ];
    });
  });
}

function uncheckedWords(codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return [];
  const which = `the prices of ${codes.length} models in the last ${LONGEST_UNCHECKED_DAYS} days`;
  return [
    `Nobody has checked ${which}: ${codes.join(', ')}. Compare them with the vendors' lists, and set price, source and checked.`,
  ];
}

/** Prints where requests for the model go. */
function explainModel(terminal: CheckTerminal, config: Config, model: string): void {
  const catalogue = buildCatalogue(config, vendors, undefined);
  try {
    terminal.out(routeTree(catalogue, findModel(catalogue, model)));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    fail(terminal, error.message);
  }
}

function contents(config: Config) {
  const { models, accounts: members } = buildCatalogue(config, vendors, undefined);
  const accounts = wholeAccounts(members).map(([account]) => account);
  return {
    source: config.file ?? 'built-in',
    extends: config.isExtending ? 'builtin' : 'none',
    models: models.size,
    accounts_on: accounts.filter(({ on }) => on).map(({ name }) => name),
    accounts_off: accounts.filter(({ on }) => !on).map(({ name }) => name),
    keys: config.keys.length,
  };
}

function summary(config: Config): string {
  const { models, accounts_on: on, accounts_off: off, keys } = contents(config);
  const over = config.file !== undefined && config.isExtending ? ', those of the built-in catalogue among them' : '';
  const lines = [
    `${config.file ?? 'The built-in catalogue'} is good: ${models} models${over}, ${keys} declared keys.`,
    `Accounts on:  ${on.length === 0 ? 'none; live keys go to the vendor twin' : on.join(', ')}`,
    `Accounts off: ${off.length === 0 ? 'none' : `${off.join(', ')} (a credential variable is unset)`}`,
  ];
  const leftOut = config.leftOut.flatMap(({ faults }) => faults);
  if (leftOut.length > 0)
    lines.push(
      'Entries of the database that are invalid and are left out:',
      ...faultLines(leftOut).map((line) => `  - ${line}`),
    );
  if (config.warnings.length > 0) lines.push('Warnings:', ...faultLines(config.warnings).map((line) => `  - ${line}`));
  return lines.join('\n');
}
