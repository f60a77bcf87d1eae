import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';

/** What MiniMax says instead of an HTTP status: every reply is a 200 (https://platform.minimax.io/docs/api-reference/errorcode). */
const WORDS: StatusWords<readonly [code: number, message: string]> = {
  400: [2013, 'invalid params'],
  401: [1004, 'login fail: Please carry the API secret key in the Authorization field of the request header'],
  402: [1008, 'insufficient balance'],
  403: [2061, 'your current token plan does not support this model'],
  404: [2013, 'invalid params, no such resource'],
  429: [1002, 'rate limit exceeded'],
  500: [1000, 'unknown error'],
  503: [1013, 'internal service error'],
  504: [1001, 'request timed out'],
};

export function refuseAsMiniMax(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return miniMaxRefusal(code, hints.message ?? message);
}

export function miniMaxRefusal(code: number, message: string): Refusal {
  return new Refusal(200, { base_resp: { status_code: code, status_msg: message } }, { 'trace-id': 'twin-trace' });
}

export function complainAsMiniMax({ path, want }: Problem): Refusal {
  return miniMaxRefusal(2013, `invalid params, ${bracketed(path)}: expected ${want}`);
}

export const OK = { status_code: 0, status_msg: 'success' };
