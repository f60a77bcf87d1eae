import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import type { OpenAiError } from '../openai/errors.ts';

const WORDS: StatusWords<readonly [code: string, type: string, message: string]> = {
  400: ['InvalidParameter', 'BadRequest', 'One or more parameters specified in the request are not valid.'],
  401: ['AuthenticationError', 'Unauthorized', 'The API key in the request is missing or invalid.'],
  403: ['AccessDenied', 'Forbidden', 'The request lacks the necessary permissions.'],
  404: ['ResourceNotFound', 'NotFound', 'The specified resource is not found.'],
  413: ['RequestEntityTooLarge', 'BadRequest', 'The request body is larger than 64 MB.'],
  429: ['ModelAccountRpmRateLimitExceeded', 'TooManyRequests', 'The requests per minute limit has been exceeded.'],
  500: ['InternalServiceError', 'InternalServerError', 'The service encountered an unexpected internal error.'],
};

/** Ark's error body: https://www.volcengine.com/docs/82379/1299023 */
export function refuseAsArk(status: number, hints: RefusalHints = {}): Refusal {
  const [code, type, message] = wordsOf(WORDS, status);
  return arkRefusal(status, { code, type, message: hints.message ?? message, param: '' });
}

export function arkRefusal(
  status: number,
  error: { readonly code: string; readonly message: string; readonly param: string; readonly type: string },
): Refusal {
  return new Refusal(status, { error: { ...error, message: `${error.message} Request id: 021795225600000twin` } });
}

export function complainAsArk({ kind, path, want }: Problem): Refusal {
  const param = bracketed(path);
  const code = kind === 'missing' ? 'MissingParameter' : 'InvalidParameter';
  const message =
    kind === 'missing'
      ? `The request failed because it is missing \`${param}\` parameter.`
      : `The parameter \`${param}\` specified in the request is not valid: expected ${want}.`;
  return arkRefusal(400, { code, message, param, type: 'BadRequest' });
}

export function badArkRequest(code: string, message: string, param = ''): Refusal {
  return arkRefusal(400, { code, message, param, type: 'BadRequest' });
}

export function refuseUnknownArkModel(model: string): void {
  if (!/^(no-such|unknown|missing)-/.test(model)) return;
  const message = `The model or endpoint ${model} does not exist or you do not have access to it.`;
  throw arkRefusal(404, { code: 'InvalidEndpointOrModel.NotFound', message, param: '', type: 'NotFound' });
}

/** Ark's words for what is wrong with a chat request. */
export function chatErrorOfArk(status: number, { message, param, code }: OpenAiError): unknown {
  const [, type] = wordsOf(WORDS, status);
  if (status === 404) return { error: { code: 'InvalidEndpointOrModel.NotFound', message, param: '', type } };
  if (status >= 500)
    return { error: { code: 'InternalServiceError', message, param: '', type: 'InternalServerError' } };
  const word = code === 'missing_required_parameter' ? 'MissingParameter' : 'InvalidParameter';
  return { error: { code: word, message, param: param ?? '', type } };
}
