/** The admin API: keys, owners and their money, usage, the ledger, tasks, accounts, webhooks. */
import { createKeyService } from '../../admin/keys.ts';
import { createOwnerService } from '../../admin/owners.ts';
import type { Handlers } from '../../http/operation.ts';
import { adminKeyRoutes } from './keys.ts';
import { adminLedgerRoutes } from './ledger.ts';
import { adminOwnerRoutes } from './owners.ts';
import type { AdminParts } from './shared.ts';
import { adminWorkRoutes } from './work.ts';

/** Handlers of every admin operation. */
export function adminRoutes(given: Omit<AdminParts, 'keys' | 'owners'>): Handlers {
  const { store, now } = given;
  const parts = { ...given, keys: createKeyService(given), owners: createOwnerService(store, now) };
  return {
    ...adminKeyRoutes(parts),
    ...adminOwnerRoutes(parts),
    ...adminLedgerRoutes(parts),
    ...adminWorkRoutes(parts),
  };
}
