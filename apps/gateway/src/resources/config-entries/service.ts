/** Models, accounts and budgets that operators keep in the database, over the file: every change is checked as a file is, and can be undone. */
import { basename } from 'node:path';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ConfigChange, ConfigEntry, ConfigSection, KeptRow } from '@model-gateway/core';
import { configChanges, type ConfigChanges } from '../../config/changes.ts';
import { ConfigError, type Config } from '../../config/config.ts';
import { DATABASE, entryId, NAME_MEMBER, type DatabaseRow } from '../../config/database-source.ts';
import type { EntryLayer } from '../../config/entry-layer.ts';
import { faultLine, pathText, type ConfigFault, type SaidFault } from '../../config/fault.ts';
import type { Environment } from '../../config/interpolate.ts';
import type { Reloading } from '../../server/reloading.ts';
import { present } from '../../present.ts';
import type { Actor, AuditedStore } from '../audit/audited.ts';

/** What the handlers of the configuration work with. */
export interface ConfigurationParts {
  readonly environment: Environment;
  readonly layer: EntryLayer;
  readonly reloading: Pick<Reloading, 'file' | 'loaded' | 'last'>;
  /** Every process of this machine takes what the database has now. */
  readonly changed: (changes: ConfigChanges) => Promise<void>;
}

/** A model, an account or a budget. */
interface EntryName {
  readonly section: ConfigSection;
  readonly name: string;
}

/** What is to be kept: members of a row, or that there is none. */
export interface EntryInput {
  readonly value?: JsonObject;
  readonly removed?: boolean;
}

export interface ChangeOptions {
  /** The version that the caller has seen; whatever there is when absent. */
  readonly version?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface ChangeOutcome {
  /** The row that it is about. */
  readonly named: EntryName;
  /** Absent for a dry run, and where nothing was to change. */
  readonly change?: ConfigChange;
  readonly differences: readonly string[];
  /** Of a dry run; without one they are thrown. */
  readonly faults: readonly SaidFault[];
  readonly warnings: readonly SaidFault[];
  /** The entries after it; those of before where it has faults. */
  readonly entries: readonly ConfigEntry[];
}

const MOST_ENTRIES = 10_000;
const MOST_ENTRY_BYTES = 64 * 1024;
/** Limit for all entries together; every process holds them in memory. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_NAME = 200;
/** How often a change is tried when others change other rows at the same moment. */
const ATTEMPTS = 8;
const ACTIONS = { put: 'config.put', remove: 'config.remove', delete: 'config.delete', undo: 'config.undo' } as const;

/** A change before it is made. */
interface Wanted extends EntryName {
  readonly action: keyof typeof ACTIONS;
  readonly after: KeptRow | undefined;
  /** The row with its secrets; absent for one that is taken away or not there. */
  readonly plain?: JsonObject | undefined;
  readonly faults: readonly SaidFault[];
  readonly undoes?: number;
}

/** Changes models, accounts and budgets in the name of one actor. */
export class ConfigEntryService {
  readonly #audited: AuditedStore;
  readonly #actor: Actor;
  readonly #configuration: ConfigurationParts;

  constructor(audited: AuditedStore, actor: Actor, configuration: ConfigurationParts) {
    this.#audited = audited;
    this.#actor = actor;
    this.#configuration = configuration;
  }

  /** Throws GatewayError: `invalid_request` with every fault and its place, `conflict` when the version is another one. */
  put(entry: EntryName, input: EntryInput, options: ChangeOptions): Promise<ChangeOutcome> {
    return this.#change((entries) => {
      const current = entryIn(entries, entry);
      requireVersion(entry, current, options.version);
      return wantedOf(this.#configuration.layer, entry, input, current);
    }, options);
  }

