/** What an answer consumed: the counts of its model, and what the vendor's own tools did (docs/wire/openai-responses.md#answer). */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import { addUsage } from '../shared/join-replies.ts';
import { objectOf, objectsOf } from '../shared/read.ts';
import { withSearches } from '../shared/request-cost.ts';
import { countOf, readOpenAiUsage } from '../shared/usage.ts';

/** Of a whole response object; undefined while it has not told its counts. */
export function readResponseUsage(response: JsonObject): Usage | undefined {
  const usage = readOpenAiUsage(response['usage']);
  if (usage === undefined) return undefined;
  const tools = objectOf(response['tool_usage']);
  // Pictures that the vendor's own tool has painted are counted beside what the model wrote.
  const painted = readOpenAiUsage(tools?.['image_gen']);
  const all = hasTokens(painted) ? addUsage(usage, painted) : usage;
  const searches = countOf(objectOf(tools?.['web_search'])?.['num_requests']);
  return withSearches(all, searches ?? searchesOfXai(response) ?? countSearches(response));
}

/** On the web and in its own posts, at one price. */
function searchesOfXai(response: JsonObject): number | undefined {
  const told = objectOf(objectOf(response['usage'])?.['server_side_tool_usage_details']);
  const [web, own] = [countOf(told?.['web_search_calls']), countOf(told?.['x_search_calls'])];
  return web === undefined && own === undefined ? undefined : (web ?? 0) + (own ?? 0);
}

function hasTokens(usage: Usage | undefined): boolean {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) > 0;
}

/** Searches that the items tell of; to open a page of what was found is not billed. */
function countSearches(response: JsonObject): number {
  return objectsOf(response['output']).filter((item) => {
    const kind = objectOf(item['action'])?.['type'] ?? 'search';
    return item['type'] === 'web_search_call' && kind === 'search';
  }).length;
}
