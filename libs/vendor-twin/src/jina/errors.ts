import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

/** Sentences by status; errors are `{detail}`, as of the servers that it is built with. */
const WORDS: StatusWords<string> = {
  400: 'Bad request',
  401: 'Invalid API key',
  402: 'Insufficient account balance',
  404: 'Not Found',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export function refuseAsJina(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { detail: hints.message ?? wordsOf(WORDS, status) });
}

export function complainAsJina({ kind, path, want }: Problem): Refusal {
  return new Refusal(422, { detail: [{ type: kind, loc: ['body', ...path], msg: `${dotted(path)}: ${want}` }] });
}

/** A model that there is not: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (/^(?:no-such|unknown|missing)-/.test(model)) throw refuseAsJina(400, { message: `Model '${model}' not found` });
}
