import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import type { Exchange } from '../core/exchange.ts';

/** OpenAI's error body: https://platform.openai.com/docs/guides/error-codes */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

interface Word {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

const WORDS: StatusWords<Word> = {
  400: { type: 'invalid_request_error', code: null, message: 'We could not process this request.' },
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory', message: 'Not available here.' },
  404: { type: 'invalid_request_error', code: 'not_found', message: 'Invalid URL.' },
  413: { type: 'invalid_request_error', code: null, message: 'The request is too large.' },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached. Please try again later.' },
  500: {
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request.',
  },
  503: { type: 'service_unavailable_error', code: 'server_is_overloaded', message: 'The server is overloaded.' },
};
export function openAiError(status: number, hints: RefusalHints = {}): OpenAiError {
  const word = wordsOf(WORDS, status);
  return { message: hints.message ?? word.message, type: word.type, param: null, code: word.code };
}

export function refuseAsOpenAi(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: openAiError(status, hints) });
}

export function badRequest(message: string, param: string | null, code: string | null = null): Refusal {
  return new Refusal(400, { error: { message, type: 'invalid_request_error', param, code } });
}

export function complainAsOpenAi({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  switch (kind) {
    case 'missing':
      return badRequest(`Missing required parameter: '${at}'.`, at, 'missing_required_parameter');
    case 'type':
      return badRequest(`Invalid type for '${at}': expected ${want}.`, at, 'invalid_type');
    case 'value':
      return badRequest(`Invalid value for '${at}': expected ${want}.`, at, 'invalid_value');
    case 'unknown':
      return badRequest(`Unknown parameter: '${at}'.`, at, 'unknown_parameter');
  }
}

/** A model that the account does not have: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (!/^(no-such|unknown|missing)-/.test(model)) return;
  throw new Refusal(404, {
    error: {
      message: `The model '${model}' does not exist or you do not have access to it.`,
      type: 'invalid_request_error',
      param: null,
      code: 'model_not_found',
    },
  });
}

/** What OpenAI puts on every answer: a request id, and how much of the rate limit is left. */
export function standardHeaders(exchange: Exchange): Record<string, string> {
  return {
    'x-request-id': exchange.stage.newId('req_'),
    'openai-processing-ms': '3',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-reset-requests': '6ms',
    'x-ratelimit-limit-tokens': '2000000',
    'x-ratelimit-remaining-tokens': '1999000',
    'x-ratelimit-reset-tokens': '1ms',
  };
}

const IMAGE_DATA = /^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** An image is an http(s) link or base64 of a type the vendor reads. */
export function requireImageUrl(url: string, param: string): void {
  if (/^https?:\/\/.+/.test(url)) return;
  // Long pictures are not walked through character by character: the head says enough.
  if (IMAGE_DATA.test(url.length > 4096 ? url.slice(0, url.indexOf(',') + 1 + 1024) : url)) return;
  const message = url.startsWith('data:')
    ? `Invalid image data in '${param}': expected base64 of a PNG, JPEG, GIF or WebP image.`
    : `Invalid value for '${param}': expected a URL or a data URL with base64 data.`;
  throw badRequest(message, param, url.startsWith('data:') ? 'invalid_base64' : 'invalid_image_url');
}
