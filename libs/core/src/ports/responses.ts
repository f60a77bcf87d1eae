/** Responses and conversations that the gateway keeps for its callers, sealed. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Payer } from './money.ts';
import type { Tenant } from './tenant.ts';

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** What an answer was asked as. */
export type KeptKind = 'response' | 'chat-completion';

/** Which chat completions are listed. */
export interface CompletionsQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** That one's place in the order is behind: the next page begins after it. */
  readonly after?: Pick<ResponseRecord, 'id' | 'createdAt'>;
  readonly model?: string;
  /** Of each, one of these marks must be there. */
  readonly marks: readonly (readonly string[])[];
}

/** One response. What callers wrote and models answered is sealed before it gets here. */
export interface ResponseRecord extends Tenant {
  /** Random and unguessable: `resp_gw_…`, and `chatcmpl-gw-…` of a chat completion. */
  readonly id: string;
  readonly kind: KeptKind;
  readonly keyId: number;
  /** The model code of the request. */
  readonly model: string;
  readonly status: ResponseStatus;
  readonly background: boolean;
  /** The response that this one goes on from. */
  readonly previousId?: string;
  readonly conversationId?: string;
  /** Of the request: its charge has the same. */
  readonly requestId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Sealed: what was asked. */
  readonly asked: Uint8Array;
  /** Sealed: the response object as it is shown. */
  readonly reply: Uint8Array;
  /** What the request has set aside; of responses in the background. */
  readonly holdId?: number;
  /** A model was asked, or is about to be: it is not asked again. */
  readonly submitted: boolean;
  readonly cancelRequested: boolean;
  /** It is worked on, or is to be. */
  readonly isOpen: boolean;
}

/** One item of a conversation, sealed. */
export interface ConversationItem {
  readonly id: string;
  readonly sealed: Uint8Array;
}
export interface ConversationRecord extends Tenant {
  /** `conv_gw_…`. */
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Sealed: its metadata. */
  readonly sealed: Uint8Array;
}

/** Some events of a stream, sealed together. */
export interface EventBatch {
  /** The sequence number of the last of them. */
  readonly last: number;
  readonly sealed: Uint8Array;
}

/** How a response ends. */
export interface ResponseEnd {
  readonly status: ResponseStatus;
  readonly reply: Uint8Array;
  /** What the conversation of the response gets in the same transaction. */
  readonly items: readonly ConversationItem[];
  /** The last event of its stream. */
  readonly event: EventBatch;
  /** Absent: all that was set aside goes back. */
  readonly bill?: {
    readonly charged: number;
    readonly accountId?: number;
    readonly priceVersion: string;
    readonly detail: JsonObject;
  };
}

export interface ResponseStore {
  /** Keeps a finished response, appends to its conversation what it brought, and marks what it is found by; all or nothing. */
  keep(response: ResponseRecord, items: readonly ConversationItem[], marks?: readonly string[]): Promise<void>;
  /** Ids and bytes of the tenant's chat completions by the time when they were made. */
  completions(
    tenant: Tenant,
    query: CompletionsQuery,
    now: number,
  ): Promise<readonly { readonly id: string; readonly size: number }[]>;
  /** Another reply, and other marks to be found by. False where the tenant has none such. */
  updateReply(tenant: Tenant, id: string, reply: Uint8Array, marks: readonly string[]): Promise<boolean>;
  /** Keeps a response that is to be worked on, with its first events and what it sets aside; all or nothing. Throws `insufficient_quota`. */
  enqueue(
    response: ResponseRecord,
    event: EventBatch,
    hold: { readonly payer: Payer; readonly amount: number; readonly detail: JsonObject } | undefined,
    now: number,
  ): Promise<void>;
  /** One of the tenant's that is not out of date; another tenant's is undefined like one that never was. */
  find(tenant: Tenant, id: string, now: number): Promise<ResponseRecord | undefined>;
  /** A response of the tenant's and those that it goes on from, newest first, at most so many; ends early where one is gone. */
  chain(tenant: Tenant, id: string, most: number, now: number): Promise<readonly ResponseRecord[]>;
  /** The tenant's responses, no chat completions, those that are kept longest first: they were used last. */
  recent(
    tenant: Tenant,
    page: { readonly from: number; readonly limit: number },
    now: number,
  ): Promise<readonly ResponseRecord[]>;
  /** They are used: none of them ends before `expiresAt`. */
  prolong(ids: readonly string[], expiresAt: number): Promise<void>;
  /** With its events. False where the tenant has none such, and while it is worked on. */
  remove(tenant: Tenant, id: string): Promise<boolean>;

  /** Claims responses that are to be worked on, tenants in turns: those that nobody works on, or whose process has let its claim run out. */
  claimDue(claim: {
    readonly by: string;
    readonly now: number;
    readonly until: number;
    readonly limit: number;
    /** Tenants that have enough under way. */
    readonly except: readonly Tenant[];
  }): Promise<readonly ResponseRecord[]>;
  /** Prolongs claims; says which of them are still held, and whether their caller wants an end. */
  renewClaims(
    ids: readonly string[],
    by: string,
    until: number,
  ): Promise<readonly { readonly id: string; readonly cancelRequested: boolean }[]>;
  /** Marks that a model is about to be asked. False when it was cancelled or somebody else has the claim. */
  markSubmitted(id: string, by: string, reply: Uint8Array): Promise<boolean>;
  /**
   * One transaction: the end, its money, its last event and what its conversation gets. `lost`: somebody else has the claim, or it has ended;
   * `cancelled`: its caller has cancelled it, and that is how it must end. Nothing has changed then.
   */
  finish(id: string, by: string, end: ResponseEnd, now: number): Promise<'done' | 'lost' | 'cancelled'>;
  /**
   * Ends a response that no model was asked for, and gives back what it set aside; one that is worked on is shown as cancelled from now on, and
   * ended by its worker. Undefined where the tenant has none such; a finished one is left as it is.
   */
  cancel(
    tenant: Tenant,
    id: string,
    end: Pick<ResponseEnd, 'reply' | 'event'>,
    now: number,
  ): Promise<ResponseRecord | undefined>;
  /** When `claimDue` may next find something. */
  nextDue(): Promise<number | undefined>;

  appendEvents(id: string, batch: EventBatch): Promise<void>;
  /** The number of the last event; -1 when there is none. */
  lastEvent(id: string): Promise<number>;
  /** Batches with an event behind that number, in order. */
  events(id: string, after: number, limit: number): Promise<readonly EventBatch[]>;

  createConversation(conversation: ConversationRecord, items: readonly ConversationItem[]): Promise<void>;
  findConversation(tenant: Tenant, id: string, now: number): Promise<ConversationRecord | undefined>;
  updateConversation(tenant: Tenant, id: string, sealed: Uint8Array, expiresAt: number): Promise<boolean>;
  /** With its items; responses that were made in it stay. */
  removeConversation(tenant: Tenant, id: string): Promise<boolean>;
  /** In the order in which they were added. */
  conversationItems(id: string): Promise<readonly ConversationItem[]>;
  addItems(tenant: Tenant, id: string, items: readonly ConversationItem[], expiresAt: number): Promise<boolean>;
  removeItem(tenant: Tenant, id: string, itemId: string): Promise<boolean>;

  /** Leaves the tenant's responses and conversations no more than so many bytes: what would be out of date first goes first. Returns how many went. */
  trim(tenant: Tenant, bytes: number): Promise<number>;
  /** Removes what is out of date, at most so many of each. Returns how many. */
  sweep(now: number, limit: number): Promise<number>;
}
