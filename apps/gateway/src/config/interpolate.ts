/** `${NAME}` and `${NAME:-default}` in string scalars, after parsing, so that a secret with a colon cannot change the document. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that is set to nothing says nothing. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** A text for who reads no defaults: one that is the whole text stands in its place, one within a text is not said, for it is nobody's. */
export function withoutDefaults(text: string): string {
  return text.replace(REFERENCE, (whole, name: string, fallback: string | undefined) =>
    whole === text && fallback !== undefined ? fallback : `\${${name}}`,
  );
}

export interface Interpolated {
  readonly value: unknown;
  /** Paths whose text named an unset variable without a default, and the variable. */
  readonly unset: ReadonlyMap<string, string>;
  /** What was read from the environment: it may be secret wherever it stands. */
  readonly used: ReadonlySet<string>;
  /** The variables that were looked at, with what they were. */
  readonly variables: ReadonlyMap<string, string | undefined>;
}

/** Replaces every reference. A text that names an unset variable without a default becomes '', for half an address is none, and is reported by its path. */
export function interpolate(value: unknown, env: Environment): Interpolated {
  const unset = new Map<string, string>();
  const used = new Set<string>();
  const variables = new Map<string, string | undefined>();
  const walk = (node: unknown, path: string): unknown => {
    if (typeof node === 'string') {
      const text = node.replace(REFERENCE, (_whole, name: string, fallback: string | undefined) => {
        const found = env[name];
        variables.set(name, found);
        if (found !== undefined && found !== '') {
          used.add(found);
          return found;
        }
        if (fallback === undefined) unset.set(path, name);
        return fallback ?? '';
      });
      return unset.has(path) ? '' : text;
    }
    if (Array.isArray(node)) return node.map((item, index) => walk(item, `${path}[${index}]`));
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(
        Object.entries(node).map(([key, item]) => [key, walk(item, path === '' ? key : `${path}.${key}`)]),
      );
    }
    return node;
  };
  return { value: walk(value, ''), unset, used, variables };
}
