import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { ChatDialect, ChatRequest } from '@model-gateway/translate';

/** What an answer must know of a request that was taken already. Throws nothing. */
export function requestOf(
  dialect: ChatDialect,
  body: JsonObject,
  path: { readonly model: string; readonly stream: boolean },
): ChatRequest {
  try {
    return dialect.decodeRequest(body, path);
  } catch {
    // What is forwarded as it came may have what no decoder knows.
    const { stream_options: options } = body;
    const streamUsage = isJsonObject(options) && options['include_usage'] === true;
    return { ...path, streamUsage, system: [], turns: [], tools: [], extra: {} };
  }
}
