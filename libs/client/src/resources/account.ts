/** What a key may know of itself and of its owner. */
import type { BinaryReply } from '../binary.ts';
import type { Call } from '../call.ts';
import type { QueryOf, Schemas } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';
import { listOf } from './lists.ts';
import { Resource } from './resource.ts';

/** Of all keys of the owner, in the mode of this one. */
export class Account extends Resource {
  readonly requests = new Requests(this.core);
  readonly ledger = new Ledger(this.core);
  readonly webhooks = new OwnWebhooks(this.core);
  /** The key, its limits, its owner and the balance. */
  me(options?: RequestOptions): Call<Schemas['Me']> {
    return this.core.call('getMe', {}, options);
  }
  /** Requests, tokens and money, grouped as asked. */
  usage(query: QueryOf<'getOwnUsage'> = {}, options?: RequestOptions): Call<Schemas['UsageReport']> {
    return this.core.call('getOwnUsage', { query }, options);
  }
  /** Requests, errors, tokens, money and times by time. */
  overview(query: QueryOf<'getOwnOverview'> = {}, options?: RequestOptions): Call<Schemas['Overview']> {
    return this.core.call('getOwnOverview', { query }, options);
  }

  /** Opening balance, every movement of the period, closing balance. */
  statement(
    query: Omit<QueryOf<'getOwnStatement'>, 'format'> = {},
    options?: RequestOptions,
  ): Call<Schemas['Statement']> {
    return this.core.call('getOwnStatement', { query }, options);
  }
  /** The same as CSV, of any size. */
  statementCsv(query: Omit<QueryOf<'getOwnStatement'>, 'format'> = {}, options?: RequestOptions): Call<BinaryReply> {
    return this.core.download('getOwnStatement', { query: { ...query, format: 'csv' } }, options);
  }
}

/** Requests one by one. */
export class Requests extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listOwnRequests'>, options?: RequestOptions): Pages<Schemas['RequestRecord']> {
    return listOf(this.core, 'listOwnRequests', query, options);
  }
  /** One in full: attempts, and the bill line by line. */
  get(requestId: string, options?: RequestOptions): Call<Schemas['RequestDetail']> {
    return this.core.call('getOwnRequest', { path: { request_id: requestId } }, options);
  }
}

/** Lines of the owner's ledger. */
export class Ledger extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listOwnLedgerEntries'>, options?: RequestOptions): Pages<Schemas['LedgerEntry']> {
    return listOf(this.core, 'listOwnLedgerEntries', query, options);
  }
}

/** What was sent to the `callback_url`s of the owner's tasks. */
export class OwnWebhooks extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listOwnWebhookDeliveries'>, options?: RequestOptions): Pages<Schemas['WebhookDelivery']> {
    return listOf(this.core, 'listOwnWebhookDeliveries', query, options);
  }
  /** Sends one again. */
  replay(deliveryId: string, options?: RequestOptions): Call<Schemas['WebhookDelivery']> {
    return this.core.call('replayOwnWebhookDelivery', { path: { delivery_id: deliveryId } }, options);
  }
}
