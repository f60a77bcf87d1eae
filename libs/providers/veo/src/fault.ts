/** Refusals of Google (docs/wire/veo.md#errors-of-google) and of kie.ai (docs/wire/veo.md#through-kieai: a business `code`, on HTTP 200 too). */
import { isJsonObject, type Json } from '@model-gateway/contracts';
import {
  listAt,
  numberAt,
  retryAfterOf,
  textAt,
  valueAt,
  type Fault,
  type UpstreamReply,
} from '@model-gateway/provider-kit';

type Code = Fault['code'];

/** The refusal in a reply; an operation that ended in an error is an answer. */
export function readFault(reply: UpstreamReply): Fault | undefined {
  // Google's streaming endpoints wrap errors into a list.
  const json = Array.isArray(reply.json) ? reply.json[0] : reply.json;
  if (reply.status >= 400 && isJsonObject(valueAt(json, 'error'))) return googleFault(reply, json);
  const code = numberAt(json, 'code');
  if (code !== undefined && code !== 200 && valueAt(json, 'msg') !== undefined) return kieFault(reply, code, json);
  return undefined;
}

// ---- Google --------------------------------------------------------------------------------------------------------

const BY_STATUS: Readonly<Record<string, Code>> = {
  INVALID_ARGUMENT: 'invalid_request',
  OUT_OF_RANGE: 'invalid_request',
  // Region or billing of the account.
  FAILED_PRECONDITION: 'upstream_rejected_key',
  UNAUTHENTICATED: 'upstream_rejected_key',
  PERMISSION_DENIED: 'upstream_rejected_key',
  NOT_FOUND: 'task_not_exist',
  RESOURCE_EXHAUSTED: 'upstream_rate_limited',
  INTERNAL: 'upstream_unavailable',
  UNAVAILABLE: 'upstream_unavailable',
  DEADLINE_EXCEEDED: 'upstream_timeout',
};
/** gRPC numbers, as a finished operation's error has them. */
const BY_NUMBER: Readonly<Record<number, Code>> = {
  3: 'invalid_request',
  4: 'upstream_timeout',
  8: 'upstream_rate_limited',
};
const REFUSES_CONTENT = /responsible ai|usage guidelines|safety|sensitive|polic(?:y|ies)|blocked|prohibited/i;

function googleFault(reply: UpstreamReply, json: Json | undefined): Fault {
  const status = textAt(json, 'error', 'status');
  const message = withoutProject(textAt(json, 'error', 'message') ?? `the vendor answered ${reply.status}`);
  const code = googleCode(status, reply.status, message, json);
  const details = listAt(json, 'error', 'details');
  const param = details
    .map((detail) => textAt(detail, 'fieldViolations', 0, 'field'))
    .find((field) => field !== undefined);
  const retryAfterSeconds = retryAfterOf(reply.headers) ?? retryDelay(details);
  return {
    code,
    message,
    taken: reply.status < 500 ? 'no' : 'unknown',
    ...(status !== undefined && { vendorCode: status }),
    ...(param !== undefined && code === 'invalid_request' && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function googleCode(status: string | undefined, http: number, message: string, json: Json | undefined): Code {
  const badKey = listAt(json, 'error', 'details').some((detail) => textAt(detail, 'reason') === 'API_KEY_INVALID');
  if (badKey || http === 401 || http === 403) return 'upstream_rejected_key';
  const code = BY_STATUS[status ?? ''];
  if (code === 'invalid_request' && REFUSES_CONTENT.test(message)) return 'content_refused';
  if (code !== undefined) return code;
  if (http === 404) return 'task_not_exist';
  if (http === 429) return 'upstream_rate_limited';
  return http >= 500 ? 'upstream_unavailable' : 'invalid_request';
}

/** `RetryInfo.retryDelay`, such as `30s`. */
function retryDelay(details: readonly Json[]): number | undefined {
  for (const detail of details) {
    const match = /^(\d+(?:\.\d+)?)s$/.exec(textAt(detail, 'retryDelay') ?? '');
    if (match !== null) return Number(match[1]);
  }
  return undefined;
}

/** Google's sentences name the operator's project by its id or number, which is nobody's business. */
export function withoutProject(text: string): string {
  return text
    .replace(/\bprojects\/[^/\s'"\\]+/g, 'projects/-')
    .replace(/\bproject(=|[ :]+(?:number |id )?)(?:["'][^"']*["']|\d{4,}|[a-z][a-z0-9]*-[a-z0-9-]+)/g, 'project$1-');
}

/** The error of an operation that is done. */
export function operationFault(error: Json): Fault {
  const number = numberAt(error, 'code');
  const message = textAt(error, 'message') ?? 'the vendor gave no reason';
  const code = REFUSES_CONTENT.test(message) ? 'content_refused' : (BY_NUMBER[number ?? 0] ?? 'upstream_unavailable');
  return { code, message, ...(number !== undefined && { vendorCode: String(number) }) };
}

// ---- kie.ai --------------------------------------------------------------------------------------------------------

const BY_KIE: Readonly<Record<number, Code>> = {
  401: 'upstream_rejected_key',
  402: 'upstream_rejected_key',
  403: 'upstream_rejected_key',
  404: 'task_not_exist',
  422: 'invalid_request',
  429: 'upstream_rate_limited',
  // An image that could not be fetched.
  451: 'invalid_request',
  455: 'upstream_unavailable',
  500: 'upstream_unavailable',
  501: 'upstream_unavailable',
  505: 'upstream_unavailable',
};
/** These leave it open whether a job was made. */
const MAY_HAVE_BEGUN = new Set([500, 501]);

function kieFault(reply: UpstreamReply, number: number, json: Json | undefined): Fault {
  const message = textAt(json, 'msg') ?? `the vendor answered ${number}`;
  const retryAfterSeconds = retryAfterOf(reply.headers);
  return {
    code: kieCode(number, message),
    message,
    vendorCode: String(number),
    taken: MAY_HAVE_BEGUN.has(number) || (reply.status >= 500 && number !== 455 && number !== 505) ? 'unknown' : 'no',
    ...(number === 451 && { param: 'imageUrls' }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Numbers that stand for a refused prompt as well as for other trouble: only the sentence tells. */
const AMBIGUOUS = new Set([400, 422, 500, 501]);

/** What a business code of kie.ai's means. A 400 is a refused prompt or an image that cannot be had. */
export function kieCode(number: number, message: string): Code {
  if (AMBIGUOUS.has(number) && REFUSES_CONTENT.test(message)) return 'content_refused';
  if (number === 400) return /image|fetch|url/i.test(message) ? 'invalid_request' : 'content_refused';
  return BY_KIE[number] ?? (number >= 500 ? 'upstream_unavailable' : 'invalid_request');
}
