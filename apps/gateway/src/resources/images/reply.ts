/** What callers read of pictures: `data[]` of the prompt and edit bodies, `output[]` of the messages body. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCall, MadeImages, ModelRow } from '@model-gateway/core';
import { pictureType } from '@model-gateway/provider-kit';
import { base64Of, faultItem, pictureItem, tokensOf } from './picture.ts';

type Reply = MadeImages['reply'];

/** The answer in the form of the request's shape. `now` is in milliseconds. */
export function imageReplyOf(
  { row, input, caller }: ImageCall,
  { pictures, reply }: MadeImages,
  now: number,
): JsonObject {
  const items = pictures.map((each, index) => ({
    ...reply.answer?.items[index],
    ...('fault' in each ? faultItem(each.fault) : pictureItem(each)),
  }));
  return input.shape === 'messages' ? outputForm(reply, items, caller.requestId) : dataForm(row, reply, items, now);
}

/** Image models 1 and 3: `data[]`. `now` is in milliseconds. */
function dataForm(row: ModelRow, reply: Reply, items: JsonObject[], now: number): JsonObject {
  const created = reply.created ?? Math.floor(now / 1000);
  // The vendor's name of the model is nobody's affair, and its usage has a name of its own here.
  const { model: named, usage: _usage, ...said } = reply.answer?.body ?? {};
  if (row.kind === 'image-edit') {
    const shown = items.map((item) => ({
      ...(reply.revisedPrompt !== undefined && { revised_prompt: reply.revisedPrompt }),
      ...item,
    }));
    return {
      ...said,
      ...(named !== undefined && { model: row.code }),
      created,
      data: shown,
      ...reply.echo,
      usage: { ...tokensOf(reply.usage), ...reply.vendorUsage },
    };
  }
  const made = items.filter((item) => item['error'] === undefined).length;
  const told = tokensOf(reply.usage);
  return {
    ...said,
    model: row.code,
    created,
    data: items,
    usage: {
      generated_images: made,
      output_tokens: told.output_tokens,
      total_tokens: told.total_tokens,
      tool_usage: null,
      // OpenAI’s SDKs require them of every answer.
      input_tokens: told.input_tokens,
      input_tokens_details: told.input_tokens_details,
      ...reply.vendorUsage,
    },
    error: made === 0 ? (items[0]?.['error'] ?? null) : null,
  };
}

/** Image model 2: `output[]`. */
function outputForm(reply: Reply, items: JsonObject[], requestId: string): JsonObject {
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

/** Google's form: each picture in base64, and in the place of one that could not be made why. */
export function predictionsOf(_call: ImageCall, { pictures, reply }: MadeImages): JsonObject {
  const { revisedPrompt } = reply;
  return {
    predictions: pictures.map((each) => {
      if ('fault' in each) return { raiFilteredReason: each.fault.message };
      const { bytes = new Uint8Array() } = each;
      return {
        mimeType: pictureType(bytes) ?? 'image/png',
        bytesBase64Encoded: base64Of(bytes),
        ...(revisedPrompt !== undefined && { prompt: revisedPrompt }),
      };
    }),
  };
}
