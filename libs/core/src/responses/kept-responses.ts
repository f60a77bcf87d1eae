/** What callers do with responses that are kept: read, follow, cancel, delete. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';
import type { Store, ResponseRecord, Tenant } from '../ports.ts';
import type { Archive } from './archive.ts';
import type { Background } from './background.ts';
import { followed, streamOf, type EventLog } from './event-log.ts';
import { isCompletionId, mayBeKept, noSuch } from './ids.ts';
import type { LiveResponses } from './live-responses.ts';

/** Which part of a list. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
  readonly order?: 'asc' | 'desc';
}
export interface Page {
  readonly items: readonly JsonObject[];
  readonly hasMore: boolean;
}

export interface KeptResponses {
  /** The response object as it is now. Throws `not_found`, for another tenant's too. */
  get(tenant: Tenant, id: string): Promise<JsonObject>;
  /** The events of a response in the background, or of one that this process streams just now, behind that number and on to its end. Throws `not_found`, and `invalid_request` for others. */
  follow(tenant: Tenant, id: string, after: number, signal: AbortSignal): Promise<ReturnType<typeof followed>>;
  /** What its request brought. */
  inputItems(tenant: Tenant, id: string, query: PageQuery): Promise<Page>;
  /** The response object, cancelled if it was still worked on. Throws `invalid_request` for one that was not asked for in the background. */
  cancel(tenant: Tenant, id: string): Promise<JsonObject>;
  /** Throws `conflict` while it is worked on. */
  remove(tenant: Tenant, id: string): Promise<void>;
}

const PARAM = 'response_id';
const USUAL_LIMIT = 20;

export interface KeptResponsesOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly archive: Archive;
  readonly background: Background;
  readonly events: EventLog;
  readonly live: LiveResponses;
}

/** Makes it over what one process works on. */
export function createKeptResponses({
  store,
  now,
  archive,
  background,
  events,
  live,
}: KeptResponsesOptions): KeptResponses {
  const find = async (tenant: Tenant, id: string): Promise<ResponseRecord> => {
    const found = mayBeKept(id) && !isCompletionId(id) ? await store.responses.find(tenant, id, now()) : undefined;
    if (found === undefined) throw noSuch('response', id, PARAM);
    return found;
  };
  const findBackground = async (tenant: Tenant, id: string, what: string): Promise<ResponseRecord> => {
    const found = await find(tenant, id);
    if (found.background) return found;
    throw new GatewayError('invalid_request', `${PARAM}: only a response with background: true ${what}`, {
      param: PARAM,
    });
  };
  return {
    get: async (tenant, id) => live.find(tenant, id)?.shown() ?? archive.openReply(await find(tenant, id)),
    async follow(tenant, id, after, signal) {
      const streaming = live.find(tenant, id);
      if (streaming !== undefined) return streamOf(streaming.follow(after, signal), signal);
      const record = await findBackground(tenant, id, 'can be followed');
      return followed(events, record, signal, after);
    },
    async inputItems(tenant, id, query) {
      const { items } = archive.openAsked(await find(tenant, id));
      return pageOf(items, query);
    },
    async cancel(tenant, id) {
      const record = await findBackground(tenant, id, 'can be cancelled');
      const changed = await background.cancel(tenant, record);
      if (changed === undefined) throw noSuch('response', id, PARAM);
      return archive.openReply(changed);
    },
    async remove(tenant, id) {
      if (live.find(tenant, id) !== undefined) throw stillWorkedOn('wait for its end');
      await find(tenant, id);
      if (await store.responses.remove(tenant, id)) return;
      throw stillWorkedOn('cancel it, or wait for its end');
    },
  };
}

function stillWorkedOn(remedy: string): GatewayError {
  return new GatewayError('conflict', `${PARAM}: the response is still running; ${remedy}`, { param: PARAM });
}

/** One page of a list, the newest first unless it is asked otherwise. Throws `invalid_request` where the item behind which it begins is none of them. */
export function pageOf(
  all: readonly JsonObject[],
  { limit = USUAL_LIMIT, after, order = 'desc' }: PageQuery,
  shown: (item: JsonObject) => JsonObject = keptResponses.shownItem,
): Page {
  const items = order === 'asc' ? all : all.toReversed();
  const from = after === undefined ? 0 : items.findIndex((item) => item['id'] === after) + 1;
  if (after !== undefined && from === 0)
    throw new GatewayError('invalid_request', `after: there is no item '${after.slice(0, 100)}' in this list`, {
      param: 'after',
    });
  return { items: items.slice(from, from + limit).map(shown), hasMore: items.length > from + limit };
}
