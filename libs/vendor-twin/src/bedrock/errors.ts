import { dotted, type Problem } from '../core/reader.ts';
import { Refusal, wordsOf, type RefusalHints, type StatusWords } from '../core/refusal.ts';

const WORDS: StatusWords<readonly [name: string, message: string]> = {
  400: ['ValidationException', 'The provided request is not valid.'],
  403: ['AccessDeniedException', 'User is not authorized to perform: bedrock:InvokeModel'],
  404: ['ResourceNotFoundException', 'Could not resolve the foundation model from the provided model identifier.'],
  408: ['ModelTimeoutException', 'The request took too long to process.'],
  424: ['ModelErrorException', 'The model returned an error.'],
  429: ['ThrottlingException', 'Too many requests, please wait before trying again.'],
  500: [
    'InternalServerException',
    'The system encountered an unexpected error during processing. Try your request again.',
  ],
  503: ['ServiceUnavailableException', 'Bedrock is unable to process your request.'],
};

/** AWS's refusal: its name in a header, a sentence in the body. */
export function refuseAsAws(status: number, hints: RefusalHints & { readonly name?: string } = {}): Refusal {
  const [name, message] = wordsOf(WORDS, status);
  return new Refusal(status, { message: hints.message ?? message }, { 'x-amzn-errortype': `${hints.name ?? name}:` });
}

export function complainAsAws({ kind, path, want }: Problem): Refusal {
  const at = dotted(path);
  return refuseAsAws(400, {
    message:
      kind === 'unknown'
        ? `Malformed input request: #: extraneous key [${at}] is not permitted, please reformat your input and try again.`
        : `The value at ${at} is not valid: ${want}.`,
  });
}

export function refuseUnknownModel(model: string): void {
  if (/(?:^|[./])(?:no-such|unknown|missing)-/.test(model))
    throw refuseAsAws(400, { message: 'The provided model identifier is invalid.' });
}
