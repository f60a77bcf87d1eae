/** What became of a configuration, in words for people: never with a secret in it. */
import type { Config } from './config.ts';

export interface ConfigChanges {
  /** `model gpt-5.2: price.input 1.25 → 2`; one each, in the order of the file's sections. */
  readonly changes: readonly string[];
  /** Settings that were changed and stay as they were until the next start: `server.port`. */
  readonly needRestart: readonly string[];
}

/** Members of a configuration that take effect at once. */
const LIVE = new Set<keyof Config>([
  'accounts',
  'budgets',
  'closedGroups',
  'defaultModel',
  'file',
  'guardrails',
  'groupFactors',
  'groupWeights',
  'isExtending',
  'keys',
  'leftOut',
  'logLevel',
  'mcp',
  'models',
  'owners',
  'shown',
  'source',
  'text',
  'warnings',
]);
/** What settings are called in the file, where that is not the member's own name. */
const NAMES: Readonly<Record<string, string>> = {
  adminKey: 'GATEWAY_ADMIN_KEY',
  allowPrivate: 'security.allow_private',
  databaseUrl: 'database.url',
  encryptionKeys: 'security.encryption_key',
  logFormat: 'log.format',
  logFile: 'log.file',
  redisUrl: 'redis.url',
  spendMetrics: 'telemetry.spend',
  tokenIssuers: 'callers.jwt',
  unknownVendorIds: 'security.unknown_vendor_ids',
};
/** Told by the section's name: their members are called otherwise in the file. */
const WHOLE = new Set<string>(['alerts', 'telemetry', 'usageExport']);
/** Made of others, or told among the changes. */
const ELSEWHERE = new Set(['server.workers_fault', 'server.region']);

/** Compares what was read before with what was read now. */
export function configChanges(before: Config, after: Config): ConfigChanges {
  return {
    changes: [
      ...(before.source === after.source ? [] : [`config.source ${before.source} → ${after.source}`]),
      ...(before.logLevel === after.logLevel ? [] : [`log.level ${before.logLevel} → ${after.logLevel}`]),
      ...(before.server.region === after.server.region
        ? []
        : [`server.region ${shown(before.server.region)} → ${shown(after.server.region)}`]),
      ...(before.defaultModel === after.defaultModel
        ? []
        : [`default_model ${shown(before.defaultModel)} → ${shown(after.defaultModel)}`]),
      ...(isSame(before.closedGroups, after.closedGroups)
        ? []
        : [`groups that may not route: ${after.closedGroups.join(', ') || 'none'}`]),
      ...rowChanges('guardrail', byName(before.guardrails, 'name'), byName(after.guardrails, 'name')),
      ...rowChanges('MCP server', byName(before.mcp?.servers ?? [], 'name'), byName(after.mcp?.servers ?? [], 'name')),
      ...(isSame({ ...before.mcp, servers: [] }, { ...after.mcp, servers: [] }) ? [] : ['mcp: its settings']),
      ...groupChanges(before.groupFactors, after.groupFactors),
      ...weightChanges(before.groupWeights, after.groupWeights),
      ...rowChanges('owner', byName(before.owners, 'name'), byName(after.owners, 'name')),
      ...rowChanges('budget', byName(before.budgets, 'name'), byName(after.budgets, 'name')),
      ...rowChanges('key', byName(before.keys, 'name'), byName(after.keys, 'name')),
      ...rowChanges('account', byName(before.accounts, 'name'), byName(after.accounts, 'name')),
      ...rowChanges('model', byName(before.models, 'code'), byName(after.models, 'code')),
    ],
    needRestart: settingsThatDiffer(before, after),
  };
}

const MOST_TOLD = 20;

/** The changes as one line: the first twenty, and how many there are beyond. */
export function changesLine({ changes, needRestart }: ConfigChanges): string {
  const told = changes.slice(0, MOST_TOLD);
  const more = changes.length - told.length;
  const what = changes.length === 0 ? 'nothing changed' : told.join('; ') + (more > 0 ? `; and ${more} more` : '');
  const rest = needRestart.length === 0 ? '' : `. From the next start only: ${needRestart.join(', ')}`;
  return `the configuration was read again: ${what}${rest}`;
}

type Row = Readonly<Record<string, unknown>>;

function byName<Member extends string>(
  rows: readonly (object & { readonly [name in Member]: string })[],
  member: Member,
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row[member], row as unknown as Row]));
}

function groupChanges(before: Config['groupFactors'], after: Config['groupFactors']): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((group) => {
    const [was, is] = [before[group], after[group]];
    if (was === is) return [];
    if (was === undefined) return [`group ${group} is new, with factor ${is}`];
    return [is === undefined ? `group ${group} is gone` : `group ${group}: factor ${was} → ${is}`];
  });
}

function weightChanges(before: Config['groupWeights'], after: Config['groupWeights']): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((group) => {
    const [was = 1, is = 1] = [before[group], after[group]];
    return was === is ? [] : [`group ${group}: queue_weight ${was} → ${is}`];
  });
}

function rowChanges(
  word: string,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
): readonly string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${word} ${name} is gone`);
  const other = [...after].flatMap(([name, row]) => {
    const was = before.get(name);
    if (was === undefined) return [`${word} ${name} is new`];
    const members = memberChanges(was, row);
    return members.length === 0 ? [] : [`${word} ${name}: ${members.join(', ')}`];
  });
  return [...gone, ...other];
}

/** Members whose values are told; of all others the name is enough, and of some it must be. */
const TOLD = new Set([
  'price',
  'limits',
  'on',
  'group',
  'owner',
  'credit_limit',
  'organization',
  'max_concurrency',
  'max_jobs',
  'expires_at',
  'weight',
  'priority',
]);

function memberChanges(before: Row, after: Row): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (isSame(was, is)) return [];
    // It is told by `on`.
    if (name === 'offReason') return [];
    if (name === 'on') return [is === true ? 'it is on now' : 'it is off now'];
    if (!TOLD.has(name)) return [name];
    if (!isRow(was ?? {}) || !isRow(is ?? {})) return [`${name} ${shown(was)} → ${shown(is)}`];
    const [inner, now] = [(was ?? {}) as Row, (is ?? {}) as Row];
    return [...new Set([...Object.keys(inner), ...Object.keys(now)])].flatMap((each) =>
      isSame(inner[each], now[each]) ? [] : [`${name}.${each} ${shown(inner[each])} → ${shown(now[each])}`],
    );
  });
}

function settingsThatDiffer(before: Config, after: Config): readonly string[] {
  return (Object.keys(after) as (keyof Config)[]).flatMap((member) => {
    const [was, is]: readonly unknown[] = [before[member], after[member]];
    if (LIVE.has(member) || isSame(was, is)) return [];
    const name = NAMES[member] ?? snake(member);
    if (WHOLE.has(member) || !isRow(was) || !isRow(is)) return [name];
    return [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((each) => !isSame(was[each], is[each]))
      .map((each) => `${name}.${snake(each)}`)
      .filter((each) => !ELSEWHERE.has(each));
  });
}

function shown(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
