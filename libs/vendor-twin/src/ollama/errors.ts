import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

/** Ollama's sentences by status; its errors are `{error}` alone. */
const WORDS: StatusWords<string> = {
  400: 'invalid request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  429: 'too many requests',
  500: 'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error',
  503: 'server busy, please try again. maximum pending requests exceeded',
};

export function refuseAsOllama(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: hints.message ?? wordsOf(WORDS, status) });
}

/** Go's own words: a list of an item’s place has no numbers in them. */
export function complainAsOllama({ kind, path, want }: Problem): Refusal {
  const at = dotted(path.filter((step) => typeof step === 'string'));
  if (kind === 'missing' && at === 'model') return refuseAsOllama(400, { message: 'model is required' });
  return refuseAsOllama(400, {
    message: `json: cannot unmarshal into Go struct field ChatRequest.${at}: want ${want}`,
  });
}
