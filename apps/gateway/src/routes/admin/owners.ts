/** /admin/owners: who pays, and with what. */
import type { BalanceChange } from '../../admin/owners.ts';
import { entryView, ownerView } from '../../admin/views.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { idIn, pageOf, type AdminParts } from './shared.ts';

/** Handlers of the owner operations. */
export function adminOwnerRoutes({ owners }: AdminParts): Handlers {
  return {
    listOwners: operation<'listOwners'>(async ({ request }) => {
      const { filter, view } = pageOf(request, Number);
      return { status: 200, body: view(await owners.list(filter), ownerView) };
    }),
    createOwner: operation<'createOwner'>(async ({ body }) => ({
      status: 200,
      body: ownerView(await owners.create(body)),
    })),
    getOwner: operation<'getOwner'>(async ({ request }) => ({
      status: 200,
      body: ownerView(await owners.get(idIn(request, 'owner_id'))),
    })),
    updateOwner: operation<'updateOwner'>(async ({ request, body }) => ({
      status: 200,
      body: ownerView(await owners.update(idIn(request, 'owner_id'), body)),
    })),
    topUpOwner: operation<'topUpOwner'>(async ({ request, body }) => {
      const idempotencyKey = request.headers['idempotency-key'];
      const once = typeof idempotencyKey === 'string' && idempotencyKey !== '' && { idempotencyKey };
      return { status: 200, body: changeView(await owners.topUp(idIn(request, 'owner_id'), { ...body, ...once })) };
    }),
    adjustOwner: operation<'adjustOwner'>(async ({ request, body }) => ({
      status: 200,
      body: changeView(await owners.adjust(idIn(request, 'owner_id'), body.amount, body.note)),
    })),
  };
}

function changeView({ entry, owner }: BalanceChange) {
  return { entry: entryView(entry), owner: ownerView(owner) };
}
