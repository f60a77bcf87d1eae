/** The only reader of the environment: pure, gives one frozen object or every fault at once. */
import { UNITS_PER_DOLLAR, type JsonObject } from '@model-gateway/contracts';
import type { BudgetRule, Guardrail, McpSettings } from '@model-gateway/core';
import { stateOf } from './account-state.ts';
import { alertsOf, type AlertSettings } from './alerts.ts';
import { guardrailOf } from './guardrails.ts';
import { encryptionKeyFile, readKeyFile, USUAL_DATABASE } from './encryption-key.ts';
import { environmentFaults, keysIn, proxiesIn } from './environment-faults.ts';
import { ConfigError, faultLine, type SaidFault } from './fault.ts';
import { given, type Environment } from './interpolate.ts';
import { mcpOf } from './mcp.ts';
import { meaningWarnings } from './meaning.ts';
import { requestFaults, requestsOf, type RequestLogSettings } from './requests.ts';
import { rowsOf } from './rows.ts';
import {
  configSchema,
  OPEN_METRICS,
  type CONFIG_KEPT_IN,
  type LOG_FORMATS,
  type AccountRow,
  type ConfigFile,
  type KeyFileRow,
  type OwnerFileRow,
  type ModelFileRow,
} from './schema.ts';
import { BUILT_IN_NAME } from './built-in.ts';
import { faultsIn, lines, readSources, type ReadOptions } from './read-sources.ts';
import type { ConfigSource } from './source.ts';
import { tokenIssuersOf, type TokenIssuer } from './caller-tokens.ts';
import { spendBudgetOf } from './spend-budgets.ts';
import { singleSignOnOf, type SingleSignOn } from './single-sign-on.ts';
import { telemetrySettings, type TelemetrySettings } from '../telemetry/settings.ts';
import { spendMetricsOf, type SpendMetricsSettings } from '../telemetry/spend-labels.ts';

export { ConfigError };

type Bucket = NonNullable<NonNullable<ConfigFile['files']>['s3']>;

