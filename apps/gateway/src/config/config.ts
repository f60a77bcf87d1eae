/** The only reader of the environment: pure, gives one frozen object or every fault at once. */
import { readFileSync } from 'node:fs';
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { adapters } from '../adapters.ts';
import { SHORTEST_ADMIN_KEY } from '../admin/admin-key.ts';
import { isFilled } from './declared-faults.ts';
import { ConfigError, pathText } from './fault.ts';
import type { Environment } from './interpolate.ts';
import { meaningFaults, meaningWarnings, type PlacedFault } from './meaning.ts';
import { rowsOf, type ConfigRows } from './rows.ts';
import { schemaFaults } from './schema-faults.ts';
import {
  configSchema,
  SHORTEST_METRICS_KEY,
  type AccountRow,
  type ConfigFile,
  type KeyFileRow,
  type ModelFileRow,
} from './schema.ts';
import { readSource, type ConfigSource } from './source.ts';

export { ConfigError };

export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly adminPort: number | undefined;
    readonly publicUrl: string | undefined;
    readonly bodyLimit: number;
    /** Bytes of all bodies under way. */
    readonly bodyMemory: number;
    readonly workers: number;
    readonly drainSeconds: number;
    /** Addresses and ranges of the operator's own proxies. */
    readonly trustedProxies: readonly string[];
    /** Texts that are no key, of one address in a minute. */
    readonly unknownKeysPerMinute: number;
    /** Bytes of answers kept for Idempotency-Keys, of one owner and mode. */
    readonly keptAnswers: number;
    /** What /metrics asks for; nothing when undefined. */
    readonly metricsKey: string | undefined;
  };
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  /** Which requests the database knows before their vendor is asked: those from so many quota units, and with so few worst cases left. */
  readonly durability: { readonly above: number; readonly worstCases: number };
  /** `enabled` is undefined where nothing is said: it is on where it is needed. */
  readonly twin: { readonly enabled: boolean | undefined; readonly videoSeconds: number };
  readonly tasks: { readonly pollSeconds: number; readonly deadlineHours: number };
  readonly files: {
    readonly folder: string;
    readonly keepHours: number;
    /** Bytes of pictures kept for links, of one owner and mode. */
    readonly keptPictures: number;
    readonly copyResults: boolean;
    readonly s3: NonNullable<NonNullable<ConfigFile['files']>['s3']> | undefined;
  };
  readonly allowPrivate: readonly string[];
  /** Absent: refused where there is more than one owner. */
  readonly unknownVendorIds: 'refuse' | 'pass' | undefined;
  readonly logLevel: string;
  readonly adminKey: string | undefined;
  readonly groupFactors: Readonly<Record<string, number>>;
  readonly keys: readonly KeyFileRow[];
  readonly accounts: readonly (AccountRow & { readonly on: boolean })[];
  readonly models: readonly ModelFileRow[];
  /** What can hardly be meant, one line each with its place: models without a price, keys for no model, accounts for no row. */
  readonly warnings: readonly string[];
  /** The file it came from, for reloads; undefined for the built-in catalogue. */
  readonly file: string | undefined;
}

const MB = 1024 * 1024;
const BUILT_IN = new URL('../../config/catalogue.yaml', import.meta.url);
const BUILT_IN_NAME = 'the built-in catalogue';

