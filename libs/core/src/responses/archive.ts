/** Responses as they are kept: sealed, within the bounds of their owner, with what came before each of them. */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import { keptResponses, type KeepingWish } from '@model-gateway/translate';
import type { ChatCall } from '../kinds/chat/types.ts';
import type { ConversationItem, EventBatch, ResponseRecord, Tenant } from '../ports.ts';
import { mayBeKept, noSuch } from './ids.ts';
import type { AskedRecord, ResponseParts } from './types.ts';

/** Longer threads are conversations. */
const MOST_TURNS = 2_000;
/** Characters of a history: no model has a context of so much text, and bodies of requests have the same bound. */
const MOST_HISTORY = 64 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** An owner's kept bytes are looked at each time when this part of the bound was written. */
const LOOK_EACH = 64;

type Id = Pick<ResponseRecord, 'id' | 'ownerId' | 'mode'>;

export interface History {
  readonly items: readonly JsonObject[];
  /** Bytes that lie in the database. */
  readonly size: number;
}

/** The archive of one process. */
export class Archive {
  private readonly parts: ResponseParts;
  /** Bytes since an owner's were looked at last. */
  private readonly writtenBy = new Map<string, number>();

  constructor(parts: ResponseParts) {
    this.parts = parts;
  }

  /** Keeps an answer that has ended: what was asked, what is shown of it, and what is written beside it. */
  async keepEnded(
    { caller, model }: Pick<ChatCall, 'caller' | 'model'>,
    answer: Pick<ResponseRecord, 'id' | 'kind' | 'status' | 'previousId' | 'conversationId'>,
    { items, shown }: { readonly items: readonly JsonObject[]; readonly shown: JsonObject },
    { added = [], marks }: { readonly added?: readonly ConversationItem[]; readonly marks?: readonly string[] } = {},
  ): Promise<void> {
    const { ownerId, mode, id: keyId } = caller.key;
    const of = { id: answer.id, ownerId, mode };
    const record: ResponseRecord = {
      ...{ ...answer, ownerId, mode, keyId, model },
      background: false,
      requestId: caller.requestId,
      createdAt: this.parts.now(),
      expiresAt: this.expiry(),
      asked: this.sealAsked(of, { items }),
      reply: this.sealReply(of, shown),
      submitted: true,
      cancelRequested: false,
      isOpen: false,
    };
    await this.parts.store.responses.keep(record, added, marks);
    await this.written(record, record.asked.length + record.reply.length);
  }

  /** What was said before. Throws `not_found` naming the field. */
  async history(
    tenant: Tenant,
    { previousId, conversationId }: Pick<KeepingWish, 'previousId' | 'conversationId'>,
  ): Promise<History> {
    if (previousId !== undefined) {
      const { items, size } = await this.ofThread(tenant, previousId);
      return { items: keptResponses.asHistory(items), size };
    }
    return conversationId === undefined ? { items: [], size: 0 } : this.ofConversation(tenant, conversationId);
  }

  private async ofThread(tenant: Tenant, id: string): Promise<History> {
    const chain = await this.threadOf(tenant, id);
    await this.prolong(chain);
    let size = 0;
    const items: JsonObject[] = [];
    for (const record of chain.toReversed()) {
      size += record.asked.length + record.reply.length;
      if (size > MOST_HISTORY) throw tooLong('previous_response_id', '64 MB');
      items.push(...this.openAsked(record).items, ...keptResponses.outputOf(this.openReply(record)));
    }
    return { items, size };
  }

  /** The response and those before it, the newest first. */
  private async threadOf(tenant: Tenant, id: string): Promise<readonly ResponseRecord[]> {
    const { store, now } = this.parts;
    const chain = mayBeKept(id) ? await store.responses.chain(tenant, id, MOST_TURNS, now()) : [];
    const [newest] = chain;
    const oldest = chain.at(-1);
    if (newest === undefined || oldest === undefined) throw noSuch('response', id, 'previous_response_id');
    if (newest.status !== 'completed' && newest.status !== 'incomplete') throw notContinuable(newest);
    if (oldest.previousId !== undefined) {
      if (chain.length >= MOST_TURNS) throw tooLong('previous_response_id', `${MOST_TURNS} responses`);
      throw noSuch('response', oldest.previousId, 'previous_response_id');
    }
    return chain;
  }

