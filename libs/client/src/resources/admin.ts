/** For operators: keys, owners and balances, usage, the ledger, tasks, accounts, webhooks. Takes `adminKey`. */
import type { Call } from '../call.ts';
import type { Core } from '../core.ts';
import type { BodyOf, OperationId, QueryOf, ReplyOf, Schemas } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';

/** The operations that answer `{data, has_more, next_after}`. */
type Paged = {
  [Id in OperationId]: ReplyOf<Id> extends { data: unknown[]; next_after: unknown } ? Id : never;
}[OperationId];
type ItemOf<Id extends Paged> = ReplyOf<Id> extends { data: (infer Item)[] } ? Item : never;

export function adminOf(core: Core) {
  const list =
    <Id extends Paged>(id: Id) =>
    (query: QueryOf<Id> = {}, options?: RequestOptions): Pages<ItemOf<Id>> =>
      core.pages(
        id,
        (after) => ({ ...query, ...(after !== undefined && { after }) }),
        (reply) => {
          const { data, next_after: next } = reply as unknown as {
            data: ItemOf<Id>[];
            next_after: string | number | null;
          };
          return { items: data, next };
        },
        options,
      );
  const owner = (id: number) => ({ path: { owner_id: id } });
  const key = (id: number) => ({ path: { key_id: id } });
  return {
    keys: {
      list: list('listKeys'),
      /** The secret is in this answer and nowhere else. */
      create: (body: BodyOf<'createKey'>, options?: RequestOptions): Call<Schemas['KeyCreated']> =>
        core.call('createKey', { body }, options),
      get: (id: number, options?: RequestOptions): Call<Schemas['Key']> => core.call('getKey', key(id), options),
      update: (id: number, body: BodyOf<'updateKey'>, options?: RequestOptions): Call<Schemas['Key']> =>
        core.call('updateKey', { ...key(id), body }, options),
      revoke: (id: number, options?: RequestOptions): Call<Schemas['Key']> => core.call('revokeKey', key(id), options),
      /** A new secret; the old one works on for `overlap_seconds`. */
      rotate: (id: number, body: BodyOf<'rotateKey'> = {}, options?: RequestOptions): Call<Schemas['KeyCreated']> =>
        core.call('rotateKey', { ...key(id), body }, options),
    },
    owners: {
      list: list('listOwners'),
      create: (body: BodyOf<'createOwner'>, options?: RequestOptions): Call<Schemas['Owner']> =>
        core.call('createOwner', { body }, options),
      get: (id: number, options?: RequestOptions): Call<Schemas['Owner']> => core.call('getOwner', owner(id), options),
      update: (id: number, body: BodyOf<'updateOwner'>, options?: RequestOptions): Call<Schemas['Owner']> =>
        core.call('updateOwner', { ...owner(id), body }, options),
      topUp: (id: number, body: BodyOf<'topUpOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> =>
        core.call('topUpOwner', { ...owner(id), body }, options),
      adjust: (id: number, body: BodyOf<'adjustOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> =>
        core.call('adjustOwner', { ...owner(id), body }, options),
    },
    ledger: {
      list: list('listLedgerEntries'),
      /** Recomputes every balance and hold and names what differs. */
      verify: (options?: RequestOptions): Call<Schemas['LedgerVerification']> => core.call('verifyLedger', {}, options),
      /** Recomputes the bill of one request. */
      replay: (requestId: string, options?: RequestOptions): Call<Schemas['LedgerReplay']> =>
        core.call('replayLedger', { path: { request_id: requestId } }, options),
    },
    tasks: { list: list('listAllTasks') },
    webhooks: {
      list: list('listWebhookDeliveries'),
      /** Sends one again. */
      replay: (deliveryId: string, options?: RequestOptions): Call<Schemas['WebhookDelivery']> =>
        core.call('replayWebhookDelivery', { path: { delivery_id: deliveryId } }, options),
    },
    usage: (query: QueryOf<'getUsage'>, options?: RequestOptions): Call<Schemas['UsageReport']> =>
      core.call('getUsage', { query }, options),
    accounts: (options?: RequestOptions): Call<Schemas['AccountList']> => core.call('listAccounts', {}, options),
  };
}
