/** The admin API: keys, owners and their money, usage, the ledger, tasks, accounts, routes, webhooks. */
import type { Handlers } from '../../http/operation.ts';
import { adminAccountRoutes } from './accounts.ts';
import { adminAuditRoutes } from './audit.ts';
import { adminConfigRoutes } from './config.ts';
import { adminInvariantRoutes } from './invariants.ts';
import { adminKeyRoutes } from './keys.ts';
import { adminLedgerRoutes } from './ledger.ts';
import { adminOwnerRoutes } from './owners.ts';
import { adminRequestRoutes } from './requests.ts';
import { adminRouteRoutes } from './routes.ts';
import type { AdminParts } from './shared.ts';
import { adminWorkRoutes } from './work.ts';

/** Handlers of every admin operation. */
export function adminRoutes(parts: AdminParts): Handlers {
  return {
    ...adminKeyRoutes(parts),
    ...adminOwnerRoutes(parts),
    ...adminLedgerRoutes(parts),
    ...adminWorkRoutes(parts),
    ...adminAccountRoutes(parts),
    ...adminRouteRoutes(parts),
    ...adminAuditRoutes(parts),
    ...adminInvariantRoutes(parts),
    ...adminRequestRoutes(parts),
    ...adminConfigRoutes(parts),
  };
}
