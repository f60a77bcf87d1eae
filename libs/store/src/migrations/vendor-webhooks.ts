/** Webhooks of vendors about tasks. Released: never edited. */
import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

// When the vendor's latest webhook about the task was signed: only a later one is taken.
export const vendorWebhooks = (): Migration => statements(`alter table tasks add column vendor_webhook_at bigint`);
