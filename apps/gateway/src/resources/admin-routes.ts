/** The admin API: keys, owners and their money, usage, the ledger, tasks, accounts, routes, webhooks. */
import type { Handlers } from '../http/operation.ts';
import { adminAccountRoutes } from './accounts/routes.ts';
import { adminAuditRoutes } from './audit/routes.ts';
import { adminConfigRoutes } from './config-entries/routes.ts';
import { adminInvariantRoutes } from './invariants/routes.ts';
import { adminKeyRoutes } from './keys/routes.ts';
import { adminLedgerRoutes } from './ledger/routes.ts';
import { adminOwnerRoutes } from './owners/routes.ts';
import { adminRequestRoutes } from './requests/routes.ts';
import { adminRouteRoutes } from './route-explanation/routes.ts';
import type { AdminParts } from './admin.ts';
import { adminWorkRoutes } from './tasks/routes.ts';

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
