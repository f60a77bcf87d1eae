/** Every error in every dialect: what a body says never contradicts the status it is sent with. */
import { describe, expect, it } from 'vitest';
import { ERRORS, GatewayError, type ErrorCode, type JsonObject } from '@model-gateway/contracts';
import { dialects } from './dialects.ts';
import { codesCalled, wordIn } from './shared/error-words.ts';

/** Which statuses each vendor sends its word with (docs/wire/chat-errors.md); any other pair misleads its SDK. */
const ANTHROPIC: Readonly<Record<string, readonly number[]>> = {
  // Their SDKs make the class by the status; for the rest of the 4xx there is no word of its own.
  invalid_request_error: [400, 405, 415],
  authentication_error: [401],
  billing_error: [402],
  permission_error: [403],
  not_found_error: [404],
  conflict_error: [409],
  request_too_large: [413],
  rate_limit_error: [429],
  api_error: [500, 501, 503],
  timeout_error: [504],
  overloaded_error: [503, 529],
};
const GOOGLE: Readonly<Record<string, readonly number[]>> = {
  INVALID_ARGUMENT: [400, 405, 413, 415],
  UNAUTHENTICATED: [401],
  PERMISSION_DENIED: [403],
  NOT_FOUND: [404],
  ABORTED: [409],
  RESOURCE_EXHAUSTED: [429],
  INTERNAL: [500],
  UNIMPLEMENTED: [501],
  UNAVAILABLE: [503],
  DEADLINE_EXCEEDED: [504],
};
const OPENAI_TYPES: Readonly<Record<string, (status: number) => boolean>> = {
  invalid_request_error: (status) => status >= 400 && status < 500 && status !== 429,
  rate_limit_error: (status) => status === 429,
  insufficient_quota: (status) => status === 429,
  server_error: (status) => status >= 500,
};

const codes = Object.keys(ERRORS) as ErrorCode[];
const cases = codes.flatMap((code) => [false, true].map((openAiGroup) => ({ code, openAiGroup })));
const inner = (body: JsonObject): JsonObject => body['error'] as JsonObject;

describe.each(cases)('$code (429 and 500 in place of 403 and 503: $openAiGroup)', ({ code, openAiGroup }) => {
  const error = new GatewayError(code, 'why');
  const status = error.status(openAiGroup);

  it.each(['openai-chat', 'openai-responses'] as const)('%s', (name) => {
    const { type, code: word } = inner(dialects[name].encodeError(error, 'req_1', status));
    expect({ type, fits: OPENAI_TYPES[String(type)]?.(status) }).toEqual({ type, fits: true });
    if (status === 429) expect(['rate_limit_exceeded', 'insufficient_quota']).toContain(word);
    else expect(word).not.toBe('rate_limit_exceeded');
  });

  it('anthropic-messages', () => {
    const { type } = inner(dialects['anthropic-messages'].encodeError(error, 'req_1', error.status()));
    expect(ANTHROPIC[String(type)]).toContain(error.status());
  });

  it('gemini-generate', () => {
    const body = inner(dialects['gemini-generate'].encodeError(error, 'req_1', error.status()));
    expect(body['code']).toBe(error.status());
    expect(GOOGLE[String(body['status'])]).toContain(error.status());
  });
});

it.each(['insufficient_quota', 'model_not_found'] as const)('%s can still be told from its neighbours', (code) => {
  const error = new GatewayError(code, 'why');
  expect(inner(dialects['anthropic-messages'].encodeError(error, 'req_1', error.status()))['details']).toEqual({
    error_code: code,
  });
  const { details } = inner(dialects['gemini-generate'].encodeError(error, 'req_1', error.status()));
  expect(details).toContainEqual(expect.objectContaining({ reason: code.toUpperCase() }));
  expect(inner(dialects['openai-responses'].encodeError(error, 'req_1', error.status()))['code']).toBe(code);
});

