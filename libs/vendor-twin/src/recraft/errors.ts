import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['invalid_request_parameter', 'request is not valid'],
  401: ['unauthorized', 'invalid API token'],
  402: ['not_enough_credits', 'not enough credits'],
  404: ['not_found', 'not found'],
  429: ['rate_limit_exceeded', 'too many requests'],
  500: ['internal_error', 'internal server error'],
  503: ['service_unavailable', 'service unavailable'],
};

export function refuseAsRecraft(status: number, hints: RefusalHints & { readonly code?: string } = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return new Refusal(status, { code: hints.code ?? code, message: hints.message ?? message });
}

export function complainAsRecraft({ kind, path, want }: Problem): Refusal {
  const at = dotted(path);
  return refuseAsRecraft(400, {
    message: kind === 'unknown' ? `unknown parameter: ${at}` : `invalid value of ${at}: expected ${want}`,
  });
}
