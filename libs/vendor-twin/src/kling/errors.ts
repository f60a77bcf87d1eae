import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [code: number, message: string]> = {
  400: [1201, 'Request parameters are invalid.'],
  401: [1002, 'Authorization signature is invalid.'],
  403: [1103, 'No access to this resource.'],
  404: [1203, 'The requested resource does not exist.'],
  429: [1302, 'Request too frequent.'],
  500: [5000, 'Server internal error.'],
  503: [5001, 'Server temporarily unavailable.'],
  504: [5002, 'Server internal timeout.'],
};

/** Kling's error body: https://app.klingai.com/global/dev/document-api */
export function refuseAsKling(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return klingRefusal(status, code, hints.message ?? message);
}

export function klingRefusal(status: number, code: number, message: string): Refusal {
  return new Refusal(status, { code, message, request_id: 'twin-request' });
}

export function complainAsKling({ path, want }: Problem): Refusal {
  return klingRefusal(400, 1201, `${bracketed(path)} is invalid: expected ${want}.`);
}