describe('inside a stream, where no status is told, the word says what happened', () => {
  it.each([
    {
      code: 'upstream_rate_limited',
      anthropic: 'rate_limit_error',
      google: { code: 429, status: 'RESOURCE_EXHAUSTED' },
    },
    { code: 'upstream_timeout', anthropic: 'timeout_error', google: { code: 504, status: 'DEADLINE_EXCEEDED' } },
    { code: 'upstream_unavailable', anthropic: 'overloaded_error', google: { code: 503, status: 'UNAVAILABLE' } },
  ] as const)('$code', ({ code, anthropic, google }) => {
    const error = new GatewayError(code, 'why');
    const dataOf = (name: keyof typeof dialects): JsonObject =>
      JSON.parse(/^data: (.*)$/m.exec(dialects[name].errorEvent(error, 'req_1'))?.[1] ?? '') as JsonObject;
    expect(inner(dataOf('anthropic-messages'))['type']).toBe(anthropic);
    expect(inner(dataOf('gemini-generate'))).toMatchObject(google);
    // Flat as it is documented, and as the object that OpenAI sends and that the AI SDK 5 looks for.
    const said = { message: 'why', code: expect.any(String) as string, param: null };
    expect(dataOf('openai-responses')).toMatchObject({
      ...said,
      error: { type: expect.any(String) as string, ...said },
    });
  });
});

describe.each(Object.values(dialects))('$name: how long a vendor asks to wait', ({ decodeError }) => {
  const body = { error: { type: 'rate_limit_error', code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' } };
  const date = 'Sat, 21 Nov 2026 09:00:00 GMT';
  it.each<{ readonly told: Record<string, string>; readonly seconds: number | undefined }>([
    { told: {}, seconds: undefined },
    { told: { 'retry-after': '7' }, seconds: 7 },
    { told: { 'retry-after': '300' }, seconds: 300 },
    { told: { 'retry-after': '301' }, seconds: 300 },
    { told: { 'retry-after': '1e300' }, seconds: 300 },
    { told: { 'retry-after': 'Infinity' }, seconds: 300 },
    { told: { 'retry-after': '-1' }, seconds: undefined },
    { told: { 'retry-after': 'Sat, 21 Nov 2099 09:00:00 GMT', date }, seconds: 300 },
    { told: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '9000d' }, seconds: 300 },
  ])('$told: $seconds', ({ told, seconds }) => {
    expect(decodeError(429, told, body).details.retryAfterSeconds).toBe(seconds);
  });

  it('in the body of an error', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '99999999s' }];
    const { retryAfterSeconds = 0 } = decodeError(429, {}, { error: { ...body.error, details } }).details;
    expect(retryAfterSeconds).toBeLessThanOrEqual(300);
  });
});

/** Words that OpenAI itself has: its SDK's users look for them. Everything else is our own word. */
const OF_OPENAI: Readonly<Partial<Record<ErrorCode, string>>> = {
  content_refused: 'content_filter',
  unauthenticated: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
};

describe.each(cases)('one vocabulary: $code ($openAiGroup)', ({ code, openAiGroup }) => {
  const error = new GatewayError(code, 'why');
  const status = error.status(openAiGroup);

  it('in OpenAI’s form it is our word, unless OpenAI has one', () => {
    const isLimit = code === 'upstream_rate_limited' && status === 429;
    const { code: word } = inner(dialects['openai-chat'].encodeError(error, 'req_1', status));
    const right = code === 'invalid_request' ? null : (OF_OPENAI[code] ?? (isLimit ? 'rate_limit_exceeded' : code));
    expect(word).toBe(right);
  });

  it.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate', 'openai-completions'] as const)(
    'what %s shows is what the log says was shown, and finds it',
    (name) => {
      const body = inner(dialects[name].encodeError(error, 'req_1', status));
      const shown = name === 'anthropic-messages' ? body['type'] : name === 'gemini-generate' ? body['status'] : (body['code'] ?? body['type']); // prettier-ignore
      expect(wordIn(name, code, status)).toBe(shown);
      expect(codesCalled(String(shown))).toContain(code);
      expect(codesCalled(code)).toContain(code);
    },
  );
});

it('a word of no form finds nothing', () => {
  expect(codesCalled('needle')).toEqual([]);
  expect(codesCalled('constructor')).toEqual([]);
});
