/** /admin/owners: who pays, and with what. */
import { GatewayError } from '@model-gateway/contracts';
import type { LedgerEntry, OwnerRecord } from '@model-gateway/core';
import { unitsOf, wrong } from '../../admin/keys.ts';
import { entryView, ownerView } from '../../admin/views.ts';
import { operation, type BodyOf, type Handlers } from '../../http/operation.ts';
import { idIn, notFound, pageOf, type AdminParts } from './shared.ts';

/** Handlers of the owner operations. */
export function adminOwnerRoutes({ store, now }: AdminParts): Handlers {
  const ownerOf = async (id: number): Promise<OwnerRecord> => {
    const owner = await store.owners.get(id);
    if (owner === undefined) throw notFound(`owner ${id}`, 'owner_id');
    return owner;
  };
  const changeOf = async (id: number, entry: LedgerEntry) => ({
    status: 200 as const,
    body: { entry: entryView(entry), owner: ownerView(await ownerOf(id)) },
  });
  return {
    listOwners: operation<'listOwners'>(async ({ request }) => {
      const { filter, view } = pageOf(request, Number);
      // Test purses have the ids below zero.
      const owners = await store.owners.list({ limit: filter.limit, after: Math.max(0, filter.after ?? 0) });
      return { status: 200, body: view(owners, ownerView) };
    }),
    createOwner: operation<'createOwner'>(async ({ body }) => {
      // Prepaid unless said otherwise; null is no limit.
      const creditLimit = body.credit_limit === undefined ? 0 : body.credit_limit;
      const owner = await store.owners.create(
        {
          name: body.name,
          group: body.group ?? 'default',
          ...(creditLimit !== null && { creditLimit }),
        },
        now(),
      );
      return { status: 200, body: ownerView(owner) };
    }),
    getOwner: operation<'getOwner'>(async ({ request }) => ({
      status: 200,
      body: ownerView(await ownerOf(idIn(request, 'owner_id'))),
    })),
    updateOwner: operation<'updateOwner'>(async ({ request, body }) => {
      const id = idIn(request, 'owner_id');
      const owner = await store.owners.update(id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.group !== undefined && { group: body.group }),
        ...(body.credit_limit !== undefined && { creditLimit: body.credit_limit }),
      });
      if (owner === undefined) throw notFound(`owner ${id}`, 'owner_id');
      return { status: 200, body: ownerView(owner) };
    }),
    topUpOwner: operation<'topUpOwner'>(async ({ request, body }) => {
      const id = idIn(request, 'owner_id');
      const amount = topUpOf(body);
      const idempotencyKey = request.headers['idempotency-key'];
      // The ledger itself keeps the key: money is added once even if this process dies in between.
      const entry = await store.ledger.topUp(
        id,
        amount,
        {
          ...(body.note !== undefined && { note: body.note }),
          ...(typeof idempotencyKey === 'string' && idempotencyKey !== '' && { idempotencyKey }),
        },
        now(),
      );
      return changeOf(id, entry);
    }),
    adjustOwner: operation<'adjustOwner'>(async ({ request, body }) => {
      if (body.amount === 0) throw wrong('amount', '0 changes nothing; give quota units, below zero to take');
      const id = idIn(request, 'owner_id');
      const entry = await store.ledger.adjust(id, body.amount, { note: body.note }, now()).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'insufficient_quota') throw error;
        throw wrong('amount', `${-body.amount} units are more than the owner has, with what it may owe`);
      });
      return changeOf(id, entry);
    }),
  };
}

function topUpOf({ amount, usd }: BodyOf<'topUpOwner'>): number {
  if (usd === undefined && amount !== undefined) return amount;
  if (usd !== undefined && amount === undefined) return unitsOf(usd, 'usd');
  throw wrong('amount', 'give either quota units as amount, or US dollars as usd');
}
