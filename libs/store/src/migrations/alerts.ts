/** Alerts for operators. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements, type Words } from './statements.ts';

export const alerts = ({ id }: Words): Migration =>
  statements(
    // What has been raised, and whose turn it is to look or to send.
    `create table alert_names (
      name text not null primary key,
      at bigint not null,
      process text
    )`,
    `create table alert_messages (
      id ${id},
      channel text not null,
      type text not null,
      text text not null,
      data text not null,
      attempts bigint not null,
      created_at bigint not null,
      due_at bigint,
      sent_at bigint,
      sent_as bigint,
      last_error text
    )`,
    `create index alert_messages_due on alert_messages (channel, due_at) where due_at is not null`,
    `create index alert_messages_sent on alert_messages (channel, sent_at) where sent_at is not null`,
  );
