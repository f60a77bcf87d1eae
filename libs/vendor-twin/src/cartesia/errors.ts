import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

interface Words {
  readonly error_code: string | null;
  readonly title: string;
  readonly message: string;
}

const WORDS: StatusWords<Words> = {
  400: { error_code: null, title: 'Invalid request', message: 'The request is invalid.' },
  401: { error_code: null, title: 'Unauthorized', message: 'The API key is invalid.' },
  402: { error_code: 'quota_exceeded', title: 'Quota exceeded', message: 'You have no credits left.' },
  404: { error_code: null, title: 'Not found', message: 'The resource was not found.' },
  429: {
    error_code: 'concurrency_limited',
    title: 'Too many concurrent requests',
    message: 'You have exceeded the concurrency limit of your plan.',
  },
  500: { error_code: null, title: 'Internal server error', message: 'Something went wrong.' },
};

/** `{error_code, title, message, request_id}`. */
export function refuse(status: number, words: Words): Refusal {
  return new Refusal(status, { ...words, request_id: '00000000-0000-4000-8000-000000000000' });
}

export function refuseAsCartesia(status: number, { message }: RefusalHints = {}): Refusal {
  const words = wordsOf(WORDS, status);
  return refuse(status, { ...words, message: message ?? words.message });
}

export function complainAsCartesia({ path, want }: Problem): Refusal {
  return refuseAsCartesia(400, { message: `${bracketed(path)} must be ${want}` });
}

/** A model that there is not: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (!/^(?:no-such|unknown|missing)-/.test(model)) return;
  const message = `The model ${model} does not exist.`;
  throw refuse(404, { error_code: 'model_not_found', title: 'Model not found', message });
}
