/** What is built in: the catalogue, and the chat models of each vendor on OpenAI's wire whose account has its key or stands in the file or the database. */
import { existsSync, readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { pathText, type ConfigFault } from './fault.ts';
import { withoutDefaults, type Environment } from './interpolate.ts';
import { readSource, writtenValue, type ConfigSource } from './source.ts';

export const BUILT_IN_NAME = 'the built-in catalogue';
const LISTS_NAME = 'the built-in lists of models';
const CATALOGUE = new URL('../../config/catalogue.yaml', import.meta.url);
const LISTS = new URL('../../config/vendor-models.yaml', import.meta.url);

let lists: ConfigSource | undefined;
let lastCatalogue: ConfigSource | undefined;

type Row = Readonly<Record<string, unknown>>;

/** `over` are the layers above, whose accounts may be those of a vendor with a list. */
export function readBuiltIn(env: Environment, over: readonly (ConfigSource | undefined)[]): ConfigSource {
  const catalogue = readCatalogue(env);
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

/** An account of the built-in catalogue, whatever the environment has. */
export interface BuiltInAccount {
  readonly name: string;
  readonly vendor: string;
  /** With `${NAME}` where it has a variable of the environment, or the default that is the whole text. */
  readonly row: JsonObject;
  /** Credentials and the variables that they are read from. */
  readonly variables: Readonly<Record<string, string>>;
}

let written: readonly JsonObject[] | undefined;
let accounts: readonly BuiltInAccount[] | undefined;

/** The accounts of the built-in catalogue as they are written there: with `${NAME}` and `${NAME:-default}`. */
export function writtenAccounts(): readonly JsonObject[] {
  const value = (): unknown => knownValue(CATALOGUE) ?? writtenValue(readFileSync(CATALOGUE, 'utf8'), BUILT_IN_NAME);
  return (written ??= rowsIn(value(), 'accounts') as readonly JsonObject[]);
}

export function builtInAccounts(): readonly BuiltInAccount[] {
  return (accounts ??= writtenAccounts().map((each) => {
    const row = textsChanged(each, withoutDefaults) as JsonObject;
    const variables = Object.entries((row['credentials'] ?? {}) as JsonObject).flatMap(([name, text]) => {
      const variable = variableOf(text);
      return variable === undefined ? [] : [[name, variable] as const];
    });
    return {
      ...{ name: textOf(row['name']), vendor: textOf(row['vendor']), row },
      variables: Object.fromEntries(variables),
    };
  }));
}

/** The variable that a text is read from whole, where it has no default. */
export function variableOf(text: unknown): string | undefined {
  return typeof text === 'string' ? /^\$\{(\w+)\}$/.exec(text)?.[1] : undefined;
}

function textsChanged(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => textsChanged(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, textsChanged(each ?? null, change)]));
}

/** Parsing the text is an eighth of a start: the bundle has its value beside it. */
function knownValue(file: URL): unknown {
  const value = new URL(file.href.replace(/\.yaml$/, '.json'));
  return existsSync(value) ? JSON.parse(readFileSync(value, 'utf8')) : undefined;
}

/** The same object as long as the variables that it names are what they were: what is found out about its rows is then known. */
function readCatalogue(env: Environment): ConfigSource {
  const last = lastCatalogue;
  if (last !== undefined && [...last.variables].every(([name, value]) => env[name] === value)) return last;
  return (lastCatalogue = read(CATALOGUE, env, BUILT_IN_NAME));
}

function read(file: URL, env: Environment, name: string): ConfigSource {
  return readSource(readFileSync(file, 'utf8'), env, name, knownValue(file));
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
