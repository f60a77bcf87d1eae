/** Rows of the configuration that are kept in the database, over those of the file. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';

/** The lists of the configuration that have such rows. */
export const CONFIG_SECTIONS = ['models', 'accounts', 'budgets'] as const;
export type ConfigSection = (typeof CONFIG_SECTIONS)[number];

/** What the database has for a row: members over the one beneath it, or that there is none. Secrets in it are sealed. */
export type KeptRow = { readonly value: JsonObject } | { readonly removed: true };

export interface ConfigEntry {
  readonly section: ConfigSection;
  /** The code of the model, the name of the account or the budget. */
  readonly name: string;
  readonly row: KeptRow;
  /** The id of the change that made it. */
  readonly version: number;
}

export interface ConfigChange {
  /** Counts every change of any entry, from 1. */
  readonly id: number;
  readonly at: number;
  /** As in the audit log. */
  readonly actor: string;
  readonly requestId?: string;
  readonly section: ConfigSection;
  readonly name: string;
  /** Absent: there was no entry. */
  readonly before?: KeptRow;
  /** Absent: there is none any more. */
  readonly after?: KeptRow;
  /** The change that it takes back. */
  readonly undoes?: number;
}

export interface ConfigEntryStore {
  /** The id of the last change; 0 before the first. */
  version(): Promise<number>;
  /** Every entry, and the version of all of them: one that came while they were read may be among them and not counted. */
  all(): Promise<{ readonly version: number; readonly entries: readonly ConfigEntry[] }>;
  /** Makes the change unless there was another one after `version`, and answers its id; undefined when there was. */
  change(change: Omit<ConfigChange, 'id'>, version: number): Promise<number | undefined>;
  getChange(id: number): Promise<ConfigChange | undefined>;
  /** Newest first. */
  changes(filter: {
    readonly section?: ConfigSection;
    readonly name?: string;
    /** The last id of the page before. */
    readonly after?: number;
    readonly limit: number;
  }): Promise<readonly ConfigChange[]>;
}
