/** Where a configuration comes from, and what is wrong with it. */
import { readFileSync } from 'node:fs';
import { vendors } from '../adapters.ts';
import { readBuiltIn } from './built-in.ts';
import { databaseSource, type DatabaseRow } from './database-source.ts';
import { ConfigError, pathText, type ConfigFault, type SaidFault } from './fault.ts';
import { given, type Environment } from './interpolate.ts';
import { isExtending } from './layers.ts';
import { meaningFaults } from './meaning.ts';
import type { ConfigRows } from './rows.ts';
import { configSchema } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';
import { readSource, type ConfigSource, type PlacedFault } from './source.ts';

export interface ReadOptions {
  /** The file's text, where it was read before; then the file is left alone. */
  readonly text?: string | undefined;
  /** What the database has, to lie over the file. */
  readonly rows?: readonly DatabaseRow[];
}

type Sources = readonly (ConfigSource | undefined)[];

/** Where a configuration comes from, from the top: the database, the file, the built-in catalogue. Throws ConfigError for a file that is none. */
export function readSources(env: Environment, options: ReadOptions = {}) {
  const file = given(env['GATEWAY_CONFIG']);
  const text = file === undefined ? undefined : (options.text ?? readText(file));
  const own = file === undefined || text === undefined ? undefined : readSource(text, env, file);
  const database = options.rows === undefined ? undefined : databaseSource(options.rows, env);
  const builtIn = isExtending(own) ? readBuiltIn(env, [own, database]) : undefined;
  return { file, text, own, builtIn, database };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const message =
      code === 'ENOENT'
        ? 'there is no such file (GATEWAY_CONFIG names it)'
        : `it cannot be read (${code ?? 'unknown reason'})`;
    throw new ConfigError(file, [{ path: '', message, file }]);
  }
}

/** The built-in catalogue's value is the same object each time. */
const formFaults = new WeakMap<object, readonly ConfigFault[]>();

function formFaultsOf({ value }: ConfigSource): readonly ConfigFault[] {
  if (typeof value !== 'object' || value === null) return schemaFaults(configSchema, value);
  let faults = formFaults.get(value);
  if (faults === undefined) formFaults.set(value, (faults = schemaFaults(configSchema, value)));
  return faults;
}

const CREDENTIAL = /^accounts\[\d+\]\.credentials\./;

/** What is wrong with the files, in the order of their lines; what is said of the built-in one begins so. */
export function faultsIn(sources: Sources, rows: ConfigRows): readonly SaidFault[] {
  const [own, , database] = sources;
  const all: PlacedFault[] = [
    ...sources.flatMap((source) =>
      source === undefined ? [] : formFaultsOf(source).map((fault) => ({ ...fault, source })),
    ),
    ...meaningFaults(rows, vendors),
  ];
  // What an unset variable leads to is not said beside it.
  const others = all.filter(({ path, source }) => !source.unset.has(pathText(path)));
  const named = [own, database].flatMap((source) =>
    source === undefined
      ? []
      : [...source.unset]
          .filter(([path]) => !CREDENTIAL.test(path))
          .map(([text, variable]) => ({
            path: pathOf(text),
            message: `the environment variable ${variable} is not set`,
            source,
          })),
  );
  return lines(sources, [...named, ...others]);
}

/** One line for each, with its place. */
export function lines(sources: Sources, faults: readonly PlacedFault[]): readonly SaidFault[] {
  return sources.flatMap((source) =>
    source === undefined
      ? []
      : source.inOrder(faults.filter((fault) => fault.source === source)).map((fault) => source.said(fault)),
  );
}

/** The other way round than `pathText`. */
function pathOf(text: string): (string | number)[] {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map((match) =>
    match[1] === undefined ? match[0] : Number(match[1]),
  );
}
