import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const crashSettlement = (): Migration =>
  statements(
    // What a lease's process may have had in flight when it last wrote, and what was charged for that after its death.
    `alter table leases add column at_risk bigint not null default 0`,
    `alter table leases add column settled bigint not null default 0`,
    // A process of this owner's died until shortly before: nothing is begun that the database does not know of.
    `alter table owners add column careful_until bigint not null default 0`,
    `create index leases_open_of_owner on leases (owner_id) where closed_at is null`,
  );
