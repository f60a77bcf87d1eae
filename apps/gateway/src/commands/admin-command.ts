/** What the operators' commands work with: the database itself, beside a running gateway or without one. */
import { InvalidArgumentError, type Command } from 'commander';
import { GatewayError } from '@model-gateway/contracts';
import type { Catalogue, Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { createAdminServices } from '../admin/audited.ts';
import type { KeyService } from '../admin/keys.ts';
import type { OwnerService } from '../admin/owners.ts';
import { adapters } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { readConfig, type Config } from '../config/config.ts';
import { fail, type Terminal } from './terminal.ts';

/** Under the help of every command that works on the database. */
const EXIT_CODES = `
The database and the catalogue are those that the gateway would use: GATEWAY_CONFIG and DATABASE_URL say which.
Exit code 0 when it is done; 1 when something was wrong, which is said on stderr, and nothing was changed.`;

export interface AdminServices {
  readonly config: Config;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly keys: KeyService;
  readonly owners: OwnerService;
  readonly now: () => number;
  /** The table for people, or with --json the value for programs. */
  readonly say: (forPrograms: unknown, forPeople: () => string) => void;
}

/** Runs the work of one command and closes the database. Faults end it with a sentence, never a stack. */
export async function withAdminServices(
  { env, now, out }: Terminal,
  options: object,
  work: (services: AdminServices) => Promise<void>,
): Promise<void> {
  const json = 'json' in options && options.json === true;
  const config = readConfig(env);
  const catalogue = buildCatalogue(config, adapters, undefined);
  const store = await openStore(config.databaseUrl, { beside: true });
  try {
    await work({
      config,
      store,
      catalogue,
      ...createAdminServices({ store, catalogue: () => catalogue, now }, { actor: 'command' }),
      now,
      say: (forPrograms, forPeople) => out(json ? JSON.stringify(forPrograms) : forPeople()),
    });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    fail(error.message);
  } finally {
    await store.close();
  }
}

/** Adds what every command on the database has. */
export function adminCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'for programs: the words of the admin API')
    .addHelpText('after', EXIT_CODES);
}

/** A number of something that there is: an id, a limit. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 1.');
  return Number(text);
}

/** Quota units, also below zero. */
export function signedWhole(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('it must be a whole number of quota units.');
  return Number(text);
}

/** US dollars. */
export function amountOfDollars(text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('it must be US dollars such as 12.50.');
  return Number(text);
}

/** `a, b` */
export function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Every row of a list that comes in pages. */
export async function allPages<Row extends { readonly id: number }>(
  page: (after: number | undefined) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const next = await page(rows.at(-1)?.id);
    if (next.length === 0) return rows;
    rows.push(...next);
  }
}
