/** The only reader of the environment: pure, gives one frozen object or every fault at once. */
import { readFileSync } from 'node:fs';
import { YAMLParseError, parse } from 'yaml';
import type { ZodError } from 'zod';
import { interpolate, type Environment } from './interpolate.ts';
import { configSchema, type AccountRow, type ConfigFile, type KeyFileRow, type ModelFileRow } from './schema.ts';

/** Every fault of a configuration, one line each: `models[3].offers[0].account: no such account`. */
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

export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly adminPort: number | undefined;
    readonly publicUrl: string | undefined;
    readonly bodyLimit: number;
    readonly workers: number;
    readonly drainSeconds: number;
  };
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly twin: { readonly enabled: boolean; readonly videoSeconds: number };
  readonly tasks: { readonly pollSeconds: number; readonly deadlineHours: number };
  readonly files: {
    readonly folder: string;
    readonly keepHours: number;
    readonly copyResults: boolean;
    readonly s3: NonNullable<NonNullable<ConfigFile['files']>['s3']> | undefined;
  };
  readonly allowPrivate: readonly string[];
  readonly logLevel: string;
  readonly adminKey: string | undefined;
  /** `GATEWAY_CRASH_AT=submit.asked:3`: the process kills itself when it gets to that step for the third time. Read under `NODE_ENV=test` only. */
  readonly crashAt: { readonly label: string; readonly times: number } | undefined;
  readonly groupFactors: Readonly<Record<string, number>>;
  readonly keys: readonly KeyFileRow[];
  readonly accounts: readonly (AccountRow & { readonly on: boolean })[];
  readonly models: readonly ModelFileRow[];
  /** The file it came from, for reloads; undefined for the built-in catalogue. */
  readonly file: string | undefined;
}

const BUILT_IN = new URL('../../config/catalogue.yaml', import.meta.url);

/** Reads `GATEWAY_CONFIG` (or the built-in catalogue) and the environment. Throws ConfigError. */
export function readConfig(env: Environment): Config {
  const file = given(env['GATEWAY_CONFIG']);
  const builtIn = parseFile(readFileSync(BUILT_IN, 'utf8'), env, 'the built-in catalogue');
  const own =
    file === undefined
      ? { config: {} as ConfigFile, unset: new Map<string, string>() }
      : parseFile(readText(file), env, file);
  const source = file ?? 'the built-in catalogue';
  const faults: string[] = [];

  // A file with models is a catalogue of its own; one without adds accounts to, or changes accounts of, the built-in one.
  const ownModels = own.config.models !== undefined;
  const models = own.config.models ?? builtIn.config.models ?? [];
  const accounts = ownModels
    ? accountsOf(own)
    : [
        ...accountsOf(own),
        ...accountsOf(builtIn).filter(({ name }) => !(own.config.accounts ?? []).some((mine) => mine.name === name)),
      ];
  faults.push(...crossFaults(models, accounts, own.config.keys ?? []));
  for (const [path, variable] of own.unset) {
    if (!/^accounts\[\d+\]\.credentials\./.test(path))
      faults.push(`${path}: the environment variable ${variable} is not set`);
  }
  const server = own.config.server ?? {};
  if ((server.workers ?? 1) > 1) {
    faults.push(
      'server.workers: one process has one worker in this version; run several processes on one PostgreSQL instead',
    );
  }
  const port = given(env['PORT']);
  if (port !== undefined && !/^\d{1,5}$/.test(port)) faults.push(`PORT: '${port}' is no port number`);
  if (faults.length > 0) throw new ConfigError(source, faults);

  return Object.freeze({
    server: {
      host: given(env['HOST']) ?? server.host ?? '127.0.0.1',
      port: port === undefined ? (server.port ?? 8080) : Number(port),
      adminPort: server.admin_port,
      publicUrl: server.public_url?.replace(/\/+$/, ''),
      bodyLimit: server.body_limit ?? 64 * 1024 * 1024,
      workers: server.workers ?? 1,
      drainSeconds: server.drain_seconds ?? 30,
    },
    databaseUrl: given(env['DATABASE_URL']) ?? own.config.database?.url ?? 'sqlite:./data/gateway.db',
    redisUrl: given(env['REDIS_URL']) ?? own.config.redis?.url,
    twin: { enabled: own.config.twin?.enabled ?? true, videoSeconds: own.config.twin?.video_seconds ?? 3 },
    tasks: { pollSeconds: own.config.tasks?.poll_seconds ?? 5, deadlineHours: own.config.tasks?.deadline_hours ?? 24 },
    files: {
      folder: own.config.files?.folder ?? './data/files',
      keepHours: own.config.files?.keep_hours ?? 24,
      copyResults: own.config.files?.copy_results ?? false,
      s3: own.config.files?.s3,
    },
    allowPrivate: own.config.security?.allow_private ?? [],
    logLevel: given(env['LOG_LEVEL']) ?? own.config.log?.level ?? 'info',
    adminKey: given(env['GATEWAY_ADMIN_KEY']),
    crashAt: env['NODE_ENV'] === 'test' ? crashAtOf(given(env['GATEWAY_CRASH_AT'])) : undefined,
    groupFactors: {
      default: 1,
      ...Object.fromEntries(Object.entries(own.config.groups ?? {}).map(([name, group]) => [name, group.factor])),
    },
    keys: own.config.keys ?? [],
    accounts,
    models,
    file,
  });
}

