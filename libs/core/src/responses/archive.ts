/** Responses as they are kept: sealed, within the bounds of their owner, with what came before each of them. */
import type { JsonObject } from '@model-gateway/contracts';
import { GatewayError } from '@model-gateway/contracts';
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

export interface Archive {
  /** Seals what is shown of a response. */
  sealReply(of: Id, reply: JsonObject): Uint8Array;
  /** Keeps an answer that has ended: what was asked, what is shown of it, and what is written beside it. */
  keepEnded(
    { caller, model }: Pick<ChatCall, 'caller' | 'model'>,
    answer: Pick<ResponseRecord, 'id' | 'kind' | 'status' | 'previousId' | 'conversationId'>,
    said: { readonly items: readonly JsonObject[]; readonly shown: JsonObject },
    beside?: { readonly added?: readonly ConversationItem[]; readonly marks?: readonly string[] },
  ): Promise<void>;
  openReply(record: ResponseRecord): JsonObject;
  sealAsked(of: Id, asked: AskedRecord): Uint8Array;
  openAsked(record: ResponseRecord): AskedRecord;
  sealEvents(of: Id, events: readonly JsonObject[], last: number): EventBatch;
  openEvents(of: Id, batch: EventBatch): readonly JsonObject[];
  sealItems(conversation: Id, items: readonly JsonObject[]): ConversationItem[];
  openItem(conversation: Id, item: ConversationItem): JsonObject;
  /** What was said before. Throws `not_found` naming the field. */
  history(tenant: Tenant, wish: Pick<KeepingWish, 'previousId' | 'conversationId'>): Promise<History>;
  /** So many bytes were written for a tenant: what is beyond its bound goes, out of date first. Never rejects. */
  written(tenant: Tenant, bytes: number): Promise<void>;
  expiry(): number;
}

/** Makes the archive of one process. */
export function createArchive({ store, now, log, keeping }: ResponseParts): Archive {
  const { sealing, keepMs, mostBytes } = keeping;
  const writtenBy = new Map<string, number>();
  const place = (of: Id, part: string): string => `${part} ${of.id} ${of.ownerId} ${of.mode}`;
  const open = <T>(sealed: Uint8Array, of: Id, part: string): T => sealing.open(sealed, place(of, part)) as T;
  const expiry = (): number => now() + keepMs;

  const openReply: Archive['openReply'] = (record) => open(record.reply, record, 'reply');
  const openAsked: Archive['openAsked'] = (record) => open(record.asked, record, 'asked');
  const openItem: Archive['openItem'] = (of, { id, sealed }) => open(sealed, of, `item ${id}`);

  const ofThread = async (tenant: Tenant, id: string): Promise<History> => {
    const chain = mayBeKept(id) ? await store.responses.chain(tenant, id, MOST_TURNS, now()) : [];
    const [newest] = chain;
    const oldest = chain.at(-1);
    if (newest === undefined || oldest === undefined) throw noSuch('response', id, 'previous_response_id');
    if (newest.status !== 'completed' && newest.status !== 'incomplete') throw notContinuable(newest);
    if (oldest.previousId !== undefined) {
      if (chain.length >= MOST_TURNS) throw tooLong('previous_response_id', `${MOST_TURNS} responses`);
      throw noSuch('response', oldest.previousId, 'previous_response_id');
    }
    // Once a day: a thread lives as long as it is used.
    const due = chain.filter((each) => each.expiresAt < expiry() - DAY_MS).map((each) => each.id);
    if (due.length > 0) await store.responses.prolong(due, expiry());
    let size = 0;
    const items: JsonObject[] = [];
    for (const record of chain.toReversed()) {
      size += record.asked.length + record.reply.length;
      if (size > MOST_HISTORY) throw tooLong('previous_response_id', '64 MB');
      items.push(...openAsked(record).items, ...keptResponses.outputOf(openReply(record)));
    }
    return { items, size };
  };

  const sealReply: Archive['sealReply'] = (of, reply) => sealing.seal(reply, place(of, 'reply'));
  const sealAsked: Archive['sealAsked'] = (of, asked) =>
    sealing.seal({ ...asked, items: [...asked.items] } as unknown as JsonObject, place(of, 'asked'));
  const written: Archive['written'] = async (tenant, bytes) => {
    const name = `${tenant.ownerId} ${tenant.mode}`;
    const sum = (writtenBy.get(name) ?? mostBytes) + bytes;
    writtenBy.set(name, sum);
    if (sum < mostBytes / LOOK_EACH) return;
    writtenBy.set(name, 0);
    try {
      await store.responses.trim(tenant, mostBytes);
    } catch (error) {
      log.warn({ err: error }, 'responses beyond the bound of their owner could not be removed');
    }
  };

  return {
    sealReply,
    async keepEnded({ caller, model }, answer, { items, shown }, { added = [], marks } = {}) {
      const { ownerId, mode, id: keyId } = caller.key;
      const of = { id: answer.id, ownerId, mode };
      const record: ResponseRecord = {
        ...{ ...answer, ownerId, mode, keyId, model },
        background: false,
        requestId: caller.requestId,
        createdAt: now(),
        expiresAt: expiry(),
        asked: sealAsked(of, { items }),
        reply: sealReply(of, shown),
        submitted: true,
        cancelRequested: false,
        isOpen: false,
      };
      await store.responses.keep(record, added, marks);
      await written(record, record.asked.length + record.reply.length);
    },
    openReply,
    sealAsked,
    openAsked,
    sealEvents: (of, events, last) => ({ last, sealed: sealing.seal([...events], place(of, `events ${last}`)) }),
    openEvents: (of, { last, sealed }) => open(sealed, of, `events ${last}`),
    sealItems: (of, items) =>
      items.map((item) => {
        const id = item['id'] as string;
        return { id, sealed: sealing.seal(item, place(of, `item ${id}`)) };
      }),
    openItem,
    async history(tenant, { previousId, conversationId }) {
      if (previousId !== undefined) {
        const { items, size } = await ofThread(tenant, previousId);
        return { items: keptResponses.asHistory(items), size };
      }
      if (conversationId === undefined) return { items: [], size: 0 };
      const conversation = mayBeKept(conversationId)
        ? await store.responses.findConversation(tenant, conversationId, now())
        : undefined;
      if (conversation === undefined) throw noSuch('conversation', conversationId, 'conversation');
      const items = await store.responses.conversationItems(conversationId);
      const size = items.reduce((sum, { sealed }) => sum + sealed.length, 0);
      if (size > MOST_HISTORY) throw tooLong('conversation', '64 MB');
      return { items: keptResponses.asHistory(items.map((item) => openItem(conversation, item))), size };
    },
    written,
    expiry,
  };
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
