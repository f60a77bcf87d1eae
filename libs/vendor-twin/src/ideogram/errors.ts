import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<string> = {
  400: 'Invalid input provided.',
  401: 'Not authorized to generate an image.',
  402: 'Insufficient credits.',
  403: 'Forbidden.',
  404: 'Not found.',
  422: 'Prompt or provided image failed the safety checks.',
  429: 'Too many requests.',
  500: 'Internal server error.',
  503: 'Service unavailable.',
};

export function refuseAsIdeogram(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: hints.message ?? wordsOf(WORDS, status) });
}

export function complainAsIdeogram({ kind, path, want }: Problem): Refusal {
  const at = dotted(path);
  return refuseAsIdeogram(400, {
    message: kind === 'unknown' ? `Unknown field: ${at}` : `Invalid value for ${at}: expected ${want}`,
  });
}
