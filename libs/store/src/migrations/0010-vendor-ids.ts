import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const vendorIds = (): Migration =>
  statements(
    // What vendors keep, by the SHA-256 of its id: whose it is, and which account can be asked for it.
    `create table vendor_ids (
      hash text not null primary key,
      owner_id bigint not null,
      mode text not null,
      account_id bigint not null,
      expires_at bigint not null
    )`,
    `create index vendor_ids_by_end on vendor_ids (expires_at)`,
  );
