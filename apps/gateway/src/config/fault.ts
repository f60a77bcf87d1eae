/** Faults and warnings of a configuration: where, and what would be right. */

/** `['accounts', 2, 'settings', 'wir']` */
export type Path = readonly (string | number)[];

export interface ConfigFault {
  readonly path: Path;
  readonly message: string;
}

/** Every fault of a configuration, one line each: `models[3].offers[0].account: there is no account 'x' (line 12, column 16)`. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(source: string, faults: readonly string[]) {
    super(
      `${source} has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
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
