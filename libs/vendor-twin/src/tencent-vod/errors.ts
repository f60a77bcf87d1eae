import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['InvalidParameterValue', 'The parameter value is incorrect.'],
  401: [
    'AuthFailure.SignatureFailure',
    'The provided credentials could not be validated. Please check your signature is correct.',
  ],
  403: ['UnauthorizedOperation', 'You are not authorized to perform this operation.'],
  404: ['ResourceNotFound', 'The resource does not exist.'],
  429: ['RequestLimitExceeded', 'The request rate limit has been exceeded.'],
  500: ['InternalError', 'An internal error has occurred. Retry your request.'],
};

/** Every refusal is an HTTP 200 with `Response.Error`. */
export function refuseAsTencent(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return tencentRefusal(code, hints.message ?? message);
}

export function tencentRefusal(Code: string, Message: string): Refusal {
  return new Refusal(200, {
    Response: { Error: { Code, Message }, RequestId: '00000000-0000-4000-8000-00000000twin' },
  });
}

export function complainAsTencent({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  switch (kind) {
    case 'missing':
      return tencentRefusal('MissingParameter', `The request is missing a required parameter \`${at}\`.`);
    case 'unknown':
      return tencentRefusal('UnknownParameter', `The parameter \`${at}\` is not recognized.`);
    case 'type':
      return tencentRefusal('InvalidParameter', `The type of \`${at}\` is not valid: expected ${want}.`);
    case 'value':
      return tencentRefusal('InvalidParameterValue', `The value of \`${at}\` is not valid: expected ${want}.`);
  }
}