  /** Takes an entry out of the database. Throws `not_found`, too. */
  delete(entry: EntryName, options: ChangeOptions): Promise<ChangeOutcome> {
    return this.#change((entries) => {
      const current = entryIn(entries, entry);
      requireVersion(entry, current, options.version);
      if (current !== undefined) return { ...entry, action: 'delete', after: undefined, faults: [] };
      throw new GatewayError('not_found', `the database has no entry ${entryId(entry)}`, { param: 'name' });
    }, options);
  }

  /** Puts a row back as it was before a change. Throws `conflict` when it was changed again. */
  undo(id: number, options: Pick<ChangeOptions, 'dryRun'>): Promise<ChangeOutcome> {
    const { configEntries } = this.#audited.store;
    return this.#change(async () => {
      const undone = await configEntries.getChange(id);
      if (undone === undefined) throw new GatewayError('not_found', `there is no change ${id}`, { param: 'change_id' });
      const { section, name, before } = undone;
      const [last] = await configEntries.changes({ section, name, limit: 1 });
      if (last !== undefined && last.id !== id)
        throw new GatewayError(
          'conflict',
          `${entryId(undone)} was changed again by the change ${last.id}; undo that one first`,
        );
      const restored = openedOf(this.#configuration.layer, undone, before);
      return { section, name, action: 'undo', after: before, undoes: id, ...restored };
    }, options);
  }

  /** Plans, checks and makes a change; again when somebody else was faster. */
  async #change(
    plan: (entries: readonly ConfigEntry[]) => Wanted | Promise<Wanted>,
    { dryRun = false }: ChangeOptions,
  ): Promise<ChangeOutcome> {
    const file = this.#editableFile();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { version, entries } = await this.#audited.store.configEntries.all();
      const wanted = await plan(entries);
      const checked = check(this.#configuration.layer, file, { entries, wanted, version });
      if (dryRun) return checked.outcome;
      if (checked.outcome.faults.length > 0) throw faulty(checked.outcome.faults);
      const current = entryIn(entries, wanted);
      if (isSame(current?.row, wanted.after)) return checked.outcome;
      const change = await this.#make(wanted, current, version);
      if (change === undefined) continue;
      await this.#configuration.changed(checked.changes);
      return { ...checked.outcome, change };
    }
    throw new GatewayError('conflict', 'somebody else is changing the configuration; try again');
  }

  /** The configuration as its file says it. Throws `conflict` where rows are not kept in the database. */
  #editableFile(): Config {
    const file = this.#configuration.reloading.file();
    if (file.source === 'database') return file;
    throw new GatewayError(
      'conflict',
      file.file === undefined
        ? 'GATEWAY_CONFIG_SOURCE=file locks models, accounts and budgets; start the gateway without it to edit them here'
        : `the configuration is kept in the file ${basename(file.file)}, and config.source: file (or GATEWAY_CONFIG_SOURCE) locks it; take that out to edit it here`,
    );
  }

  /** Undefined when the database has another version by now. */
  #make(wanted: Wanted, current: ConfigEntry | undefined, version: number): Promise<ConfigChange | undefined> {
    const { layer } = this.#configuration;
    const { section, name, after, undoes, action } = wanted;
    const change = {
      ...this.#actor,
      ...{ at: this.#audited.now(), section, name },
      ...present({ before: current?.row, after, undoes }),
    };
    return this.#audited.change(async ({ configEntries }, record) => {
      const id = await configEntries.change(change, version);
      if (id === undefined) return undefined;
      const [before, then] = [keptView(current?.row, layer), keptView(after, layer)];
      await record({
        action: ACTIONS[action],
        subject: entryId(wanted),
        ...(before !== null && { before: { ...before, change: current?.version ?? 0 } }),
        ...(then !== null && { after: { ...then, change: id } }),
      });
      return { ...change, id };
    });
  }
}

/** What a put wants; its faults are those that the row has by itself. */
function wantedOf(
  layer: EntryLayer,
  entry: EntryName,
  { value, removed = false }: EntryInput,
  current: ConfigEntry | undefined,
): Wanted {
  const { section, name } = entry;
  if (removed === (value !== undefined))
    throw new GatewayError('invalid_request', 'send either value or removed: true', {
      param: 'value',
    });
  if (value === undefined) return { ...entry, action: 'remove', after: { removed: true }, faults: [] };
  const before = current === undefined || !('value' in current.row) ? undefined : current.row.value;
  const { [NAME_MEMBER[section]]: written, ...members } = value;
  const { kept, plain, faults } = layer.secrets.prepare(entry, members, before);
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes > MOST_ENTRY_BYTES)
    throw new GatewayError('body_too_large', `a row has at most ${MOST_ENTRY_BYTES} bytes; this one has ${bytes}`, {
      param: 'value',
    });
  const own: ConfigFault[] = [...faults];
  if (name.length > LONGEST_NAME) own.push({ path: [], message: `a name has at most ${LONGEST_NAME} characters` });
  if (written !== undefined && written !== name)
    own.push({ path: [NAME_MEMBER[section]], message: `it is '${name}', as in the address; leave it out` });
  return { ...entry, action: 'put', after: { value: kept }, plain, faults: own.map((fault) => saidOf(entry, fault)) };
}

/** The configuration with an account as it was sent over what the database has; nothing is kept. */
export function plannedAccount(
  { layer, reloading }: Pick<ConfigurationParts, 'layer' | 'reloading'>,
  entries: readonly ConfigEntry[],
  { name, value }: { readonly name: string; readonly value: JsonObject },
): { readonly config: Config } | { readonly faults: readonly SaidFault[] } {
  const file = reloading.file();
  const named = { section: 'accounts', name } as const;
  const wanted = wantedOf(layer, named, { value }, entryIn(entries, named));
  if (wanted.faults.length > 0) return { faults: wanted.faults };
  try {
    return {
      config: layer.withAll(file, [
        ...rowsBeside(layer, file, entries, named),
        { ...named, value: wanted.plain ?? {} },
      ]),
    };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults };
    throw error;
  }
}

