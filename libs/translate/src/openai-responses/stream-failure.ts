/** Events of a Responses stream that say that it has failed. */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { StreamError } from '../conversation.ts';
import { decodeOpenAiError, toStreamError } from '../shared/openai-error.ts';
import { objectOf } from '../shared/read.ts';

/** What went wrong; undefined for an event that is part of an answer. */
export function failureIn(type: string, data: JsonObject): StreamError | undefined {
  if (type === 'response.failed' || type === 'response.cancelled') {
    const error = objectOf(objectOf(data['response'])?.['error']);
    return toStreamError(decodeOpenAiError(0, {}, error === undefined ? undefined : { error }));
  }
  if (type === 'error') {
    const error = objectOf(data['error']) ?? { code: data['code'] ?? null, message: data['message'] ?? null };
    return toStreamError(decodeOpenAiError(0, {}, { error }));
  }
  return isJsonObject(data['error']) ? toStreamError(decodeOpenAiError(0, {}, data)) : undefined;
}
