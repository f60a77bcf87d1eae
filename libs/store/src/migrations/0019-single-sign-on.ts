import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** Who signed in with an identity provider, and as what; all null in sessions that began with a key. */
export const singleSignOn = (): Migration =>
  statements(
    `alter table console_sessions add column issuer text`,
    `alter table console_sessions add column subject text`,
    `alter table console_sessions add column person text`,
    `alter table console_sessions add column role text`,
    `alter table console_sessions add column sealed_id_token text`,
    // Claims name owners.
    `create index owners_by_name on owners (name)`,
  );
