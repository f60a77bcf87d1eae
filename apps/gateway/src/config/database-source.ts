/** The rows that the database has, as one more source of a configuration: checked as a file is, with places such as `models[gpt-x].offers[0].account`. */
import type { JsonObject } from '@model-gateway/contracts';
import { CONFIG_SECTIONS, type ConfigSection } from '@model-gateway/core';
import { pathText, type Path } from './fault.ts';
import { interpolate, type Environment } from './interpolate.ts';
import { createScrubber, withoutSecrets } from './secrets.ts';
import type { ConfigSource } from './source.ts';

/** A row of the database with its secrets opened; without a value the row of this name is taken away. */
export interface DatabaseRow {
  readonly section: ConfigSection;
  readonly name: string;
  readonly value?: JsonObject;
}

export interface DatabaseSource extends ConfigSource {
  /** Names of rows that are taken away. */
  readonly removed: Readonly<Record<ConfigSection, ReadonlySet<string>>>;
}

/** What names a row of a section. */
export const NAME_MEMBER = {
  models: 'code',
  accounts: 'name',
  budgets: 'name',
} as const satisfies Readonly<Record<ConfigSection, string>>;
/** What faults name in place of a file. */
export const DATABASE = 'the database';

/** `models/gpt-x` */
export function entryId({ section, name }: Pick<DatabaseRow, 'section' | 'name'>): string {
  return `${section}/${name}`;
}

/** Makes the source of some rows. */
export function databaseSource(rows: readonly DatabaseRow[], env: Environment): DatabaseSource {
  const put = (section: ConfigSection) => rows.filter((row) => row.section === section && row.value !== undefined);
  const gone = (section: ConfigSection): readonly string[] =>
    rows.flatMap((row) => (row.section === section && row.value === undefined ? [row.name] : []));
  const written = ofEach(put);
  const removed = ofEach(gone);
  const valuesOf = (section: ConfigSection) =>
    written[section].map(({ name, value }) => ({ ...value, [NAME_MEMBER[section]]: name }));
  const { value, unset, used, variables } = interpolate(ofEach(valuesOf), env);
  const scrub = createScrubber(value, used);
  return {
    name: DATABASE,
    value,
    unset,
    variables,
    removed: ofEach((section) => new Set(removed[section])),
    said({ path, message }) {
      const { entry, rest } = placeOf(path, { written, removed });
      return {
        path: entry === undefined ? pathText(path) : scrub(`${entry.section}[${entry.name}]${restText(rest)}`),
        message: scrub(message),
        file: DATABASE,
        ...(entry !== undefined && { entry: entryId(entry) }),
      };
    },
    shown: () => withoutSecrets(value, used),
    inOrder: (faults) => faults,
  };
}

/** Something of every section. */
export function ofEach<Value>(make: (section: ConfigSection) => Value): Readonly<Record<ConfigSection, Value>> {
  return Object.fromEntries(CONFIG_SECTIONS.map((section) => [section, make(section)])) as Record<ConfigSection, Value>;
}

interface Places {
  readonly written: Readonly<Record<ConfigSection, readonly DatabaseRow[]>>;
  readonly removed: Readonly<Record<ConfigSection, readonly string[]>>;
}

/** Which row a path leads into, and what is left of the path. */
function placeOf(
  path: Path,
  { written, removed }: Places,
): { readonly entry?: Pick<DatabaseRow, 'section' | 'name'>; readonly rest: Path } {
  const [first, second, third] = path;
  if (first === 'remove' && typeof third === 'number') {
    const name = removed[second as ConfigSection][third];
    return { ...(name !== undefined && { entry: { section: second as ConfigSection, name } }), rest: [] };
  }
  const entry = typeof second === 'number' ? written[first as ConfigSection][second] : undefined;
  return { ...(entry !== undefined && { entry }), rest: path.slice(2) };
}

function restText(rest: Path): string {
  const text = pathText(rest);
  return text === '' || text.startsWith('[') ? text : `.${text}`;
}
