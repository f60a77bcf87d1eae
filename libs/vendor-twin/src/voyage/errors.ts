import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

/** Sentences by status; errors are `{detail}`. */
const WORDS: StatusWords<string> = {
  400: 'The request is invalid.',
  401: 'Provided API key is invalid.',
  403: 'You are not allowed to do this.',
  404: 'Not Found',
  429: 'You have exceeded the rate limit. Please try again later.',
  500: 'An error occurred on our side.',
  503: 'The service is overloaded. Please try again later.',
};

export function refuseAsVoyage(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { detail: hints.message ?? wordsOf(WORDS, status) });
}

export function complainAsVoyage({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  const message =
    kind === 'unknown' ? `Argument '${at}' is not supported by our API` : `Argument '${at}' must be ${want}`;
  return refuseAsVoyage(400, { message });
}

/** A model that there is not: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (!/^(?:no-such|unknown|missing)-/.test(model)) return;
  throw refuseAsVoyage(400, {
    message: `Model ${model} is not supported. Supported models are ['voyage-4-large', 'voyage-4'].`,
  });
}
