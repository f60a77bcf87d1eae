import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

export const requestContents = ({ bytes }: Words): Migration =>
  statements(
    `alter table keys add column keep_bodies bigint not null default 0`,
    // What was asked and answered is sealed, and goes with its owner. Apart from the row of the request, which is read far more often.
    `create table request_contents (
      at bigint not null,
      id text not null,
      owner_id bigint not null references owners (id) on delete cascade,
      mode text not null,
      sealed ${bytes} not null,
      primary key (at, id)
    )`,
    `create index request_contents_by_owner on request_contents (owner_id)`,
  );
