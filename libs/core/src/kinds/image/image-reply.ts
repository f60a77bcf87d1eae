/** What callers read of pictures: `data[]` of the prompt and edit bodies, `output[]` of the messages body, and the events of streams. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Generated, ImageReply } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';

/** A picture of a group that could not be made. */
export function faultItem(fault: {
  readonly code: string;
  readonly message: string;
  readonly vendorCode?: string;
}): JsonObject {
  return { error: { code: fault.vendorCode ?? fault.code, message: fault.message } };
}

/** OpenAI's usage of pictures. */
export function tokensOf(usage: Usage): JsonObject {
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: {
      text_tokens: input - (usage.inputImageTokens ?? 0),
      image_tokens: usage.inputImageTokens ?? 0,
    },
  };
}

/** Image models 1 and 3: `data[]`. `now` is in milliseconds. */
export function dataForm(row: ModelRow, reply: Generated<ImageReply>, items: JsonObject[], now: number): JsonObject {
  const created = reply.created ?? Math.floor(now / 1000);
  if (row.kind === 'image-edit') {
    const shown = items.map((item) => ({
      ...item,
      ...(reply.revisedPrompt !== undefined && { revised_prompt: reply.revisedPrompt }),
    }));
    return { created, data: shown, ...reply.echo, usage: tokensOf(reply.usage) };
  }
  const made = items.filter((item) => item['error'] === undefined).length;
  const output = reply.usage.outputTokens ?? 0;
  return {
    model: row.code,
    created,
    data: items,
    usage: {
      generated_images: made,
      output_tokens: output,
      total_tokens: (reply.usage.inputTokens ?? 0) + output,
      tool_usage: null,
      ...reply.vendorUsage,
    },
    error: made === 0 ? (items[0]?.['error'] ?? null) : null,
  };
}

/** Image model 2: `output[]`. */
export function outputForm(reply: Generated<ImageReply>, items: readonly JsonObject[], requestId: string): JsonObject {
  const input = reply.usage.inputTokens ?? 0;
  const output = reply.usage.outputTokens ?? 0;
  return {
    output: items.map((item) => ({
      type: 'message',
      content: [{ type: 'image', text: item['url'] ?? `data:image/png;base64,${textOf(item['b64_json'])}` }],
    })),
    usage: {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: usageOf(reply.usage.cachedInputTokens) },
      output_tokens_details: { reasoning_tokens: usageOf(reply.usage.reasoningTokens) },
      ...reply.vendorUsage,
    },
    request_id: reply.requestId ?? requestId,
  };
}

function usageOf(count: number | undefined): number {
  return count ?? 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
