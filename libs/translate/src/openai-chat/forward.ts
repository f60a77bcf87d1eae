/** chat-completions between a caller and a vendor who both speak it. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { EventEdit, ForwardingRules, ForwardOptions } from '../dialect.ts';
import { modelEdit } from '../forwarding/forward-request.ts';
import { isEffort, isThinkingOn, memberOf } from '../shared/asks-for-thoughts.ts';

export const forwarding: ForwardingRules = {
  requestEdits(body: JsonObject, options: ForwardOptions) {
    const edits = modelEdit(body, options.model);
    // Vendors report the usage of a stream only when they are asked to.
    if (options.stream && options.askUsage && !asksUsage(body)) {
      const given = body['stream_options'];
      edits.set('stream_options', JSON.stringify({ ...(isJsonObject(given) ? given : {}), include_usage: true }));
    }
    return edits;
  },
  usageEdit: (request) => (asksUsage(request) ? undefined : withoutUsageChunk),
  usageName: 'usage":',
  // `content"` is found in `"reasoning_content":"…"` too.
  outputNames: ['content"', 'arguments"', 'refusal"', 'transcript"'],
  mediaNames: ['"data"', '"url"'],
  asksForThoughts: (body) =>
    isEffort(body['reasoning_effort']) ||
    isEffort(memberOf(body['reasoning'], 'effort')) ||
    isThinkingOn(body['thinking']) ||
    body['enable_thinking'] === true,
  isAnswer: ({ choices }) => Array.isArray(choices),
  finished: /"finish_reason": ?"[^"]|^data: ?\[DONE\]/m,
  failed: /^event: ?error|"error": ?["{]|"object": ?"error"/m,
};

/** Whether the caller wants the chunk with the usage. */
function asksUsage(body: JsonObject): boolean {
  const options = body['stream_options'];
  return isJsonObject(options) && options['include_usage'] === true;
}

/** The chunk that only carries usage: the caller did not ask for it, the gateway did. */
const withoutUsageChunk: EventEdit = ({ usage, choices }) => {
  const saysNothing = choices === undefined || choices === null || (Array.isArray(choices) && choices.length === 0);
  return isJsonObject(usage) && saysNothing ? null : undefined;
};
