/** For operators: keys, owners and balances, usage, the ledger, tasks, accounts, webhooks. Apart, so that programs which only generate carry none of it. */
import type { Call } from '../call.ts';
import { Core, type ClientOptions } from '../core.ts';
import type { BodyOf, OperationId, QueryOf, ReplyOf, Schemas } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';
import { Resource } from './resource.ts';

/** The operations that answer `{data, has_more, next_after}`. */
type Paged = {
  [Id in OperationId]: ReplyOf<Id> extends { data: unknown[]; next_after: unknown } ? Id : never;
}[OperationId];
type ItemOf<Id extends Paged> = ReplyOf<Id> extends { data: (infer Item)[] } ? Item : never;

/** Makes a client of the admin API. Its key is the admin key; without it `MODEL_GATEWAY_ADMIN_KEY`. */
export function createAdmin(options: ClientOptions = {}): Admin {
  return new Admin(new Core(options, 'MODEL_GATEWAY_ADMIN_KEY'));
}

/** For operators. */
export class Admin extends Resource {
  readonly keys = new Keys(this.core);
  readonly owners = new Owners(this.core);
  readonly ledger = new AdminLedger(this.core);
  readonly tasks = new AdminTasks(this.core);
  readonly webhooks = new Webhooks(this.core);
  readonly audit = new AdminAudit(this.core);
  /** Requests, tokens and money, grouped as asked. */
  usage(query: QueryOf<'getUsage'> = {}, options?: RequestOptions): Call<Schemas['UsageReport']> {
    return this.core.call('getUsage', { query }, options);
  }
  /** The vendor accounts and their health. */
  accounts(options?: RequestOptions): Call<Schemas['AccountList']> {
    return this.core.call('listAccounts', {}, options);
  }
}

/** Lists of `{data, has_more, next_after}`. */
function listOf<Id extends Paged>(
  core: Core,
  id: Id,
  query: QueryOf<Id> | undefined,
  options: RequestOptions | undefined,
): Pages<ItemOf<Id>> {
  return core.pages(
    id,
    (after) => ({ ...query, ...(after !== undefined && { after }) }) as QueryOf<Id>,
    (reply) => {
      const page = reply as { data: ItemOf<Id>[]; next_after: string | number | null };
      return { items: page.data, next: page.next_after };
    },
    options,
  );
}

/** Keys of the public API. */
export class Keys extends Resource {
  /** Newest first, without their secrets. */
  list(query?: QueryOf<'listKeys'>, options?: RequestOptions): Pages<Schemas['Key']> {
    return listOf(this.core, 'listKeys', query, options);
  }
  /** The secret is in this answer and nowhere else. */
  create(body: BodyOf<'createKey'>, options?: RequestOptions): Call<Schemas['KeyCreated']> {
    return this.core.call('createKey', { body }, options);
  }
  get(id: number, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('getKey', { path: { key_id: id } }, options);
  }
  /** Changes what is named and leaves the rest. */
  update(id: number, body: BodyOf<'updateKey'>, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('updateKey', { path: { key_id: id }, body }, options);
  }
  /** For good. */
  revoke(id: number, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('revokeKey', { path: { key_id: id } }, options);
  }
  /** A new secret; the old one works on for `overlap_seconds`. */
  rotate(id: number, body: BodyOf<'rotateKey'> = {}, options?: RequestOptions): Call<Schemas['KeyCreated']> {
    return this.core.call('rotateKey', { path: { key_id: id }, body }, options);
  }
}

/** Who keys belong to, and their money. */
export class Owners extends Resource {
  list(query?: QueryOf<'listOwners'>, options?: RequestOptions): Pages<Schemas['Owner']> {
    return listOf(this.core, 'listOwners', query, options);
  }
  create(body: BodyOf<'createOwner'>, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('createOwner', { body }, options);
  }
  get(id: number, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('getOwner', { path: { owner_id: id } }, options);
  }
  update(id: number, body: BodyOf<'updateOwner'>, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('updateOwner', { path: { owner_id: id }, body }, options);
  }
  /** Adds money, in quota units or US dollars. */
  topUp(id: number, body: BodyOf<'topUpOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> {
    return this.core.call('topUpOwner', { path: { owner_id: id }, body }, options);
  }
  /** Corrects a balance, either way, with a note. */
  adjust(id: number, body: BodyOf<'adjustOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> {
    return this.core.call('adjustOwner', { path: { owner_id: id }, body }, options);
  }
}

/** The append-only ledger. */
export class AdminLedger extends Resource {
  list(query?: QueryOf<'listLedgerEntries'>, options?: RequestOptions): Pages<Schemas['LedgerEntry']> {
    return listOf(this.core, 'listLedgerEntries', query, options);
  }
  /** Recomputes every balance and hold and names what differs. */
  verify(options?: RequestOptions): Call<Schemas['LedgerVerification']> {
    return this.core.call('verifyLedger', {}, options);
  }
  /** Recomputes the bill of one request. */
  replay(requestId: string, options?: RequestOptions): Call<Schemas['LedgerReplay']> {
    return this.core.call('replayLedger', { path: { request_id: requestId } }, options);
  }
}

/** Tasks of all owners. */
export class AdminTasks extends Resource {
  list(query?: QueryOf<'listAllTasks'>, options?: RequestOptions): Pages<Schemas['AdminTask']> {
    return listOf(this.core, 'listAllTasks', query, options);
  }
}

/** What was sent to `callback_url`s. */
export class Webhooks extends Resource {
  list(query?: QueryOf<'listWebhookDeliveries'>, options?: RequestOptions): Pages<Schemas['WebhookDelivery']> {
    return listOf(this.core, 'listWebhookDeliveries', query, options);
  }
  /** Sends one again. */
  replay(deliveryId: string, options?: RequestOptions): Call<Schemas['WebhookDelivery']> {
    return this.core.call('replayWebhookDelivery', { path: { delivery_id: deliveryId } }, options);
  }
}

/** What operators changed. */
export class AdminAudit extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listAuditEntries'>, options?: RequestOptions): Pages<Schemas['AuditEntry']> {
    return listOf(this.core, 'listAuditEntries', query, options);
  }
}
