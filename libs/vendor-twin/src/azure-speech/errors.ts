import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [code: string, message: string]> = {
  400: ['InvalidArgument', 'The request is invalid.'],
  401: [
    '401',
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
  ],
  404: ['NotFound', 'The requested resource was not found.'],
  429: ['429', 'Requests have exceeded the call rate limit of your current pricing tier.'],
  500: ['InternalServerError', 'An internal error occurred.'],
};
/** The entrance refuses in a form of its own. */
const OF_ENTRANCE = new Set([401, 403, 429]);

/** `{code, message}` of the service, `{error: {code, message}}` of the entrance before it. */
export function refuseAsAzureSpeech(status: number, { message }: RefusalHints = {}): Refusal {
  const [code, usual] = wordsOf(WORDS, status);
  const error = { code, message: message ?? usual };
  return new Refusal(status, OF_ENTRANCE.has(status) ? { error } : error);
}

/** What is wrong with a request for transcripts: the reason is inside. */
export function refuseRequest(code: string, message: string): Refusal {
  return new Refusal(400, {
    code: 'InvalidRequest',
    message: 'The request is invalid.',
    innerError: { code, message },
  });
}

/** Speech says nothing but a status, and a line for a text that is no SSML. */
export function refuseSpeech(status: number, line = ''): Refusal {
  return new Refusal(status, line, { 'content-type': 'text/plain' });
}
