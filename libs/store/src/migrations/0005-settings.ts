import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

export const settings = (): Migration =>
  statements(`create table settings (name text not null primary key, value text not null)`);
