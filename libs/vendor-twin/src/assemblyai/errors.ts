import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<string> = {
  400: 'Invalid endpoint schema, please refer to documentation for examples.',
  401: 'Authentication error, API token missing/invalid',
  404: 'Not found',
  429: 'Too Many Requests',
  500: 'Server error, developers have been alerted',
};

/** `{error}`, a sentence. */
export function refuseAsAssemblyAi(status: number, { message }: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: message ?? wordsOf(WORDS, status) });
}

export function complainAsAssemblyAi({ kind, path, want }: Problem): Refusal {
  const message =
    kind === 'unknown'
      ? `Invalid endpoint schema, please refer to documentation for examples. Unknown field: ${bracketed(path)}`
      : `${bracketed(path)} must be ${want}`;
  return refuseAsAssemblyAi(400, { message });
}
