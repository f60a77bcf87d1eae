import { bracketed, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type StatusWords, type RefusalHints } from '../core/refusal.ts';
import { openAiError } from '../openai/errors.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['InvalidParameter', 'Required parameter(s) missing or invalid, please check the request parameters.'],
  401: ['InvalidApiKey', 'Invalid API-key provided.'],
  403: ['AccessDenied', 'Access denied.'],
  404: ['ModelNotFound', 'The model can not be found.'],
  429: ['Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'],
  500: ['InternalError', 'An internal error has occured, please try again later.'],
  503: ['ModelServingError', 'Too many requests. Your requests are being throttled due to system capacity limits.'],
  504: ['RequestTimeOut', 'Request timed out, please try again later.'],
};

/** DashScope's error body: https://help.aliyun.com/zh/model-studio/error-code */
export function refuseAsDashScope(status: number, hints: RefusalHints = {}): Refusal {
  const [code, message] = wordsOf(WORDS, status);
  return dashScopeRefusal(status, code, hints.message ?? message);
}

export function dashScopeRefusal(status: number, code: string, message: string): Refusal {
  return new Refusal(status, { code, message, request_id: 'twin-request' });
}

/** The compatible mode speaks OpenAI's shape, and adds its request id. */
export function refuseAsCompatible(status: number, hints: RefusalHints = {}): Refusal {
  return new Refusal(status, { error: openAiError(status, hints), request_id: 'twin-request' });
}

export function complainAsDashScope({ path, want }: Problem): Refusal {
  return dashScopeRefusal(400, 'InvalidParameter', `The parameter ${bracketed(path)} is invalid: expected ${want}.`);
}

export function refuseUnknownDashScopeModel(model: string): void {
  if (!/^(no-such|unknown|missing)-/.test(model)) return;
  throw dashScopeRefusal(404, 'ModelNotFound', `The model ${model} can not be found.`);
}
