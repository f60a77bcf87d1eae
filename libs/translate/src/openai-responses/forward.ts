/** Responses between a caller and a vendor who both speak it. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { EventEdit, ForwardingRules } from '../dialect.ts';
import { modelEdit } from '../forwarding/forward-request.ts';
import { isEffort, memberOf } from '../shared/asks-for-thoughts.ts';

export const forwarding: ForwardingRules = {
  requestEdits: (body, { model }) => modelEdit(body, model),
  editReply: (reply) =>
    isJsonObject(reply['usage']) ? { ...reply, usage: underBothNames(reply['usage']) } : undefined,
  usageEdit: () => withBothUsageNames,
  usageName: 'usage":',
  outputNames: ['delta"'],
  mediaNames: ['"result"'],
  draftNames: ['"partial_image_b64"'],
  thinksUnseen: /"type": ?"reasoning"/,
  asksForThoughts: ({ reasoning }) => isEffort(memberOf(reasoning, 'effort')),
  isAnswer: ({ output, status }) => Array.isArray(output) || typeof status === 'string',
  finished:
    /"type": ?"response\.(?:completed|incomplete|failed|cancelled|done)"|^event: ?(?:response\.(?:completed|incomplete|failed|cancelled|done)|error)/m,
  failed: /response\.(?:failed|cancelled)|^event: ?error|"type": ?"error"|^data: ?\{"error"|"object": ?"error"/m,
};

const withBothUsageNames: EventEdit = (data) => {
  const { response } = data;
  if (!isJsonObject(response) || !isJsonObject(response['usage'])) return undefined;
  return { ...data, response: { ...response, usage: underBothNames(response['usage']) } };
};

/** Usage under both sets of names: OpenAI's, and those of chat-completions that the document of this API shows. */
function underBothNames(usage: JsonObject): JsonObject {
  const input = usage['input_tokens'] ?? usage['prompt_tokens'] ?? 0;
  const output = usage['output_tokens'] ?? usage['completion_tokens'] ?? 0;
  const inputDetails = usage['input_tokens_details'];
  const outputDetails = usage['output_tokens_details'];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: {
      cached_tokens: 0,
      text_tokens: input,
      audio_tokens: 0,
      image_tokens: 0,
      ...(isJsonObject(inputDetails) ? inputDetails : {}),
    },
    completion_tokens_details: {
      text_tokens: output,
      audio_tokens: 0,
      reasoning_tokens: 0,
      ...(isJsonObject(outputDetails) ? outputDetails : {}),
    },
    ...usage,
  };
}