/** The rows of the database that fit, without the one of this name. */
function rowsBeside(
  layer: EntryLayer,
  file: Config,
  entries: readonly ConfigEntry[],
  named: EntryName,
): readonly DatabaseRow[] {
  const leftOut = new Set(layer.over(file, entries).leftOut.map(({ entry }) => entry));
  const others = entries.filter((entry) => entryId(entry) !== entryId(named) && !leftOut.has(entryId(entry)));
  return layer.rowsOf(others).rows;
}

/** A row that was kept before, with its secrets. */
function openedOf(layer: EntryLayer, entry: EntryName, kept: KeptRow | undefined): Pick<Wanted, 'plain' | 'faults'> {
  if (kept === undefined || !('value' in kept)) return { faults: [] };
  try {
    return { plain: layer.secrets.open(entry, kept.value), faults: [] };
  } catch (error) {
    return { plain: {}, faults: [saidOf(entry, { path: [], message: (error as Error).message })] };
  }
}

function saidOf(entry: EntryName, { path, message }: ConfigFault): SaidFault {
  const rest = pathText(path);
  return {
    path: `${entry.section}[${entry.name}]${rest === '' ? '' : `.${rest}`}`,
    message,
    file: DATABASE,
    entry: entryId(entry),
  };
}

interface Checking {
  readonly entries: readonly ConfigEntry[];
  readonly wanted: Wanted;
  readonly version: number;
}

/** What would come of it: by the entries that fit before it, so that what is left out already stands in nobody's way. */
function check(layer: EntryLayer, file: Config, { entries, wanted, version }: Checking) {
  const { section, name, after } = wanted;
  const id = entryId(wanted);
  const others = entries.filter((entry) => entryId(entry) !== id);
  const next = after === undefined ? others : [...others, { section, name, row: after, version: version + 1 }];
  requireRoom(next);
  const before = layer.over(file, entries);
  const leftOut = new Set(before.leftOut.map(({ entry }) => entry));
  const rows: DatabaseRow[] = [...layer.rowsOf(others.filter((entry) => !leftOut.has(entryId(entry)))).rows];
  if (after !== undefined)
    rows.push({ section, name, ...('value' in after && { value: wanted.plain ?? after.value }) });
  const none: ConfigChanges = { changes: [], needRestart: [] };
  try {
    const changed = layer.withAll(file, rows);
    const changes = configChanges(before, changed);
    const outcome: ChangeOutcome = {
      named: { section, name },
      differences: changes.changes,
      faults: wanted.faults,
      warnings: changed.warnings.filter(({ entry }) => entry === id),
      entries: wanted.faults.length > 0 ? entries : next,
    };
    return { outcome, changes };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const said = new Set(wanted.faults.map(({ path }) => path));
    const faults = [...wanted.faults, ...error.faults.filter(({ path }) => !said.has(path))];
    return { outcome: { named: { section, name }, differences: [], faults, warnings: [], entries }, changes: none };
  }
}

function requireRoom(entries: readonly ConfigEntry[]): void {
  if (entries.length > MOST_ENTRIES)
    throw new GatewayError('conflict', `the database keeps at most ${MOST_ENTRIES} rows; delete one first`);
  const bytes = entries.reduce((sum, { row }) => sum + ('value' in row ? JSON.stringify(row.value).length : 0), 0);
  if (bytes > MOST_BYTES)
    throw new GatewayError('conflict', `the rows of the database have at most ${MOST_BYTES} characters together`);
}

function requireVersion(entry: EntryName, current: ConfigEntry | undefined, seen: number | undefined): void {
  const is = current?.version ?? 0;
  if (seen === undefined || seen === is) return;
  const what = is === 0 ? 'is gone from the database' : `was changed by the change ${is}`;
  throw new GatewayError('conflict', `${entryId(entry)} ${what} since the version ${seen}; read it again`, {
    param: 'version',
  });
}

function entryIn(entries: readonly ConfigEntry[], { section, name }: EntryName): ConfigEntry | undefined {
  return entries.find((entry) => entry.section === section && entry.name === name);
}

function isSame(left: KeptRow | undefined, right: KeptRow | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** One message for all of them; the first says which parameter it is about. */
function faulty(faults: readonly SaidFault[]): GatewayError {
  const lines = faults.slice(0, MOST_SAID).map(faultLine);
  const more = faults.length - lines.length;
  const many = faults.length === 1 ? '' : `${faults.length} faults: `;
  return new GatewayError(
    'invalid_request',
    `${many}${[...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`,
    {
      param: faults[0]?.path ?? 'value',
    },
  );
}
const MOST_SAID = 50;

/** What the database has for a row, as people see it; null where it has nothing. */
export function keptView(
  row: KeptRow | undefined,
  { secrets }: Pick<EntryLayer, 'secrets'>,
): { value: JsonObject | null; removed: boolean } | null {
  if (row === undefined) return null;
  return 'value' in row ? { value: secrets.show(row.value), removed: false } : { value: null, removed: true };
}
