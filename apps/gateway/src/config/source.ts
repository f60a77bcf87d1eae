/** One YAML text: its value with the environment read in, and where in the text each part of it stands. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { ConfigError, pathText, type ConfigFault, type Path } from './fault.ts';
import { interpolate, type Environment } from './interpolate.ts';

export interface ConfigSource {
  /** For people: the file's name, or 'the built-in catalogue'. */
  readonly name: string;
  /** After interpolation. */
  readonly value: unknown;
  /** Paths (as text) whose value named an unset variable without a default, and the variable. */
  readonly unset: ReadonlyMap<string, string>;
  /** The fault as a line, with its place in the text. */
  readonly lineOf: (fault: ConfigFault) => string;
  /** Sorts by the place in the text. */
  readonly inOrder: (faults: readonly ConfigFault[]) => readonly ConfigFault[];
}

/** Throws ConfigError when the text is no YAML. */
export function readSource(text: string, env: Environment, name: string): ConfigSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  // Its message says the line, and then quotes it, which could be a secret.
  const broken = document.errors.map(({ message }) => (message.split('\n')[0] ?? 'it is not YAML').replace(/:$/, ''));
  if (broken.length > 0) throw new ConfigError(name, broken);
  const { value, unset } = interpolate(document.toJS() ?? {}, env);
  const offsetOf = (path: Path): number | undefined => offsetIn(document, path);
  return {
    name,
    value,
    unset,
    lineOf({ path, message }) {
      const offset = offsetOf(path);
      const place = path.length === 0 ? '' : `${pathText(path)}: `;
      if (offset === undefined || path.length === 0) return `${place}${message}`;
      const { line, col } = lines.linePos(offset);
      return `${place}${message} (line ${line}, column ${col})`;
    },
    inOrder: (faults) => faults.toSorted((left, right) => (offsetOf(left.path) ?? 0) - (offsetOf(right.path) ?? 0)),
  };
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