  /** Once a day: a thread lives as long as it is used. */
  private async prolong(chain: readonly ResponseRecord[]): Promise<void> {
    const due = chain.filter((each) => each.expiresAt < this.expiry() - DAY_MS).map((each) => each.id);
    if (due.length > 0) await this.parts.store.responses.prolong(due, this.expiry());
  }

  private async ofConversation(tenant: Tenant, id: string): Promise<History> {
    const { store, now } = this.parts;
    const conversation = mayBeKept(id) ? await store.responses.findConversation(tenant, id, now()) : undefined;
    if (conversation === undefined) throw noSuch('conversation', id, 'conversation');
    const items = await store.responses.conversationItems(id);
    const size = items.reduce((sum, { sealed }) => sum + sealed.length, 0);
    if (size > MOST_HISTORY) throw tooLong('conversation', '64 MB');
    return { items: keptResponses.asHistory(items.map((item) => this.openItem(conversation, item))), size };
  }

  /** So many bytes were written for a tenant: what is beyond its bound goes, out of date first. Never rejects. */
  async written(tenant: Tenant, bytes: number): Promise<void> {
    const { store, log, keeping } = this.parts;
    const name = `${tenant.ownerId} ${tenant.mode}`;
    const sum = (this.writtenBy.get(name) ?? keeping.mostBytes) + bytes;
    this.writtenBy.set(name, sum);
    if (sum < keeping.mostBytes / LOOK_EACH) return;
    this.writtenBy.set(name, 0);
    try {
      await store.responses.trim(tenant, keeping.mostBytes);
    } catch (error) {
      log.warn({ err: error }, 'responses beyond the bound of their owner could not be removed');
    }
  }

  expiry(): number {
    return this.parts.now() + this.parts.keeping.keepMs;
  }

  /** Seals what is shown of a response. */
  sealReply(of: Id, reply: JsonObject): Uint8Array {
    return this.seal(reply, of, 'reply');
  }

  openReply(record: ResponseRecord): JsonObject {
    return this.open(record.reply, record, 'reply');
  }

  sealAsked(of: Id, asked: AskedRecord): Uint8Array {
    return this.seal({ ...asked, items: [...asked.items] } as unknown as JsonObject, of, 'asked');
  }

  openAsked(record: ResponseRecord): AskedRecord {
    return this.open(record.asked, record, 'asked');
  }

  sealEvents(of: Id, events: readonly JsonObject[], last: number): EventBatch {
    return { last, sealed: this.seal([...events], of, `events ${last}`) };
  }

  openEvents(of: Id, { last, sealed }: EventBatch): readonly JsonObject[] {
    return this.open(sealed, of, `events ${last}`);
  }

  sealItems(conversation: Id, items: readonly JsonObject[]): ConversationItem[] {
    return items.map((item) => {
      const id = item['id'] as string;
      return { id, sealed: this.seal(item, conversation, `item ${id}`) };
    });
  }

  openItem(conversation: Id, { id, sealed }: ConversationItem): JsonObject {
    return this.open(sealed, conversation, `item ${id}`);
  }

  private seal(value: Json, of: Id, part: string): Uint8Array {
    return this.parts.keeping.sealing.seal(value, placeOf(of, part));
  }

  private open<T>(sealed: Uint8Array, of: Id, part: string): T {
    return this.parts.keeping.sealing.open(sealed, placeOf(of, part)) as T;
  }
}

/** What is sealed opens at its own place alone. */
function placeOf(of: Id, part: string): string {
  return `${part} ${of.id} ${of.ownerId} ${of.mode}`;
}

function notContinuable({ id, status }: ResponseRecord): GatewayError {
  const running = status === 'queued' || status === 'in_progress';
  return new GatewayError(
    running ? 'conflict' : 'invalid_request',
    `previous_response_id: '${id}' is ${status}; ${running ? 'wait until it is completed' : 'continue from one that is completed or incomplete'}`,
    { param: 'previous_response_id', taken: 'no' },
  );
}

function tooLong(param: string, most: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: the history is longer than ${most}; start a new conversation`, {
    param,
    taken: 'no',
  });
}
