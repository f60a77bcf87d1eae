/** Faults and warnings of a configuration: where, and what would be right. */

/** `['accounts', 2, 'settings', 'wir']` */
export type Path = readonly (string | number)[];

export interface ConfigFault {
  readonly path: Path;
  readonly message: string;
}

/** A fault as it is told: never with a secret in it. */
export interface SaidFault {
  /** `accounts[0].vendor`, an environment variable's name, or nothing for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The entry of the database that it is in: `models/gpt-x`. */
  readonly entry?: string;
}

/** `accounts[0].vendor: 'openia' is no known vendor (did you mean openai?) (gateway.yaml:3:24)` */
export function faultLine({ path, message, file, line, column }: SaidFault): string {
  const place = file === undefined || line === undefined ? '' : ` (${file}:${line}:${column ?? 1})`;
  return `${path === '' ? '' : `${path}: `}${message}${place}`;
}

/** What people read of a file with hundreds of faults. */
const MOST_SAID = 100;

/** Lines for people: as many as can be read, and how many there are beyond. */
export function faultLines(faults: readonly SaidFault[]): readonly string[] {
  const lines = faults.slice(0, MOST_SAID).map(faultLine);
  const more = faults.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** Every fault of a configuration; the message has a line for each of the first hundred. */
export class ConfigError extends Error {
  readonly faults: readonly SaidFault[];
  constructor(source: string, faults: readonly SaidFault[]) {
    super(
      `${source} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faultLines(faults)
        .map((line) => `  - ${line}`)
        .join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** `accounts[2].settings.wir` */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
