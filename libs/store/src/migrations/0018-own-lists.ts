import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** Tags of keys, and the deliveries of one tenant in the order of their making. */
export const ownLists = (): Migration =>
  statements(
    `alter table keys add column tags text not null default '{}'`,
    `create index webhook_deliveries_by_tenant on webhook_deliveries (tenant, number)`,
  );
