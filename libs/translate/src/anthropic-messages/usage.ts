/** Counts, both ways. The wire's `input_tokens` excludes cached tokens, ours includes them (docs/wire/chat-translation.md#usage). */
import type { Json, JsonObject, Usage } from '@model-gateway/contracts';
import { addUsage } from '../shared/join-replies.ts';
import { objectOf, objectsOf, present } from '../shared/read.ts';
import { countOf } from '../shared/usage.ts';

/** Runs of a model that are billed on top of the counts of the answer: the summary of a history, and an adviser. */
const BESIDE: readonly unknown[] = ['compaction', 'advisor_message'];

/** A `usage` object; `includesCache` for vendors whose `input_tokens` already holds cached ones (maximhq/bifrost#5510). */
export function readWireUsage(usage: JsonObject | undefined, includesCache = false): Usage | undefined {
  if (usage === undefined) return undefined;
  const own = readCounts(usage, includesCache);
  const runs = objectsOf(usage['iterations']);
  const isBeside = ({ type }: JsonObject): boolean => BESIDE.includes(type);
  if (!runs.some(isBeside)) return own;
  const sumOf = (some: readonly JsonObject[]): Usage | undefined =>
    some.map((run) => readCounts(run, includesCache)).reduce(addUsage, undefined);
  // An event of a stream may leave out what its start has told: the runs tell it again.
  const answer = { ...sumOf(runs.filter((run) => !isBeside(run))), ...own };
  return addUsage(answer, sumOf(runs.filter(isBeside)));
}

function readCounts(usage: JsonObject, includesCache: boolean): Usage | undefined {
  const input = countOf(usage['input_tokens']);
  const read = countOf(usage['cache_read_input_tokens']);
  const split = objectOf(usage['cache_creation']);
  const short = countOf(split?.['ephemeral_5m_input_tokens']);
  const long = countOf(split?.['ephemeral_1h_input_tokens']);
  const written =
    countOf(usage['cache_creation_input_tokens']) ??
    (short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0));
  const result = present({
    inputTokens: input === undefined ? undefined : includesCache ? input : input + (read ?? 0) + (written ?? 0),
    cachedInputTokens: read,
    cacheWriteTokens: written,
    cacheWriteLongTokens: long,
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
    webSearches: countOf(objectOf(usage['server_tool_use'])?.['web_search_requests']),
  });
  return Object.keys(result).length === 0 ? undefined : result;
}

/** The counts of a whole message, of one stream event, or of nothing. */
export function readUsage(body: Json, quirks?: JsonObject): Usage | undefined {
  const event = objectOf(body);
  const usage = objectOf(event?.['usage']) ?? objectOf(objectOf(event?.['message'])?.['usage']);
  return readWireUsage(usage, quirks?.['usage_input_includes_cache'] === true);
}

/** `usage` of a message: the four counters always there and whole, the rest where somebody reported it. */
export function writeUsage(usage: Usage | undefined): JsonObject {
  const read = usage?.cachedInputTokens ?? 0;
  const written = usage?.cacheWriteTokens ?? 0;
  const long = Math.min(written, usage?.cacheWriteLongTokens ?? 0);
  return {
    // Some vendors count cache writes as hits too: never below zero (vercel/ai#18614).
    input_tokens: Math.max(0, (usage?.inputTokens ?? 0) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written - long, ephemeral_1h_input_tokens: long },
    output_tokens: usage?.outputTokens ?? 0,
    ...(usage?.reasoningTokens !== undefined && {
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    }),
    ...(usage?.webSearches !== undefined && {
      server_tool_use: { web_search_requests: usage.webSearches, web_fetch_requests: 0 },
    }),
  };
}
