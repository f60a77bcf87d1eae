import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';
import type { Problem } from '../core/reader.ts';

interface Words {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

const WORDS: StatusWords<Words> = {
  400: { type: 'validation_error', code: 'invalid_parameters', message: 'The request is invalid.' },
  401: { type: 'authentication_error', code: 'invalid_api_key', message: 'Invalid API key' },
  404: { type: 'not_found', code: 'not_found', message: 'The resource was not found.' },
  429: {
    type: 'rate_limit_error',
    code: 'too_many_concurrent_requests',
    message: 'Too many concurrent requests. Your current subscription is associated with a limit.',
  },
  500: { type: 'internal_error', code: 'internal_server_error', message: 'Something went wrong.' },
};

/** `{detail: {type, code, message, status, request_id, param}}`, where `status` is the older name of `code`. */
export function refuse(status: number, { type, code, message }: Words, param: string | null = null): Refusal {
  return new Refusal(status, { detail: { type, code, message, status: code, request_id: 'twin', param } });
}

export function refuseAsElevenLabs(status: number, { message }: RefusalHints = {}): Refusal {
  const words = wordsOf(WORDS, status);
  return refuse(status, { ...words, message: message ?? words.message });
}

/** Fields are checked before anything else, by a list of complaints. */
export function complainAsElevenLabs({ kind, path, want }: Problem): Refusal {
  const type = kind === 'missing' ? 'missing' : kind === 'unknown' ? 'extra_forbidden' : 'value_error';
  const msg = kind === 'missing' ? 'Field required' : `Input should be ${want}`;
  return new Refusal(422, { detail: [{ type, loc: ['body', ...path], msg, input: null }] });
}

/** A model that there is not: any name that says so of itself. */
export function refuseUnknownModel(model: string): void {
  if (!/^(?:no-such|unknown|missing)-/.test(model)) return;
  const message = `A model with model ID ${model} does not exist.`;
  throw refuse(400, { type: 'validation_error', code: 'model_not_found', message }, 'model_id');
}
