import { isJsonObject, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import { readDialectFault, retryAfterOf, textAt, type Fault, type UpstreamReply } from '@model-gateway/provider-kit';

/** AWS's names of refusals in our words (docs/wire/bedrock.md#errors). */
const NAMES: Readonly<Record<string, ErrorCode>> = {
  ThrottlingException: 'upstream_rate_limited',
  TooManyRequestsException: 'upstream_rate_limited',
  ServiceQuotaExceededException: 'upstream_rate_limited',
  ModelNotReadyException: 'upstream_unavailable',
  ModelErrorException: 'upstream_unavailable',
  ModelStreamErrorException: 'upstream_unavailable',
  ServiceUnavailableException: 'upstream_unavailable',
  InternalServerException: 'upstream_unavailable',
  ModelTimeoutException: 'upstream_timeout',
  AccessDeniedException: 'upstream_rejected_key',
  UnrecognizedClientException: 'upstream_rejected_key',
  InvalidSignatureException: 'upstream_rejected_key',
  IncompleteSignatureException: 'upstream_rejected_key',
  MissingAuthenticationTokenException: 'upstream_rejected_key',
  ExpiredTokenException: 'upstream_rejected_key',
  OptInRequired: 'upstream_rejected_key',
  ResourceNotFoundException: 'upstream_rejected_model',
  ValidationException: 'invalid_request',
};

/** Where the name does not say what happened, the sentence does. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /input is too long|too many (?:input )?tokens|prompt is too long|maximum context length|exceed.{0,40}context/i,
    'context_length_exceeded',
  ],
  // Who cannot count is not asked again for it: the gateway estimates.
  [/support counting tokens/i, 'upstream_unavailable'],
  [/blocked by (?:our )?content filter|content filter(?:ing)? policy/i, 'content_refused'],
  [
    /model identifier is invalid|on-demand throughput isn.t supported|access to the model with the specified model id|could not resolve the foundation model|end of its life/i,
    'upstream_rejected_model',
  ],
];

/** The refusal in a reply, or in the `error` event that an exception of a stream became. Pure. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  if (isJsonObject(reply.json) && reply.json['type'] === 'error') return readDialectFault(reply);
  if (reply.status < 400 || !isJsonObject(reply.json)) return undefined;
  const name = nameOf(reply.headers, reply.json);
  const message =
    textAt(reply.json, 'message') ?? textAt(reply.json, 'Message') ?? 'the vendor refused without saying why';
  const code = codeOf(name, message, reply.status);
  const retryAfterSeconds = retryAfterOf(reply.headers);
  const passing = code === 'upstream_rate_limited' || code === 'upstream_unavailable';
  return {
    code,
    message,
    ...(name !== '' && { vendorCode: name }),
    ...(passing && retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** `ValidationException:http://…` in the header, or `__type` in the body. */
function nameOf(headers: Readonly<Record<string, string>>, json: JsonObject): string {
  const said = headers['x-amzn-errortype'] ?? textAt(json, '__type') ?? '';
  return said.split(':')[0]?.split('#').at(-1) ?? '';
}

function codeOf(name: string, message: string, status: number): ErrorCode {
  const said = SENTENCES.find(([pattern]) => pattern.test(message))?.[1];
  const known = NAMES[name];
  if (said !== undefined && (known === undefined || known === 'invalid_request' || known === 'upstream_rejected_key'))
    return said;
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return 'upstream_rejected_key';
  if (status === 404) return 'upstream_rejected_model';
  if (status === 408 || status === 504) return 'upstream_timeout';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 500 || status === 424 ? 'upstream_unavailable' : 'invalid_request';
}

/** The words of the Messages wire for an exception that ends a stream. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  serviceUnavailableException: 'overloaded_error',
  validationException: 'invalid_request_error',
  modelTimeoutException: 'timeout_error',
};

/** An exception of a stream as the `error` event of the Messages wire. */
export function errorEvent(name: string, payload: JsonObject): JsonObject {
  const message = textAt(payload, 'message') ?? 'the vendor broke off its answer';
  return { type: 'error', error: { type: ERROR_TYPES[name] ?? 'api_error', message } };
}
