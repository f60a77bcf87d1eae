/** Items that a request names instead of bringing them (`item_reference`), out of what the gateway keeps for its owner. */
import type { JsonObject } from '@model-gateway/contracts';
import { keptResponses, type KeepingWish } from '@model-gateway/translate';
import type { ResponseRecord, ResponseStore, Tenant } from '../ports.ts';
import type { Archive } from './archive.ts';
import { mayBeKept } from './ids.ts';

/** An item is looked for in so many answers, those that were used last: nothing else says which answer has brought it. */
const MOST_ANSWERS = 500;
const AT_ONCE = 25;
const MOST_BYTES = 64 * 1024 * 1024;

export interface ReferenceParts {
  readonly store: { readonly responses: Pick<ResponseStore, 'recent' | 'findConversation' | 'conversationItems'> };
  readonly now: () => number;
  readonly archive: Pick<Archive, 'openReply' | 'openAsked' | 'openItem'>;
}

/**
 * The body with the items in place of their names; the same body where it names none. A name of nothing that is kept stays: its vendor may
 * know it, and who does not says so.
 */
export async function withReferences(
  { store, now, archive }: ReferenceParts,
  tenant: Tenant,
  body: JsonObject,
  { conversationId }: Pick<KeepingWish, 'conversationId'>,
): Promise<JsonObject> {
  const wanted = new Set(keptResponses.referencesIn(body).filter(mayBeKept));
  if (wanted.size === 0) return body;
  const found = new Map<string, JsonObject>();
  const take = (items: readonly JsonObject[]): void => {
    for (const item of items) {
      const { id } = item;
      if (typeof id === 'string' && wanted.delete(id)) found.set(id, item);
    }
  };
  if (conversationId !== undefined && mayBeKept(conversationId)) {
    const conversation = await store.responses.findConversation(tenant, conversationId, now());
    if (conversation !== undefined)
      for (const item of await store.responses.conversationItems(conversationId))
        if (wanted.has(item.id)) take([archive.openItem(conversation, item)]);
  }
  let bytes = 0;
  for (let from = 0; wanted.size > 0 && from < MOST_ANSWERS && bytes < MOST_BYTES; from += AT_ONCE) {
    const records = await store.responses.recent(tenant, { from, limit: AT_ONCE }, now());
    for (const record of records) {
      bytes += record.asked.length + record.reply.length;
      if (wanted.size > 0) take(itemsOf(archive, record));
    }
    if (records.length < AT_ONCE) break;
  }
  return found.size === 0 ? body : keptResponses.withItems(body, found);
}

function itemsOf(archive: ReferenceParts['archive'], record: ResponseRecord): readonly JsonObject[] {
  return [...keptResponses.outputOf(archive.openReply(record)), ...archive.openAsked(record).items];
}
