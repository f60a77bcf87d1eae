/** The admin API: keys, owners and their money, usage, the ledger, tasks, accounts, webhooks. */
import type { Handlers } from '../../http/operation.ts';
import { adminAuditRoutes } from './audit.ts';
import { adminKeyRoutes } from './keys.ts';
import { adminLedgerRoutes } from './ledger.ts';
import { adminOwnerRoutes } from './owners.ts';
import type { AdminParts } from './shared.ts';
import { adminWorkRoutes } from './work.ts';

/** Handlers of every admin operation. */
export function adminRoutes(parts: AdminParts): Handlers {
  return {
    ...adminKeyRoutes(parts),
    ...adminOwnerRoutes(parts),
    ...adminLedgerRoutes(parts),
    ...adminWorkRoutes(parts),
    ...adminAuditRoutes(parts),
  };
}
