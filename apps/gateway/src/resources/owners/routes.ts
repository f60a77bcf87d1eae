/** /admin/owners: who pays, and with what. */
import { present } from '../../present.ts';
import type { Handlers } from '../../http/operation.ts';
import {
  auditedBy,
  idIn,
  idOfText,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
  type Asked,
} from '../admin-operation.ts';
import type { Actor } from '../audit/audited.ts';
import { OwnerService, ownerOf, ownerView } from './service.ts';
import { askedStatement, sendStatement, wholeStatement, type AskedStatement } from './statement.ts';

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
    getOwnerStatement: async (call) => wholeStatement(await openOwnerStatement(parts, call)),
    adjustOwner: (call) => ownersFor(call).adjust(idIn(call, 'owner_id'), call.body),
  };
}

export type StatementParts = Pick<AdminParts, 'store' | 'now' | 'flush'>;

/** Begins the statement of an owner; what chat has journalled is written first. Throws `not_found`. */
export async function openOwnerStatement({ store, now, flush }: StatementParts, call: Asked): Promise<AskedStatement> {
  const owner = await ownerOf(store, idIn(call, 'owner_id'));
  await flush();
  return askedStatement(store.ledger, call, { owner, mode: 'live' }, now());
}

/** A statement is sent while it is read. */
export function statementRoutes(parts: StatementParts): Handlers {
  return {
    async getOwnerStatement(request, response) {
      await sendStatement(response, await openOwnerStatement(parts, request));
    },
  };
}
