/** What is built in: the catalogue, and the chat models of each vendor on OpenAI's wire whose account has its key or stands in the file or the database. */
import { existsSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@model-gateway/contracts';
import { pathText, type ConfigFault } from './fault.ts';
import type { Environment } from './interpolate.ts';
import { readSource, type ConfigSource } from './source.ts';

export const BUILT_IN_NAME = 'the built-in catalogue';
const LISTS_NAME = 'the built-in lists of models';
const CATALOGUE = new URL('../../config/catalogue.yaml', import.meta.url);
const LISTS = new URL('../../config/vendor-models.yaml', import.meta.url);

let lists: ConfigSource | undefined;

type Row = Readonly<Record<string, unknown>>;

/** `over` are the layers above, whose accounts may be those of a vendor with a list. */
export function readBuiltIn(env: Environment, over: readonly (ConfigSource | undefined)[]): ConfigSource {
  const catalogue = read(CATALOGUE, env, BUILT_IN_NAME);
  const named = new Set(over.flatMap((source) => rowsIn(source?.value, 'accounts').map(({ name }) => name)));
  const vendors = rowsIn(catalogue.value, 'accounts')
    .filter(({ name }, index) => named.has(name) || !isUnset(catalogue, index))
    .map(({ name }) => name);
  const withModels = new Set(rowsIn(catalogue.value, 'models').flatMap(accountsOf));
  // Vendors whose models stand in the catalogue have no list: most people's files end here.
  if (vendors.every((name) => withModels.has(name))) return catalogue;
  // They name no variables: one reading is enough for a process.
  lists ??= read(LISTS, {}, LISTS_NAME);
  return withLists(catalogue, lists, new Set(vendors));
}

/** An account of the built-in catalogue as it is written there. */
export interface BuiltInAccount {
  readonly name: string;
  readonly vendor: string;
  /** With `${NAME}` where it has a variable of the environment without a default. */
  readonly row: JsonObject;
  /** Credentials and the variables that they are read from. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The accounts of the built-in catalogue, whatever the environment has. */
export function builtInAccounts(): readonly BuiltInAccount[] {
  const { value, unset } = read(CATALOGUE, {}, BUILT_IN_NAME);
  return rowsIn(value, 'accounts').map((row, index) => {
    const place = `${pathText(['accounts', index])}.`;
    const written = [...unset].flatMap(([path, variable]) =>
      path.startsWith(place) ? [[path.slice(place.length).split('.'), variable] as const] : [],
    );
    const copy = structuredClone(row) as Record<string, JsonObject[string]>;
    const variables: Record<string, string> = {};
    for (const [[member = '', name], variable] of written) {
      if (name === undefined) copy[member] = `\${${variable}}`;
      else copy[member] = { ...(copy[member] as JsonObject), [name]: `\${${variable}}` };
      if (member === 'credentials' && name !== undefined) variables[name] = variable;
    }
    return { name: textOf(row['name']), vendor: textOf(row['vendor']), row: copy, variables };
  });
}

/** Parsing the text is an eighth of a start: the bundle has its value beside it. */
function read(file: URL, env: Environment, name: string): ConfigSource {
  const value = new URL(file.href.replace(/\.yaml$/, '.json'));
  const known: unknown = existsSync(value) ? JSON.parse(readFileSync(value, 'utf8')) : undefined;
  return readSource(readFileSync(file, 'utf8'), env, name, known);
}

/** The catalogue and, behind its models, those of the lists that these accounts serve. */
function withLists(catalogue: ConfigSource, lists: ConfigSource, vendors: ReadonlySet<unknown>): ConfigSource {
  const own = rowsIn(catalogue.value, 'models');
  const listed = rowsIn(lists.value, 'models')
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => accountsOf(row).some((account) => vendors.has(account)));
  /** The fault as the list has it; undefined for those of the catalogue. */
  const inList = ({ path, message }: ConfigFault): ConfigFault | undefined => {
    const [section, index, ...rest] = path;
    const found = section === 'models' && typeof index === 'number' ? listed[index - own.length] : undefined;
    return found && { path: ['models', found.index, ...rest], message };
  };
  const joined = (value: unknown): JsonObject => ({
    ...(value as JsonObject),
    models: [...rowsIn(value, 'models'), ...listed.map(({ row }) => row)] as JsonObject[],
  });
  return {
    ...catalogue,
    value: joined(catalogue.value),
    said(fault) {
      const other = inList(fault);
      return other === undefined ? catalogue.said(fault) : lists.said(other);
    },
    shown: () => joined(catalogue.shown()),
    inOrder: (faults) => [
      ...catalogue.inOrder(faults.filter((fault) => inList(fault) === undefined)),
      ...faults.filter((fault) => inList(fault) !== undefined),
    ],
  };
}

function isUnset({ unset }: ConfigSource, account: number): boolean {
  const place = `${pathText(['accounts', account])}.`;
  return [...unset.keys()].some((path) => path.startsWith(place));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function accountsOf({ offers }: Row): readonly unknown[] {
  return Array.isArray(offers) ? (offers as Row[]).map(({ account }) => account) : [];
}

function rowsIn(value: unknown, section: string): readonly Row[] {
  const rows = (value as Row | undefined)?.[section];
  return Array.isArray(rows) ? rows.filter((row): row is Row => typeof row === 'object' && row !== null) : [];
}