export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly adminPort: number | undefined;
    readonly publicUrl: string | undefined;
    readonly bodyLimit: number;
    /** Bytes of all bodies under way. */
    readonly bodyMemory: number;
    /** Undefined where nothing is said. */
    readonly workers: number | 'auto' | undefined;
    /** A line for a fault of `workers` with its place: `%s` stands for what is wrong. */
    readonly workersFault: string;
    /** Between the moment when readiness turns red and the one when the port closes. */
    readonly drainDelaySeconds: number;
    readonly drainSeconds: number;
    /** Addresses and ranges of the operator's own proxies. */
    readonly trustedProxies: readonly string[];
    /** Texts that are no key, of one address in a minute. */
    readonly unknownKeysPerMinute: number;
    /** Bytes of answers kept for Idempotency-Keys, of one owner and mode. */
    readonly keptAnswers: number;
    /** Bytes of answers kept by the `cache` of models, in one process. */
    readonly responseCache: number;
    /** Streams that can be resumed, of one owner and mode, that run at once. */
    readonly resumableStreams: number;
    /** Where the process runs, for conditions of routes. */
    readonly region: string | undefined;
    /** What /metrics asks for: a key, nothing (`open`), or what nobody has where there is no key and others reach the port. */
    readonly metrics: 'open' | 'closed' | { readonly key: string };
  };
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  /** Which requests the database knows before their vendor is asked: those from so many quota units, and with so few worst cases left. */
  /** Quota units. */
  readonly overdraft: number;
  readonly durability: { readonly above: number; readonly worstCases: number };
  /** `enabled` is undefined where nothing is said: it is on where it is needed. */
  readonly twin: { readonly enabled: boolean | undefined; readonly videoSeconds: number };
  readonly tasks: {
    readonly pollSeconds: number;
    readonly deadlineHours: number;
    readonly queueSeconds: number;
    readonly vendorWebhooks: boolean;
  };
  readonly files: {
    readonly folder: string;
    readonly keepHours: number;
    /** Bytes of pictures kept for links, of one owner and mode. */
    readonly keptPictures: number;
    /** Bytes of one file that a caller uploads. */
    readonly largestUpload: number;
    /** What one owner may upload and keep, in each mode: bytes, and files. */
    readonly uploads: number;
    readonly uploadsCount: number;
    readonly atVendorsFrom: number;
    readonly copyResults: boolean;
    readonly s3: Bucket | undefined;
  };
  readonly allowPrivate: readonly string[];
  /** Absent: refused where there is more than one owner. */
  readonly unknownVendorIds: 'refuse' | 'pass' | undefined;
  /** 32 bytes in base64 each, those of the configuration before those of the database's file of keys: the first encrypts, all decrypt; none where nothing is kept. */
  readonly encryptionKeys: readonly string[];
  /** `keptBytes`: of one owner and mode. */
  readonly responses: {
    readonly keepDays: number;
    readonly keptBytes: number;
    readonly compaction: { readonly model?: string; readonly prompt?: string };
  };
  readonly batches: {
    readonly concurrency: number;
    readonly keepDays: number;
    readonly maxWaiting: number;
    readonly keptBytes: number;
    readonly vendor: 'when_cheaper' | 'never';
  };
  readonly logLevel: string;
  /** `auto`: text on a terminal, JSON otherwise. */
  readonly logFormat: (typeof LOG_FORMATS)[number];
  /** Where lines go in place of standard output, as JSON. */
  readonly logFile: string | undefined;
  /** Absent where nothing is exported. */
  readonly telemetry: TelemetrySettings | undefined;
  readonly spendMetrics: SpendMetricsSettings;
  readonly usageExport: { readonly s3: Bucket; readonly everyMinutes: number } | undefined;
  /** Absent where nobody is told. */
  readonly alerts: AlertSettings | undefined;
  /** Of requests, in the database. */
  readonly requests: RequestLogSettings;
  readonly console: {
    readonly enabled: boolean;
    readonly sessionHours: number;
    readonly idleMinutes: number;
    /** Absent: people sign in with keys alone. */
    readonly oidc: SingleSignOn | undefined;
  };
  /** Whose tokens are taken in place of keys. */
  readonly tokenIssuers: readonly TokenIssuer[];
  readonly adminKey: string | undefined;
  readonly groupFactors: Readonly<Record<string, number>>;
  /** Of the groups that say one. */
  readonly groupWeights: Readonly<Record<string, number>>;
  /** Groups whose keys may not say which way a request takes. */
  readonly closedGroups: readonly string[];
  readonly owners: readonly OwnerFileRow[];
  readonly keys: readonly KeyFileRow[];
  /** Above keys. */
  readonly budgets: readonly BudgetRule[];
  readonly accounts: readonly (AccountRow & { readonly on: boolean; readonly offReason?: string })[];
  readonly models: readonly ModelFileRow[];
  /** The code that unknown names stand for. */
  readonly defaultModel: string | undefined;
  /** What looks through chats. */
  readonly guardrails: readonly Guardrail[];
  /** Absent where nothing of it is configured. */
  readonly mcp: McpSettings | undefined;
  /** What can hardly be meant, one line each with its place: models without a price, keys for no model, accounts for no row. */
  readonly warnings: readonly SaidFault[];
  /** Whether the built-in catalogue is beneath the file's rows; true of the built-in catalogue itself. */
  readonly isExtending: boolean;
  /** The file it came from, for reloads; undefined for the built-in catalogue. */
  readonly file: string | undefined;
  /** What the file says, as it was read; secrets may be in it. */
  readonly text: string | undefined;
  /** `database`: rows that are kept there lie over those of the file. */
  readonly source: (typeof CONFIG_KEPT_IN)[number];
  /** Rows of the database that do not fit, and are as if they were not there. */
  readonly leftOut: readonly LeftOut[];
  /** What the file says, for operators to see: without secrets, and without what the environment says. */
  readonly shown: JsonObject;
}

/** A row of the database that is left out, and why. */
export interface LeftOut {
  /** `models/gpt-x` */
  readonly entry: string;
  readonly faults: readonly SaidFault[];
}

