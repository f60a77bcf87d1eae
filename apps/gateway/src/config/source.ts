/** One YAML text: its value with the environment read in, and where in the text each part of it stands. */
import type { JsonObject } from '@model-gateway/contracts';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { ConfigError, pathText, type ConfigFault, type Path, type SaidFault } from './fault.ts';
import { interpolate, type Environment } from './interpolate.ts';
import { createScrubber, withoutSecrets } from './secrets.ts';

export interface ConfigSource {
  /** For people: the file's name, or 'the built-in catalogue'. */
  readonly name: string;
  /** After interpolation. */
  readonly value: unknown;
  /** Paths (as text) whose value named an unset variable without a default, and the variable. */
  readonly unset: ReadonlyMap<string, string>;
  /** The variables that the text names, with what they were. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** The fault with its place in the text, and without what should not be told. */
  readonly said: (fault: ConfigFault) => SaidFault;
  /** The value without secrets. */
  readonly shown: () => JsonObject;
  /** Sorts by the place in the text. */
  readonly inOrder: (faults: readonly ConfigFault[]) => readonly ConfigFault[];
}

/** A fault and the text it is in. */
export interface PlacedFault extends ConfigFault {
  readonly source: ConfigSource;
}

interface Parsed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** Before interpolation; nobody writes to it. */
  readonly value: unknown;
}

/** The same two texts are read with every change of a row in the database, and reading one takes longer than all checks. */
const KEPT_TEXTS = 4;
const kept = new Map<string, Parsed>();

function parsed(text: string, name: string): Parsed {
  const made = kept.get(text) ?? parse(text, name);
  // Behind the others: the one that was not read for the longest goes.
  kept.delete(text);
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_TEXTS && oldest !== undefined) kept.delete(oldest);
  kept.set(text, made);
  return made;
}

/** The value of a text as it is written, before the environment is read. Throws ConfigError when the text is no YAML. */
export function writtenValue(text: string, name: string): unknown {
  return parsed(text, name).value;
}

/** Throws ConfigError when the text is no YAML. */
function parse(text: string, name: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  // Its message says the line, and then quotes it, which could be a secret.
  const broken = document.errors.map(({ message, linePos }): SaidFault => {
    const [said = ''] = message.split(/ at line \d+|\n/);
    const [start] = linePos ?? [];
    return { path: '', message: said, file: name, ...(start !== undefined && { line: start.line, column: start.col }) };
  });
  if (broken.length > 0) throw new ConfigError(name, broken);
  return { document, lines, value: plainValue(document, name) };
}

/** Throws ConfigError when the text is no YAML. `known` is its value where somebody has parsed it before: the text is parsed when a place in it is told. */
export function readSource(text: string, env: Environment, name: string, known?: unknown): ConfigSource {
  const { value, unset, used, variables } = interpolate(known ?? parsed(text, name).value, env);
  const scrub = createScrubber(value, used);
  const offsetOf = (path: Path): number | undefined => offsetIn(parsed(text, name).document, path);
  return {
    name,
    value,
    unset,
    variables,
    said({ path, message }) {
      const offset = path.length === 0 ? undefined : offsetOf(path);
      const { line, col } =
        offset === undefined ? { line: undefined, col: undefined } : parsed(text, name).lines.linePos(offset);
      return {
        path: scrub(pathText(path)),
        message: scrub(message),
        file: name,
        ...(line !== undefined && { line, column: col }),
      };
    },
    shown: () => withoutSecrets(value, used),
    inOrder: (faults) => faults.toSorted((left, right) => (offsetOf(left.path) ?? 0) - (offsetOf(right.path) ?? 0)),
  };
}

/** Aliases of YAML can unfold into more than memory holds, or into themselves. */
function plainValue(document: Document.Parsed, name: string): unknown {
  const tooMuch = (): ConfigError =>
    new ConfigError(name, [
      { path: '', message: 'its YAML aliases (*name) unfold without end; write them out', file: name },
    ]);
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch {
    throw tooMuch();
  }
  if (isCircular(value, [])) throw tooMuch();
  return value;
}

function isCircular(value: unknown, within: readonly unknown[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (within.includes(value)) return true;
  const inner = [...within, value];
  return Object.values(value).some((item) => isCircular(item, inner));
}

/** Where the part at a path begins: the key in a map, the item of a list; the nearest part around it when it is not written. */
function offsetIn(document: Document.Parsed, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
