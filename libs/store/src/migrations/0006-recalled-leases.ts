import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const recalledLeases = (): Migration =>
  statements(`alter table leases add column recalled bigint not null default 0`);
