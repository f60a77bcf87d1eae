/** Refusals in the middle of a Responses stream, both ways. */
import type { GatewayError } from '@model-gateway/contracts';
import type { SseEvent } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { decodeOpenAiError, encodeOpenAiError } from '../shared/openai-error.ts';
import { objectOf, parseJson } from '../shared/read.ts';
import { refusalIn } from '../shared/refusal-event.ts';
import { formatSse } from '../shared/sse.ts';

/** The wire's own `error` event: flat as it is documented, and with the object that OpenAI sends (docs/wire/openai-responses.md#stream-grammar). */
export function errorEvent(error: GatewayError): string {
  const inner = objectOf(encodeOpenAiError(error, statusInStream(error))['error']);
  const said = { code: inner?.['code'] ?? null, message: error.message, param: error.details.param ?? null };
  const data = { type: 'error', ...said, error: { type: inner?.['type'] ?? null, ...said }, sequence_number: 0 };
  return formatSse(JSON.stringify(data), 'error');
}

/** An `error` event, or a response that failed. */
export function responsesRefusalIn(event: SseEvent): GatewayError | undefined {
  const refusal = refusalIn(event, decodeOpenAiError);
  if (refusal !== undefined || !/response\.(?:failed|cancelled)/.test(event.event + event.data)) return refusal;
  const data = objectOf(parseJson(event.data));
  const type = data?.['type'] ?? event.event;
  if (type !== 'response.failed' && type !== 'response.cancelled') return undefined;
  return decodeOpenAiError(0, {}, { error: objectOf(data?.['response'])?.['error'] ?? null });
}