const MB = 1024 * 1024;
/** Addresses that other machines do not reach. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i;

/** Reads `GATEWAY_CONFIG` (or the built-in catalogue) and the environment. Throws ConfigError with every fault there is. */
export function readConfig(env: Environment, options: ReadOptions = {}): Config {
  const { file, text, own, builtIn, database } = readSources(env, options);
  const sources = [own, builtIn, database];
  const rows = rowsOf(own, builtIn, database);
  const faults = [...faultsIn(sources, rows), ...requestFaults(own, env), ...environmentFaults(env)];
  if (faults.length > 0) throw new ConfigError(file ?? BUILT_IN_NAME, faults);

  const read = configSchema.parse(own?.value ?? {});
  const server = serverOf(read, env, own);
  const databaseUrl = given(env['DATABASE_URL']) ?? read.database?.url ?? USUAL_DATABASE;
  return Object.freeze({
    server,
    databaseUrl,
    redisUrl: given(env['REDIS_URL']) ?? read.redis?.url,
    overdraft: Math.round((read.money?.overdraft ?? 0.25) * UNITS_PER_DOLLAR),
    durability: {
      above: Math.round((read.durability?.above ?? 5) * UNITS_PER_DOLLAR),
      worstCases: read.durability?.worst_cases ?? 16,
    },
    twin: { enabled: read.twin?.enabled, videoSeconds: read.twin?.video_seconds ?? 3 },
    tasks: tasksOf(read.tasks),
    files: filesOf(read.files),
    allowPrivate: read.security?.allow_private ?? [],
    unknownVendorIds: read.security?.unknown_vendor_ids,
    encryptionKeys: encryptionKeysOf(
      given(env['GATEWAY_ENCRYPTION_KEY']) ?? read.security?.encryption_key,
      databaseUrl,
    ),
    responses: responsesOf(read.responses),
    batches: batchesOf(read.batches),
    logLevel: given(env['LOG_LEVEL']) ?? read.log?.level ?? 'info',
    logFormat: (given(env['LOG_FORMAT']) as Config['logFormat'] | undefined) ?? read.log?.format ?? 'auto',
    logFile: given(env['LOG_FILE']) ?? read.log?.file,
    telemetry: telemetrySettings(read.telemetry, env),
    spendMetrics: spendMetricsOf(read.telemetry?.spend, metricsKeyOf(read, env) === OPEN_METRICS),
    usageExport: usageExportOf(read.usage_export),
    alerts: alertsOf(read.alerts),
    requests: requestsOf(read.requests),
    console: consoleOf(read.console),
    tokenIssuers: tokenIssuersOf(read.callers),
    adminKey: given(env['GATEWAY_ADMIN_KEY']),
    ...groupsOf(Object.entries(read.groups ?? {})),
    owners: read.owners ?? [],
    keys: read.keys ?? [],
    budgets: rows.budgets.map(({ row }) => spendBudgetOf(row)),
    accounts: rows.accounts.map((placed) => ({ ...placed.row, ...stateOf(placed) })),
    models: rows.models.map(({ row }) => row),
    defaultModel: read.default_model,
    guardrails: (read.guardrails ?? []).map(guardrailOf),
    mcp: mcpOf(read.mcp),
    warnings: lines(sources, meaningWarnings(rows, Object.keys(read.groups ?? {}))),
    isExtending: builtIn !== undefined,
    file,
    text,
    source: (given(env['GATEWAY_CONFIG_SOURCE']) as Config['source'] | undefined) ?? read.config?.source ?? 'database',
    leftOut: [],
    shown: own?.shown() ?? {},
  });
}

function serverOf(read: ConfigFile, env: Environment, own: ConfigSource | undefined): Config['server'] {
  const { server = {} } = read;
  const host = given(env['HOST']) ?? server.host ?? '127.0.0.1';
  const port = given(env['PORT']);
  return {
    host,
    port: port === undefined ? (server.port ?? 8080) : Number(port),
    adminPort: server.admin_port,
    publicUrl: server.public_url?.replace(/\/+$/, ''),
    bodyLimit: server.body_limit ?? 64 * MB,
    bodyMemory: server.body_memory ?? 256 * MB,
    ...workersOf(server.workers, given(env['GATEWAY_WORKERS']), own),
    drainDelaySeconds: server.drain_delay_seconds ?? 0,
    drainSeconds: server.drain_seconds ?? 30,
    trustedProxies: proxiesIn(given(env['GATEWAY_TRUSTED_PROXIES'])) ?? server.trusted_proxies ?? [],
    unknownKeysPerMinute: server.unknown_keys_per_minute ?? 300,
    keptAnswers: server.kept_answers ?? 4096 * MB,
    responseCache: server.response_cache ?? 64 * MB,
    resumableStreams: server.resumable_streams ?? 64,
    region: server.region,
    metrics: metricsOf(metricsKeyOf(read, env), host),
  };
}

