/** /admin/owners: who pays, and with what. */
import { present } from '../../present.ts';
import {
  auditedBy,
  idIn,
  idOfText,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
} from '../admin-operation.ts';
import type { Actor } from '../audit/audited.ts';
import { OwnerService, ownerView } from './service.ts';

/** Operations on owners. */
export function ownerOperations(parts: AdminParts): AdminOperations {
  const ownersFor = (call: { readonly actor: Actor }) => new OwnerService(auditedBy(parts, call));
  return {
    listOwners: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      // Test payers have the ids below zero.
      const named = present({ name: textIn(call, 'name') });
      const owners = await parts.store.owners.list({ ...filter, ...named, after: Math.max(0, filter.after ?? 0) });
      return view(owners, ownerView);
    },
    createOwner: (call) => ownersFor(call).create(call.body),
    getOwner: (call) => ownersFor(call).get(idIn(call, 'owner_id')),
    updateOwner: (call) => ownersFor(call).update(idIn(call, 'owner_id'), call.body),
    topUpOwner: (call) => ownersFor(call).topUp(idIn(call, 'owner_id'), call.body, call.idempotencyKey),
    adjustOwner: (call) => ownersFor(call).adjust(idIn(call, 'owner_id'), call.body),
  };
}
