/** Conversations: lists of items that callers make, and that responses made in them add to. */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';
import type { ConversationRecord, Tenant } from '../ports.ts';
import type { Archive } from './archive.ts';
import { conversationIdOf, mayBeKept, noSuch } from './ids.ts';
import { pageOf, type Page, type PageQuery } from './kept-responses.ts';
import type { ResponseParts } from './types.ts';

/** Of one request, as on the wire. */
const MOST_AT_ONCE = 20;
const PARAM = 'conversation_id';

export interface Conversation {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly metadata: JsonObject;
}

export interface Conversations {
  /** Throws `invalid_request` naming the field. */
  create(tenant: Tenant, asked: { readonly items?: Json; readonly metadata?: Json }): Promise<Conversation>;
  /** These and the others throw `not_found`, for another tenant's too. */
  get(tenant: Tenant, id: string): Promise<Conversation>;
  update(tenant: Tenant, id: string, metadata: Json | undefined): Promise<Conversation>;
  remove(tenant: Tenant, id: string): Promise<void>;
  addItems(tenant: Tenant, id: string, items: Json | undefined): Promise<readonly JsonObject[]>;
  items(tenant: Tenant, id: string, query: PageQuery): Promise<Page>;
  item(tenant: Tenant, id: string, itemId: string): Promise<JsonObject>;
  removeItem(tenant: Tenant, id: string, itemId: string): Promise<Conversation>;
}

/** Makes them over the store that all processes share. */
export function createConversations(parts: ResponseParts, archive: Archive): Conversations {
  const { store, now, randomId, keeping } = parts;
  const place = ({ id, ownerId, mode }: Pick<ConversationRecord, 'id' | 'ownerId' | 'mode'>): string =>
    `conversation ${id} ${ownerId} ${mode}`;
  const shown = (record: ConversationRecord): Conversation => ({
    id: record.id,
    createdAt: record.createdAt,
    metadata: keeping.sealing.open(record.sealed, place(record)) as JsonObject,
  });
  const find = async (tenant: Tenant, id: string): Promise<ConversationRecord> => {
    const found = mayBeKept(id) ? await store.responses.findConversation(tenant, id, now()) : undefined;
    if (found === undefined) throw noSuch('conversation', id, PARAM);
    return found;
  };
  const all = async (tenant: Tenant, id: string): Promise<JsonObject[]> => {
    const record = await find(tenant, id);
    return (await store.responses.conversationItems(id)).map((item) => archive.openItem(record, item));
  };
  return {
    async create({ ownerId, mode }, { items, metadata }) {
      const of = { id: conversationIdOf(randomId()), ownerId, mode };
      const read = readItems(items, randomId);
      const record: ConversationRecord = {
        ...of,
        createdAt: now(),
        expiresAt: archive.expiry(),
        sealed: keeping.sealing.seal(keptResponses.metadataIn(metadata), place(of)),
      };
      const added = archive.sealItems(of, read);
      await store.responses.createConversation(record, added);
      await archive.written(of, bytesOf(added) + record.sealed.length);
      return shown(record);
    },
    get: async (tenant, id) => shown(await find(tenant, id)),
    async update(tenant, id, metadata) {
      const record = await find(tenant, id);
      const sealed = keeping.sealing.seal(keptResponses.metadataIn(metadata), place(record));
      if (!(await store.responses.updateConversation(tenant, id, sealed, archive.expiry())))
        throw noSuch('conversation', id, PARAM);
      return shown({ ...record, sealed });
    },
    async remove(tenant, id) {
      await find(tenant, id);
      if (!(await store.responses.removeConversation(tenant, id))) throw noSuch('conversation', id, PARAM);
    },
    async addItems(tenant, id, items) {
      const record = await find(tenant, id);
      const read = readItems(items ?? null, randomId);
      if (read.length === 0) throw wrong('items', 'must be a list of one item or more');
      const added = archive.sealItems(record, read);
      if (!(await store.responses.addItems(tenant, id, added, archive.expiry())))
        throw noSuch('conversation', id, PARAM);
      await archive.written(record, bytesOf(added));
      return read.map(keptResponses.shownItem);
    },
    items: async (tenant, id, query) => pageOf(await all(tenant, id), query),
    async item(tenant, id, itemId) {
      const found = (await all(tenant, id)).find((item) => item['id'] === itemId);
      if (found === undefined) throw noSuch('item', itemId, 'item_id');
      return keptResponses.shownItem(found);
    },
    async removeItem(tenant, id, itemId) {
      const record = await find(tenant, id);
      if (!mayBeKept(itemId) || !(await store.responses.removeItem(tenant, id, itemId)))
        throw noSuch('item', itemId, 'item_id');
      return shown(record);
    },
  };
}

/** None where nothing is given. */
function readItems(items: Json | undefined, newId: () => string): JsonObject[] {
  if (items !== undefined && items !== null && !Array.isArray(items)) throw wrong('items', 'must be a list of items');
  const read = keptResponses.inputItems(items, newId, 'items');
  if (read.length > MOST_AT_ONCE) throw wrong('items', `has ${read.length} items; at most ${MOST_AT_ONCE} go at once`);
  return read;
}

function bytesOf(items: readonly { readonly sealed: Uint8Array }[]): number {
  return items.reduce((sum, { sealed }) => sum + sealed.length, 0);
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${message}`, { param });
}
