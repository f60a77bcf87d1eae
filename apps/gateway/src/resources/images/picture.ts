/** What plain and streamed answers of pictures share. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { Picture } from '@model-gateway/core';

/** A picture: `url`, `b64_json` or both, and `size` where it is known. */
export function pictureItem({ url, bytes, size }: Picture): JsonObject {
  return {
    ...(url !== undefined && { url }),
    ...(bytes !== undefined && { b64_json: base64Of(bytes) }),
    ...(size !== undefined && { size }),
  };
}

export function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** A picture of a group that could not be made. */
export function faultItem(fault: {
  readonly code: string;
  readonly message: string;
  readonly vendorCode?: string;
}): JsonObject {
  return { error: { code: fault.vendorCode ?? fault.code, message: fault.message } };
}

/** OpenAI's usage of pictures. */
export function tokensOf(usage: Usage) {
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
