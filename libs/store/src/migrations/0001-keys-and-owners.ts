import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

export const keysAndOwners = ({ id }: Words): Migration =>
  statements(
    `create table counters (
      name text not null primary key,
      value bigint not null
    )`,
    `insert into counters (name, value) values ('keys', 0), ('owners', 0)`,
    `create table owners (
      id bigint not null primary key,
      name text not null,
      group_name text not null,
      credit_limit bigint,
      balance bigint not null,
      created_at bigint not null
    )`,
    `create table keys (
      id ${id},
      name text not null,
      hash text not null unique,
      hint text not null,
      mode text not null,
      owner_id bigint not null references owners (id),
      group_name text not null,
      models text not null,
      ip_ranges text not null,
      limits text not null,
      webhook_secret text,
      expires_at bigint,
      revoked_at bigint,
      created_at bigint not null,
      last_used_at bigint,
      declared bigint not null,
      rotated_from bigint references keys (id),
      name_free bigint not null
    )`,
    // One live key per name and owner; whoever frees a name (expiry, rotation) says so in name_free.
    `create unique index keys_live_name on keys (owner_id, name) where revoked_at is null and name_free = 0`,
    `create index keys_rotated_from on keys (rotated_from) where rotated_from is not null`,
  );
