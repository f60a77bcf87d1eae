import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import type { Problem } from '../core/reader.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['Bad Request', 'Bad Request: failed to process the request.'],
  401: ['INVALID_AUTH', 'Invalid credentials.'],
  402: ['ASR_PAYMENT_REQUIRED', 'Project does not have enough credits for an ASR request.'],
  403: ['INSUFFICIENT_PERMISSIONS', 'User does not have sufficient permissions.'],
  413: ['PAYLOAD_TOO_LARGE', 'The payload is too large.'],
  429: ['TOO_MANY_REQUESTS', 'Too many requests. Please try again later.'],
  500: ['INTERNAL_SERVER_ERROR', 'Internal server error.'],
  503: ['SERVICE_UNAVAILABLE', 'Service unavailable.'],
};

/** `{err_code, err_msg, request_id}`. */
export function refuseAsDeepgram(status: number, { message }: RefusalHints = {}): Refusal {
  const [err_code, err_msg] = wordsOf(WORDS, status);
  return new Refusal(status, { err_code, err_msg: message ?? err_msg, request_id: 'twin' });
}

export function complainAsDeepgram({ path, want }: Problem): Refusal {
  return refuseAsDeepgram(400, { message: `Bad Request: '${path.join('.')}' must be ${want}.` });
}

/** Queries are read strictly. */
export function checkQuery(query: URLSearchParams, known: ReadonlySet<string>): void {
  for (const name of query.keys()) {
    if (!known.has(name)) throw refuseAsDeepgram(400, { message: `Bad Request: unknown query parameter '${name}'.` });
  }
}

export function flagIn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? 'false';
  if (value !== 'true' && value !== 'false')
    throw refuseAsDeepgram(400, { message: `Bad Request: '${name}' must be true or false.` });
  return value === 'true';
}
