/** /admin/owners: who pays, and with what. */
import type { Request, Response } from 'express';
import type { BalanceChange } from './service.ts';
import { entryView, ownerView } from '../admin-views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { idIn, idOfText, pageOf, servicesFor, type AdminParts } from '../admin.ts';

/** Handlers of the owner operations. */
export function adminOwnerRoutes(parts: AdminParts): Handlers {
  const ownersFor = ({ request, response }: { readonly request: Request; readonly response: Response }) =>
    servicesFor(parts, request, response).owners;
  return {
    listOwners: operation<'listOwners'>(async (call) => {
      const { request } = call;
      const { filter, view } = pageOf(request, idOfText);
      return { status: 200, body: view(await ownersFor(call).list(filter), ownerView) };
    }),
    createOwner: operation<'createOwner'>(async (call) => ({
      status: 200,
      body: ownerView(await ownersFor(call).create(call.body)),
    })),
    getOwner: operation<'getOwner'>(async (call) => ({
      status: 200,
      body: ownerView(await ownersFor(call).get(idIn(call.request, 'owner_id'))),
    })),
    updateOwner: operation<'updateOwner'>(async (call) => ({
      status: 200,
      body: ownerView(await ownersFor(call).update(idIn(call.request, 'owner_id'), call.body)),
    })),
    topUpOwner: operation<'topUpOwner'>(async (call) => {
      const { request, body } = call;
      const idempotencyKey = request.headers['idempotency-key'];
      const once = typeof idempotencyKey === 'string' && idempotencyKey !== '' && { idempotencyKey };
      return {
        status: 200,
        body: changeView(await ownersFor(call).topUp(idIn(request, 'owner_id'), { ...body, ...once })),
      };
    }),
    adjustOwner: operation<'adjustOwner'>(async (call) => ({
      status: 200,
      body: changeView(await ownersFor(call).adjust(idIn(call.request, 'owner_id'), call.body.amount, call.body.note)),
    })),
  };
}

function changeView({ entry, owner }: BalanceChange) {
  return { entry: entryView(entry), owner: ownerView(owner) };
}