/** Reads `GATEWAY_CONFIG` (or the built-in catalogue) and the environment. Throws ConfigError with every fault there is. */
export function readConfig(env: Environment): Config {
  const file = given(env['GATEWAY_CONFIG']);
  const own = file === undefined ? undefined : readSource(readText(file), env, file);
  // A file with models is a catalogue of its own; one without adds accounts to, or changes accounts of, the built-in one.
  const isWhole = (own?.value as { readonly models?: unknown } | undefined)?.models !== undefined;
  const builtIn = isWhole ? undefined : readSource(readFileSync(BUILT_IN, 'utf8'), env, BUILT_IN_NAME);
  const rows = rowsOf(own, builtIn);
  const faults = [...faultsIn([own, builtIn], rows), ...environmentFaults(env)];
  if (faults.length > 0) throw new ConfigError(file ?? BUILT_IN_NAME, faults);

  const read = configSchema.parse(own?.value ?? {});
  const server = read.server ?? {};
  const port = given(env['PORT']);
  return Object.freeze({
    server: {
      host: given(env['HOST']) ?? server.host ?? '127.0.0.1',
      port: port === undefined ? (server.port ?? 8080) : Number(port),
      adminPort: server.admin_port,
      publicUrl: server.public_url?.replace(/\/+$/, ''),
      bodyLimit: server.body_limit ?? 64 * MB,
      bodyMemory: server.body_memory ?? 256 * MB,
      workers: server.workers ?? 1,
      drainSeconds: server.drain_seconds ?? 30,
      trustedProxies: server.trusted_proxies ?? [],
      unknownKeysPerMinute: server.unknown_keys_per_minute ?? 300,
      keptAnswers: server.kept_answers ?? 4096 * MB,
      metricsKey: given(env['GATEWAY_METRICS_KEY']) ?? server.metrics_key,
    },
    databaseUrl: given(env['DATABASE_URL']) ?? read.database?.url ?? 'sqlite:./data/gateway.db',
    redisUrl: given(env['REDIS_URL']) ?? read.redis?.url,
    durability: {
      above: Math.round((read.durability?.above ?? 5) * UNITS_PER_DOLLAR),
      worstCases: read.durability?.worst_cases ?? 16,
    },
    twin: { enabled: read.twin?.enabled, videoSeconds: read.twin?.video_seconds ?? 3 },
    tasks: { pollSeconds: read.tasks?.poll_seconds ?? 5, deadlineHours: read.tasks?.deadline_hours ?? 24 },
    files: {
      folder: read.files?.folder ?? './data/files',
      keepHours: read.files?.keep_hours ?? 24,
      keptPictures: read.files?.kept_pictures ?? 16_384 * MB,
      copyResults: read.files?.copy_results ?? false,
      s3: read.files?.s3,
    },
    allowPrivate: read.security?.allow_private ?? [],
    unknownVendorIds: read.security?.unknown_vendor_ids,
    logLevel: given(env['LOG_LEVEL']) ?? read.log?.level ?? 'info',
    adminKey: given(env['GATEWAY_ADMIN_KEY']),
    groupFactors: {
      default: 1,
      ...Object.fromEntries(Object.entries(read.groups ?? {}).map(([name, group]) => [name, group.factor])),
    },
    keys: read.keys ?? [],
    accounts: rows.accounts.map((placed) => ({ ...placed.row, on: isOn(placed) })),
    models: rows.models.map(({ row }) => row),
    warnings: lines([own, builtIn], meaningWarnings(rows, Object.keys(read.groups ?? {}))),
    file,
  });
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
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

const CREDENTIAL = /^accounts\[\d+\]\.credentials\./;

/** What is wrong with the files, in the order of their lines; what is said of the built-in one begins so. */
function faultsIn(sources: readonly (ConfigSource | undefined)[], rows: ConfigRows): readonly string[] {
  const [own] = sources;
  const unset = [...(own?.unset ?? [])].filter(([path]) => !CREDENTIAL.test(path));
  const all: PlacedFault[] = [
    ...sources.flatMap((source) =>
      source === undefined ? [] : schemaFaults(configSchema, source.value).map((fault) => ({ ...fault, source })),
    ),
    ...meaningFaults(rows, adapters),
  ];
  // What an unset variable leads to is not said beside it.
  const others = all.filter(({ path, source }) => !source.unset.has(pathText(path)));
  const named = unset.map(([text, variable]) => ({
    path: pathOf(text),
    message: `the environment variable ${variable} is not set`,
    source: own as ConfigSource,
  }));
  return lines(sources, [...named, ...others]);
}

function lines(sources: readonly (ConfigSource | undefined)[], faults: readonly PlacedFault[]): readonly string[] {
  return sources.flatMap((source) => {
    if (source === undefined) return [];
    const ordered = source.inOrder(faults.filter((fault) => fault.source === source));
    return ordered.map((fault) =>
      source.name === BUILT_IN_NAME ? `built-in ${pathText(fault.path)}: ${fault.message}` : source.lineOf(fault),
    );
  });
}

/** The other way round than `pathText`. */
function pathOf(text: string): (string | number)[] {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map((match) =>
    match[1] === undefined ? match[0] : Number(match[1]),
  );
}

function environmentFaults(env: Environment): readonly string[] {
  const port = given(env['PORT']);
  const adminKey = given(env['GATEWAY_ADMIN_KEY']);
  const metricsKey = given(env['GATEWAY_METRICS_KEY']);
  return [
    ...(port === undefined || /^\d{1,5}$/.test(port) ? [] : [`PORT: '${port}' is no port number`]),
    ...(adminKey === undefined || adminKey.length >= SHORTEST_ADMIN_KEY
      ? []
      : [`GATEWAY_ADMIN_KEY: it has ${adminKey.length} characters and needs ${SHORTEST_ADMIN_KEY} or more`]),
    ...(metricsKey === undefined || metricsKey.length >= SHORTEST_METRICS_KEY
      ? []
      : [`GATEWAY_METRICS_KEY: it has ${metricsKey.length} characters and needs ${SHORTEST_METRICS_KEY} or more`]),
  ];
}

/** An account is on when every credential it names has a value, and its vendor finds enough among them; a local model may name none. */
function isOn({ path, row, source }: ConfigRows['accounts'][number]): boolean {
  const place = `${pathText(path)}.`;
  return (
    ![...source.unset.keys()].some((text) => text.startsWith(place)) &&
    Object.values(row.credentials ?? {}).every((value) => value !== '') &&
    isFilled(row, adapters)
  );
}