function workersOf(
  ofFile: Config['server']['workers'],
  ofEnvironment: string | undefined,
  own: ConfigSource | undefined,
): Pick<Config['server'], 'workers' | 'workersFault'> {
  if (ofEnvironment !== undefined) {
    const workers = ofEnvironment === 'auto' ? 'auto' : Number(ofEnvironment);
    return { workers, workersFault: 'GATEWAY_WORKERS: %s' };
  }
  const said = own?.said({ path: ['server', 'workers'], message: '%s' });
  return { workers: ofFile, workersFault: faultLine(said ?? { path: 'server.workers', message: '%s' }) };
}

function metricsKeyOf({ server }: ConfigFile, env: Environment): string | undefined {
  return given(env['GATEWAY_METRICS_KEY']) ?? server?.metrics_key;
}

function metricsOf(key: string | undefined, host: string): Config['server']['metrics'] {
  if (key !== undefined) return key === OPEN_METRICS ? 'open' : { key };
  return LOOPBACK.test(host) ? 'open' : 'closed';
}

function tasksOf(tasks: ConfigFile['tasks'] = {}): Config['tasks'] {
  return {
    pollSeconds: tasks.poll_seconds ?? 5,
    deadlineHours: tasks.deadline_hours ?? 24,
    queueSeconds: tasks.queue_seconds ?? 3600,
    vendorWebhooks: tasks.vendor_webhooks ?? false,
  };
}

function filesOf(files: ConfigFile['files'] = {}): Config['files'] {
  return {
    folder: files.folder ?? './data/files',
    keepHours: files.keep_hours ?? 24,
    keptPictures: files.kept_pictures ?? 16_384 * MB,
    largestUpload: files.largest_upload ?? 512 * MB,
    uploads: files.uploads ?? 8192 * MB,
    uploadsCount: files.uploads_count ?? 10_000,
    atVendorsFrom: files.at_vendors_from ?? 4_194_304,
    copyResults: files.copy_results ?? false,
    s3: files.s3,
  };
}

/** Those that are said, before those of the database's file. */
function encryptionKeysOf(said: string | readonly string[] | undefined, databaseUrl: string): readonly string[] {
  const keyFile = encryptionKeyFile(databaseUrl);
  return [...new Set([...keysIn(said), ...(keyFile === undefined ? [] : readKeyFile(keyFile))])];
}

function responsesOf(responses: ConfigFile['responses'] = {}): Config['responses'] {
  const { compaction_model: model, compaction_prompt: prompt } = responses;
  return {
    keepDays: responses.keep_days ?? 30,
    keptBytes: responses.kept_bytes ?? 1024 * MB,
    compaction: { ...(model !== undefined && { model }), ...(prompt !== undefined && { prompt }) },
  };
}

function batchesOf(batches: ConfigFile['batches'] = {}): Config['batches'] {
  return {
    concurrency: batches.concurrency ?? 16,
    keepDays: batches.keep_days ?? 29,
    maxWaiting: batches.max_waiting ?? 200_000,
    keptBytes: batches.kept_bytes ?? 1024 * MB,
    vendor: batches.vendor ?? 'when_cheaper',
  };
}

function usageExportOf(wanted: ConfigFile['usage_export']): Config['usageExport'] {
  return wanted === undefined ? undefined : { s3: wanted.s3, everyMinutes: wanted.every_minutes ?? 60 };
}

function consoleOf(wanted: ConfigFile['console'] = {}): Config['console'] {
  return {
    enabled: wanted.enabled ?? true,
    sessionHours: wanted.session_hours ?? 24,
    idleMinutes: wanted.idle_minutes ?? 120,
    oidc: singleSignOnOf(wanted.oidc),
  };
}

type Group = NonNullable<ConfigFile['groups']>[string];

function groupsOf(
  groups: readonly (readonly [string, Group])[],
): Pick<Config, 'groupFactors' | 'groupWeights' | 'closedGroups'> {
  return {
    groupFactors: { default: 1, ...Object.fromEntries(groups.map(([name, { factor }]) => [name, factor])) },
    groupWeights: Object.fromEntries(
      groups.flatMap(([name, { queue_weight: weight }]) => (weight === undefined ? [] : [[name, weight]])),
    ),
    closedGroups: groups.flatMap(([name, group]) => (group.may_route === false ? [name] : [])),
  };
}
