import { readDialectFault, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** What a conversation kept by the vendor is asked for with; an account or server without that feature knows no such field. */
const THREAD_FIELDS: ReadonlySet<string | undefined> = new Set(['thread', 'previous_message_id']);
/** The word on which Anthropic's SDKs send the whole conversation instead. */
const NO_THREADS = 'thread_unsupported_request';

/** `messages.2.content.0.text: …`: Anthropic names the place at the head of its sentence. */
const PLACE = /^([a-z_]+(?:\.[A-Za-z0-9_-]+)*): /;

/**
 * The refusal in a reply of Anthropic, or in a stream's `error` event (docs/wire/anthropic-messages.md#errors). A stream may
 * begin with one: overloaded after a 200 is still overloaded. Pure.
 */
export function readFault(reply: UpstreamReply): Fault | undefined {
  const fault = readDialectFault(reply);
  if (fault === undefined) return undefined;
  const word = fault.vendorCode ?? '';
  // A spent budget is told as a rate limit or a bad request, but no waiting clears it and no caller can mend it.
  if (/spend|credit|billing/.test(word)) return { ...fault, code: 'upstream_rejected_key' };
  const place = PLACE.exec(fault.message)?.[1];
  if (word === 'not_found_error' && place === 'model') return { ...fault, code: 'upstream_rejected_model' };
  if (word === 'not_found_error' && place !== 'model' && /\b(?:file|container|skill)\b/i.test(fault.message)) {
    return { ...fault, code: 'invalid_request' };
  }
  if (fault.code === 'invalid_request' && THREAD_FIELDS.has(place) && /extra inputs/i.test(fault.message)) {
    return { ...fault, param: place ?? '', vendorCode: NO_THREADS };
  }
  if (fault.code !== 'invalid_request' || fault.param !== undefined || place === undefined) return fault;
  return { ...fault, param: place.replace(/\.(\d+)(?=\.|$)/g, '[$1]') };
}
