/** The configuration and its rows, as the admin API prints them: never with a secret in it. */
import type { components, JsonObject } from '@model-gateway/contracts';
import { CONFIG_SECTIONS, type ConfigChange, type ConfigEntry, type ConfigSection } from '@model-gateway/core';
import { ConfigError, readConfig, type Config } from '../../config/config.ts';
import { entryId } from '../../config/database-source.ts';
import type { EntryLayer, ShownRow } from '../../config/entry-layer.ts';
import type { SaidFault } from '../../config/fault.ts';
import type { Environment } from '../../config/interpolate.ts';
import type { LastReload } from '../../server/reloading.ts';
import { keptView, type ChangeOutcome } from './service.ts';

type Schemas = components['schemas'];

export interface ConfigState {
  readonly environment: Environment;
  /** In effect. */
  readonly loaded: Config;
  readonly last: LastReload | undefined;
}

/** What is loaded, and the file as it stands. */
export function configView({ environment, loaded, last }: ConfigState): Schemas['LoadedConfig'] {
  const { file, shown, source, leftOut, warnings } = loaded;
  return {
    object: 'config',
    sources: file === undefined ? [] : [baseName(file)],
    kept_in: source,
    settings: { ...shown },
    faults: faultsNow({ ...environment, GATEWAY_CONFIG: file }).map(faultView),
    left_out: leftOut.flatMap(({ faults }) => faults.map(faultView)),
    warnings: warnings.map(faultView),
    last_reload:
      last === undefined
        ? null
        : {
            at: new Date(last.at).toISOString(),
            changes: [...last.changes],
            needs_restart: [...last.needRestart],
          },
  };
}

function faultsNow(env: Environment): readonly SaidFault[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

export function faultView({ path, message, file, line, entry }: SaidFault): Schemas['ConfigFault'] {
  return {
    path,
    message,
    file: file === undefined ? null : baseName(file),
    line: line ?? null,
    entry: entry ?? null,
  };
}

/** Folders of the machine are nobody's business. */
function baseName(file: string): string {
  return file.replace(/^.*[\\/]/, '');
}

export function changeView(change: ConfigChange, layer: Pick<EntryLayer, 'secrets'>): Schemas['ConfigChange'] {
  const { id, at, actor, requestId, section, name, before, after, undoes } = change;
  return {
    object: 'config_change',
    id,
    at: new Date(at).toISOString(),
    actor,
    request_id: requestId ?? null,
    section,
    name,
    before: keptView(before, layer),
    after: keptView(after, layer),
    undoes: undoes ?? null,
  };
}

export interface EntrySources {
  readonly layer: EntryLayer;
  /** The configuration as its file says it. */
  readonly file: Config;
  readonly entries: readonly ConfigEntry[];
}

/** Every model, account and budget, and what only the database names: in the order of their ids. */
export function entryViews({ layer, file, entries }: EntrySources): readonly Schemas['ConfigEntry'][] {
  const isKept = file.source === 'database';
  const ours = isKept ? entries : [];
  const leftOut = new Map(layer.over(file, ours).leftOut.map(({ entry, faults }) => [entry, faults]));
  const fitting = ours.filter((entry) => !leftOut.has(entryId(entry)));
  const beneath = byId(layer.shown(file, fitting, 'beneath'));
  const inEffect = byId(layer.shown(file, fitting));
  const kept = new Map(ours.map((entry) => [entryId(entry), entry]));
  const originOf = layer.origins(file, fitting);
  const named = new Map<string, { readonly section: ConfigSection; readonly name: string }>([
    ...beneath,
    ...inEffect,
    ...kept,
  ]);
  return [...named].toSorted(inOrder).map(([id, { section, name }]) => {
    const origin = originOf(section, name);
    const entry = kept.get(id);
    const own = keptView(entry?.row, layer);
    return {
      object: 'config_entry',
      id,
      section,
      name,
      from: [
        ...(origin.builtIn ? (['builtin'] as const) : []),
        ...(origin.file ? (['file'] as const) : []),
        ...(entry === undefined ? [] : (['database'] as const)),
      ],
      version: entry?.version ?? 0,
      value: rowOf(inEffect.get(id)),
      kept: own?.value ?? null,
      removed: own?.removed ?? false,
      beneath: rowOf(beneath.get(id)),
      faults: (leftOut.get(id) ?? []).map(faultView),
    };
  });
}

/** The views of what the database has, made again when the file was read again or a row was changed: lists are read page by page. */
export function keptViews(
  layer: EntryLayer,
): (file: Config, entries: readonly ConfigEntry[]) => readonly Schemas['ConfigEntry'][] {
  const made = new WeakMap<Config, { readonly of: string; readonly views: readonly Schemas['ConfigEntry'][] }>();
  return (file, entries) => {
    // No two changes of a row have one version.
    const of = entries.map((entry) => `${entryId(entry)} ${entry.version}`).join('\n');
    const known = made.get(file);
    if (known?.of === of) return known.views;
    const views = entryViews({ layer, file, entries });
    made.set(file, { of, views });
    return views;
  };
}

function inOrder([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return compareIds(left, right);
}

/** Models come first, then names in the order of their characters. */
export function compareIds(left: string, right: string): number {
  const [one, other] = [sectionAt(left), sectionAt(right)];
  if (one !== other) return one - other;
  return left < right ? -1 : left > right ? 1 : 0;
}

function sectionAt(id: string): number {
  return CONFIG_SECTIONS.findIndex((section) => id.startsWith(`${section}/`));
}

function byId(rows: readonly ShownRow[]): ReadonlyMap<string, ShownRow> {
  return new Map(rows.map((row) => [entryId(row), row]));
}

function rowOf(shown: ShownRow | undefined): JsonObject | null {
  return shown === undefined ? null : ({ ...shown.row } as JsonObject);
}

/** What a change made, or would make. */
export function resultView(
  outcome: ChangeOutcome,
  given: Omit<EntrySources, 'entries'> & { readonly dryRun: boolean },
): Schemas['ConfigChangeResult'] {
  const { named, change, differences, faults, warnings, entries } = outcome;
  const { layer, file, dryRun } = given;
  const after = change === undefined ? entries : withVersion(entries, change);
  const entry =
    faults.length > 0 ? undefined : entryViews({ layer, file, entries: after }).find(({ id }) => id === entryId(named));
  return {
    object: 'config_change_result',
    dry_run: dryRun,
    change: change === undefined ? null : changeView(change, layer),
    entry: entry ?? null,
    differences: [...differences],
    faults: faults.map(faultView),
    warnings: warnings.map(faultView),
  };
}

function withVersion(entries: readonly ConfigEntry[], change: ConfigChange): readonly ConfigEntry[] {
  return entries.map((entry) => (entryId(entry) === entryId(change) ? { ...entry, version: change.id } : entry));
}
