import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

/** Cohere's sentences by status; its errors are `{message}` alone. */
const WORDS: StatusWords<string> = {
  400: 'invalid request',
  401: 'invalid api token',
  404: 'not found',
  422: 'unprocessable entity',
  429: 'You have exceeded your rate limit. Please try again later.',
  498: 'The request was blocked by our content filters.',
  500: 'internal server error, this has been reported to our developers',
  503: 'service unavailable',
};

export function refuseAsCohere(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { message: hints.message ?? wordsOf(WORDS, status) });
}

export function complainAsCohere({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  const message =
    kind === 'unknown'
      ? `unknown field: parameter '${at}' is not a valid field`
      : `invalid request: ${at} must be ${want}`;
  return refuseAsCohere(400, { message });
}

/** A model that there is not: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (!/^(?:no-such|unknown|missing)-/.test(model)) return;
  const message = `model '${model}' not found, make sure the correct model ID was used and that you have access to the model.`;
  throw refuseAsCohere(404, { message });
}
