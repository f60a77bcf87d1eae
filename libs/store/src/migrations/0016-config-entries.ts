import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

/** Rows of the configuration over those of the file, and every change of them; the counter is the id of the last one. */
export const configEntries = ({ clustered }: Words): Migration =>
  statements(
    `create table config_entries (
      section text not null,
      name text not null,
      kept text not null,
      version bigint not null,
      primary key (section, name)
    )${clustered}`,
    `create table config_changes (
      id bigint not null primary key,
      at bigint not null,
      actor text not null,
      request_id text,
      section text not null,
      name text not null,
      before text,
      after text,
      undoes bigint
    )`,
    `create index config_changes_by_entry on config_changes (section, name, id)`,
    `insert into counters (name, value) values ('config', 0)`,
  );
