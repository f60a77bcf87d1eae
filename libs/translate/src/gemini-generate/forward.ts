/** generateContent between a caller and a vendor who both speak it. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { ForwardingRules, JsonPieces } from '../dialect.ts';
import { memberOf } from '../shared/asks-for-thoughts.ts';
import { createSseParser } from '../shared/sse.ts';

export const forwarding: ForwardingRules = {
  // The model is in the path, and beside it only in what a counting call wraps.
  requestEdits: (body, { model }) => new Map([...wrappedModel(body, model)]),
  repliesAreEvents: true,
  usageName: 'usageMetadata":',
  outputNames: ['text"'],
  mediaNames: ['"data"'],
  asksForThoughts(body) {
    const config = body['generationConfig'] ?? body['generation_config'];
    const thinking = memberOf(config, 'thinkingConfig') ?? memberOf(config, 'thinking_config');
    const budget = memberOf(thinking, 'thinkingBudget') ?? memberOf(thinking, 'thinking_budget');
    return thinking !== undefined && budget !== 0;
  },
  isAnswer: ({ candidates, promptFeedback }) => Array.isArray(candidates) || promptFeedback !== undefined,
  finished: /"finishReason": ?"|"blockReason": ?"|"error": ?\{/,
  failed: /"error": ?\{/,
};

/** Google refuses a wrapped request that names another model than the path does. */
function* wrappedModel(body: JsonObject, model: string): Generator<readonly [string, string]> {
  const named = model.includes('/') ? model : `models/${model}`;
  for (const name of ['generateContentRequest', 'generate_content_request']) {
    const wrapped = body[name];
    if (!isJsonObject(wrapped) || typeof wrapped['model'] !== 'string' || wrapped['model'] === named) continue;
    yield [name, JSON.stringify({ ...wrapped, model: named })];
  }
}

/** Without `alt=sse` the fragments of a stream are the elements of one JSON array. */
export function jsonPieces(): JsonPieces {
  const parser = createSseParser();
  let started = false;
  const elements = (events: readonly { readonly data: string }[]): string => {
    let text = '';
    for (const { data } of events) {
      text += `${started ? ',\n' : '['}${data}`;
      started = true;
    }
    return text;
  };
  return {
    push: (chunk) => elements(parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    end: () => `${elements(parser.end())}${started ? ']' : '[]'}`,
  };
}
