import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [name: string, error: string]> = {
  400: ['bad_request', 'the request is not valid'],
  401: ['unauthorized', 'missing or invalid authorization header'],
  402: ['payment_required', 'You lack sufficient credits to make this request.'],
  403: [
    'content_moderation',
    'Your request was flagged by our content moderation system, as a result your request was denied and you were not charged.',
  ],
  404: ['not_found', 'the requested resource was not found'],
  413: ['payload_too_large', 'the request must be smaller than 10 MiB'],
  422: ['invalid_language', 'English is the only supported language for this service.'],
  429: ['rate_limit_exceeded', 'you have exceeded the rate limit of 150 requests in 10 seconds'],
  500: ['internal_error', 'An unexpected server error has occurred, please try again later.'],
  503: ['service_unavailable', 'The service is temporarily unavailable.'],
};

export function refuseAsStability(status: number, hints: RefusalHints = {}): Refusal {
  const [name, error] = wordsOf(WORDS, status);
  return new Refusal(status, { id: '2a1b464eef5190c5', name, errors: [hints.message ?? error] });
}

export function complainAsStability({ kind, path, want }: Problem): Refusal {
  const at = dotted(path);
  const message = kind === 'unknown' ? `${at}: is not allowed` : `${at}: must be ${want}`;
  return refuseAsStability(400, { message });
}
