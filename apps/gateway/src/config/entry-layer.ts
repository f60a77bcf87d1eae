/** The database's rows over a configuration that was read from its file (docs/decisions/0031-configuration-in-the-database.md). */
import { CONFIG_SECTIONS, type ConfigEntry, type ConfigSection } from '@model-gateway/core';
import { ConfigError, readConfig, type Config, type LeftOut } from './config.ts';
import { readSources } from './read-sources.ts';
import { DATABASE, entryId, NAME_MEMBER, ofEach, type DatabaseRow } from './database-source.ts';
import type { EntrySecrets } from './entry-secrets.ts';
import type { SaidFault } from './fault.ts';
import type { Environment } from './interpolate.ts';
import { layered } from './layers.ts';

/** A row as people see it: without secrets. */
export interface ShownRow {
  readonly section: ConfigSection;
  readonly name: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface EntryLayer {
  readonly secrets: EntrySecrets;
  /** The configuration with those entries over it that fit; the others are in its `leftOut`. The file itself must be good. */
  over(file: Config, entries: readonly ConfigEntry[]): Config;
  /** The same with rows that all must fit. Throws ConfigError with every fault. */
  withAll(file: Config, rows: readonly DatabaseRow[]): Config;
  /** The entries with their secrets opened, and those that cannot be. */
  rowsOf(entries: readonly ConfigEntry[]): {
    readonly rows: readonly DatabaseRow[];
    readonly unreadable: readonly LeftOut[];
  };
  /** Every model, account and budget; `beneath`: those beneath the database, whose accounts may bring models of the built-in lists with them. */
  shown(file: Config, entries: readonly ConfigEntry[], beneath?: 'beneath'): readonly ShownRow[];
  /** Whether the built-in catalogue, and whether the file has a row of this name. */
  origins(
    file: Config,
    entries: readonly ConfigEntry[],
  ): (section: ConfigSection, name: string) => { readonly builtIn: boolean; readonly file: boolean };
}

/** Faults that lead to others may need several looks; more than so many have another cause. */
const MOST_LOOKS = 20;

/** Makes the layer; `env` is the environment of the start. */
export function createEntryLayer(env: Environment, secrets: EntrySecrets): EntryLayer {
  const surroundings = (file: Config): Environment => ({ ...env, GATEWAY_CONFIG: file.file });
  const withAll = (file: Config, rows: readonly DatabaseRow[]): Config =>
    readConfig(surroundings(file), { text: file.text, rows });
  const attempt = (file: Config, rows: readonly DatabaseRow[]): Config | readonly SaidFault[] => {
    try {
      return withAll(file, rows);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  };
  const rowsOf: EntryLayer['rowsOf'] = (entries) => {
    const rows: DatabaseRow[] = [];
    const unreadable: LeftOut[] = [];
    for (const { section, name, row } of entries) {
      if ('removed' in row) rows.push({ section, name });
      else
        try {
          rows.push({ section, name, value: secrets.open({ section, name }, row.value) });
        } catch (error) {
          const entry = entryId({ section, name });
          const fault = { path: `${section}[${name}]`, message: (error as Error).message, file: DATABASE, entry };
          unreadable.push({ entry, faults: [fault] });
        }
    }
    return { rows, unreadable };
  };
  return {
    secrets,
    withAll,
    rowsOf,
    over(file, entries) {
      if (file.source !== 'database' || entries.length === 0) return file;
      const { rows, unreadable } = rowsOf(entries);
      const whole = attempt(file, rows);
      if (!Array.isArray(whole)) return { ...(whole as Config), leftOut: unreadable };
      const faultsOf = (some: readonly DatabaseRow[]): readonly SaidFault[] => {
        const found = attempt(file, some);
        return Array.isArray(found) ? (found as readonly SaidFault[]) : [];
      };
      const fitting = thoseThatFit(rows, faultsOf);
      return { ...withAll(file, fitting.rows), leftOut: [...unreadable, ...fitting.leftOut] };
    },
    shown(file, entries, beneath) {
      const { rows } = rowsOf(entries);
      const { own, builtIn, database } = readSources(surroundings(file), { text: file.text, rows });
      const hidden = <Source extends { shown: () => object }>(source: Source | undefined) =>
        source === undefined ? undefined : { ...source, value: source.shown() };
      const layers = layered(hidden(own), hidden(builtIn), beneath === undefined ? hidden(database) : undefined);
      return CONFIG_SECTIONS.flatMap((section) =>
        layers[section].flatMap(({ row }): readonly ShownRow[] => {
          const found = row as Readonly<Record<string, unknown>>;
          const name = found[NAME_MEMBER[section]];
          return typeof name === 'string' ? [{ section, name, row: found }] : [];
        }),
      );
    },
    origins(file, entries) {
      const { rows } = rowsOf(entries);
      const { own, builtIn } = readSources(surroundings(file), { text: file.text, rows });
      const names = (source: typeof own) => {
        const layers = layered(source, undefined);
        return ofEach(
          (section) =>
            new Set(
              layers[section].map(
                ({ row }) => (row as Readonly<Record<string, unknown>> | null)?.[NAME_MEMBER[section]],
              ),
            ),
        );
      };
      const [ofFile, ofBuiltIn] = [names(own), names(builtIn)];
      return (section, name) => ({ file: ofFile[section].has(name), builtIn: ofBuiltIn[section].has(name) });
    },
  };
}

interface Fitting {
  readonly rows: readonly DatabaseRow[];
  readonly leftOut: readonly LeftOut[];
}

/** Leaves out the rows that have faults, and those that make faults elsewhere: in rows of the file, which has none by itself. */
function thoseThatFit(
  all: readonly DatabaseRow[],
  faultsOf: (rows: readonly DatabaseRow[]) => readonly SaidFault[],
): Fitting {
  const leftOut = new Map<string, readonly SaidFault[]>();
  let rows = all;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const faults = faultsOf(rows);
    if (faults.length === 0) return { rows, leftOut: listed(leftOut) };
    const named = new Map<string, SaidFault[]>();
    for (const fault of faults)
      if (fault.entry !== undefined) named.set(fault.entry, [...(named.get(fault.entry) ?? []), fault]);
    if (named.size === 0) break;
    for (const [entry, those] of named) leftOut.set(entry, those);
    rows = rows.filter((row) => !named.has(entryId(row)));
  }
  // Who makes them is found out by halves; removals come last, because other rows may have to go before.
  let good: readonly DatabaseRow[] = [];
  const add = (some: readonly DatabaseRow[]): void => {
    const faults = some.length === 0 ? [] : faultsOf([...good, ...some]);
    if (faults.length === 0) good = [...good, ...some];
    else if (some.length === 1) leftOut.set(entryId(some[0] as DatabaseRow), faults);
    else {
      const half = Math.ceil(some.length / 2);
      add(some.slice(0, half));
      add(some.slice(half));
    }
  };
  const order = ({ section, value }: DatabaseRow): number => {
    if (value !== undefined) return section === 'accounts' ? 0 : 1;
    return section === 'accounts' ? 3 : 2;
  };
  add(rows.toSorted((left, right) => order(left) - order(right)));
  return { rows: good, leftOut: listed(leftOut) };
}

function listed(found: ReadonlyMap<string, readonly SaidFault[]>): readonly LeftOut[] {
  return [...found].map(([entry, faults]) => ({ entry, faults }));
}
