import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';
import type { Words } from './words.ts';

export const responses = ({ bytes }: Words): Migration =>
  statements(
    // What callers wrote and models answered is sealed; `due_at` stands while one is to be worked on, or is.
    `create table responses (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      key_id bigint not null,
      model text not null,
      status text not null,
      background bigint not null,
      previous_id text,
      conversation_id text,
      request_id text not null,
      created_at bigint not null,
      expires_at bigint not null,
      size bigint not null,
      asked ${bytes} not null,
      reply ${bytes} not null,
      hold_id bigint,
      submitted bigint not null,
      cancel_requested bigint not null,
      claimed_by text,
      due_at bigint
    )`,
    `create index responses_due on responses (due_at) where due_at is not null`,
    `create index responses_of_tenant on responses (owner_id, mode, expires_at, size)`,
    `create index responses_by_end on responses (expires_at)`,
    `create table response_events (
      response_id text not null references responses (id),
      last_number bigint not null,
      sealed ${bytes} not null,
      primary key (response_id, last_number)
    )`,
    `create table conversations (
      id text not null primary key,
      owner_id bigint not null,
      mode text not null,
      created_at bigint not null,
      expires_at bigint not null,
      size bigint not null,
      sealed ${bytes} not null
    )`,
    `create index conversations_of_tenant on conversations (owner_id, mode, expires_at, size)`,
    `create index conversations_by_end on conversations (expires_at)`,
    `create table conversation_items (
      conversation_id text not null references conversations (id),
      position bigint not null,
      id text not null,
      sealed ${bytes} not null,
      primary key (conversation_id, position)
    )`,
  );