interface Parsed {
  readonly config: ConfigFile;
  readonly unset: ReadonlyMap<string, string>;
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

function crashAtOf(text: string | undefined): Config['crashAt'] {
  const [, label, times] = /^([a-z.]+):(\d{1,6})$/.exec(text ?? '') ?? [];
  return label === undefined ? undefined : { label, times: Number(times) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ConfigError(file, [
      code === 'ENOENT'
        ? 'there is no such file (GATEWAY_CONFIG names it)'
        : `it cannot be read (${code ?? 'unknown reason'})`,
    ]);
  }
}

function parseFile(text: string, env: Environment, source: string): Parsed {
  let document: unknown;
  try {
    document = parse(text) ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw new ConfigError(source, [error.message.split('\n')[0] ?? 'it is not YAML']);
    throw error;
  }
  const { value, unset } = interpolate(document, env);
  const result = configSchema.safeParse(value);
  if (!result.success) throw new ConfigError(source, faultLines(result.error));
  return { config: result.data, unset };
}

function faultLines(error: ZodError): string[] {
  return error.issues.flatMap((issue) => {
    const path = pathText(issue.path);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${path === '' ? key : `${path}.${key}`}: unknown key`);
    return [`${path === '' ? 'the file' : path}: ${issue.message}`];
  });
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

/** An account is on when every credential it names has a value; one that names none (a local model) is on too. */
function accountsOf({ config, unset }: Parsed): (AccountRow & { on: boolean })[] {
  return (config.accounts ?? []).map((account, index) => ({
    ...account,
    on:
      ![...unset.keys()].some((path) => path.startsWith(`accounts[${index}].`)) &&
      Object.values(account.credentials ?? {}).every((value) => value !== ''),
  }));
}

function crossFaults(
  models: readonly ModelFileRow[],
  accounts: readonly AccountRow[],
  keys: readonly KeyFileRow[],
): string[] {
  const faults: string[] = [];
  const names = new Set(accounts.map(({ name }) => name));
  const twice = (what: string, values: readonly (string | number)[]): void => {
    values.forEach((value, index) => {
      if (values.indexOf(value) !== index)
        faults.push(`${what.replace('#', String(index))}: '${value}' is there twice`);
    });
  };
  twice(
    'accounts[#].name',
    accounts.map(({ name }) => name),
  );
  twice(
    'accounts[#].id',
    accounts.map(({ id }) => id),
  );
  twice(
    'models[#].code',
    models.map(({ code }) => code),
  );
  twice(
    'keys[#].name',
    keys.map(({ name }) => name),
  );
  const keyTexts = keys.map(({ key }) => key);
  keyTexts.forEach((text, index) => {
    if (keyTexts.indexOf(text) !== index) faults.push(`keys[${index}].key: the same key is there twice`);
  });
  models.forEach((model, index) => {
    model.offers.forEach((offer, place) => {
      if (!names.has(offer.account))
        faults.push(`models[${index}].offers[${place}].account: there is no account '${offer.account}'`);
    });
  });
  return faults;
}
