/** What vendors' prompt caches did: /admin/requests/{request_id}/cache, /admin/cache-report. */
import { GatewayError, type components } from '@model-gateway/contracts';
import { dollarsOf, type CacheDay } from '@model-gateway/core';
import type { AdminOperations, AdminParts } from '../admin-operation.ts';
import { daysIn } from '../requests/days.ts';
import { placeOfRequest } from '../requests/detail.ts';
import { namesOfRows } from '../requests/view.ts';
import { timeOf } from '../values.ts';
import { adviceFor, explain } from './words.ts';

type Schemas = components['schemas'];
type KeySums = Omit<Schemas['CacheReportKey'], 'owner_name' | 'key_name'>;

const DAY_MS = 86_400_000;
/** Rows of keys and causes that are read. */
const MOST_ROWS = 10_000;

const NOT_EXAMINED: Omit<Schemas['RequestCache'], 'request_id'> = {
  ...{ object: 'request_cache', examined: false, model: null, upstream_model: null, account_id: null },
  ...{ input_tokens: null, read_tokens: null, could_tokens: null, lost_tokens: null, lost_usd: null },
  ...{ cause: null, changed: null, previous_request_id: null, seconds_since_previous: null },
  ...{ minimum_tokens: null, lifetime_seconds: null, advice: null },
  explanation:
    'The request was not examined: it is too short to cache, its model has no price for cached input, or a part of its prompt is elsewhere.',
};

/** Operations on prompt caches. What this process has not written yet is written first. */
export function promptCacheOperations({ store, now, flushRequests }: AdminParts): AdminOperations {
  return {
    getRequestCache: async (call) => {
      await flushRequests();
      const id = String(call.params['request_id']);
      const place = placeOfRequest(id, 'request_id');
      const turn = await store.requests.cacheTurn(place);
      if (turn === undefined) {
        if ((await store.requests.get(place)) === undefined)
          throw new GatewayError('not_found', `the request log has no request '${id.slice(0, 80)}'`, { param: 'request_id' }); // prettier-ignore
        return { ...NOT_EXAMINED, request_id: id };
      }
      return {
        ...{ object: 'request_cache', request_id: id, examined: true, model: turn.model },
        ...{ upstream_model: turn.upstreamModel, account_id: turn.accountId, input_tokens: turn.inputTokens },
        ...{ read_tokens: turn.readTokens, could_tokens: turn.couldTokens, lost_tokens: turn.lostTokens },
        ...{ lost_usd: dollarsOf(turn.lostUnits), cause: turn.cause ?? null, changed: turn.changed ?? null },
        previous_request_id: turn.previous ?? null,
        seconds_since_previous: turn.gapMs === undefined ? null : turn.gapMs / 1000,
        ...{ minimum_tokens: turn.minimumTokens, lifetime_seconds: turn.lifetimeMs / 1000 },
        ...explain(turn),
      };
    },
    getCacheReport: async (call) => {
      await flushRequests();
      const { limit, ...days } = daysIn(call, now());
      const sums = byKey(await store.requests.cacheDays({ ...days, limit: MOST_ROWS }));
      const shown = sums.slice(0, limit);
      const names = await namesOfRows(store, shown.map(({ owner_id: ownerId, key_id: keyId }) => ({ ownerId, keyId }))); // prettier-ignore
      return {
        ...{ object: 'cache_report', from: timeOf(days.from * DAY_MS), to: timeOf(days.to * DAY_MS) },
        data: shown.map((each) => ({
          ...each,
          owner_name: names.owners.get(each.owner_id) ?? null,
          key_name: names.keys.get(each.key_id) ?? null,
        })),
        has_more: sums.length > limit,
      };
    },
  };
}

function byKey(rows: readonly Omit<CacheDay, 'day' | 'model'>[]): readonly KeySums[] {
  const keys = new Map<number, KeySums & { charged: number; lost: number }>();
  for (const {
    keyId,
    ownerId,
    mode,
    cause,
    requests,
    inputTokens,
    readTokens,
    lostTokens,
    lostUnits,
    charged,
  } of rows) {
    const known = keys.get(keyId) ?? {
      ...{ owner_id: ownerId, key_id: keyId, mode, requests: 0, input_tokens: 0, read_tokens: 0, lost_tokens: 0 },
      ...{ lost_usd: 0, charged_usd: 0, causes: [], charged: 0, lost: 0 },
    };
    const loss = { requests, lost_tokens: lostTokens, lost_usd: dollarsOf(lostUnits) };
    keys.set(keyId, {
      ...known,
      requests: known.requests + requests,
      input_tokens: known.input_tokens + inputTokens,
      read_tokens: known.read_tokens + readTokens,
      lost_tokens: known.lost_tokens + lostTokens,
      charged: known.charged + charged,
      lost: known.lost + lostUnits,
      causes: cause === '' ? known.causes : [...known.causes, { cause, ...loss, advice: adviceFor(cause) }],
    });
  }
  return [...keys.values()]
    .map(({ charged, lost, ...sums }) => ({ ...sums, lost_usd: dollarsOf(lost), charged_usd: dollarsOf(charged) }))
    .sort((a, b) => b.lost_usd - a.lost_usd || b.input_tokens - a.input_tokens);
}
