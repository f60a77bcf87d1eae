import type { ChatDialect } from '../dialect.ts';
import { decodeOpenAiError, encodeOpenAiError } from '../shared/openai-error.ts';
import { objectOf } from '../shared/read.ts';
import { readOpenAiUsage } from '../shared/usage.ts';
import { counting } from './counting.ts';
import { decodeRequest } from './decode-request.ts';
import { createStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamEncoder } from './encode-stream.ts';
import { decodeReply, encodeReply } from './reply.ts';

/** OpenAI Responses (chat.md §3). */
export const openAiResponses: ChatDialect = {
  name: 'openai-responses',
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  streamDecoder: createStreamDecoder,
  streamEncoder: createStreamEncoder,
  encodeError: encodeOpenAiError,
  decodeError: decodeOpenAiError,
  readUsage: (body) => readOpenAiUsage((objectOf(objectOf(body)?.['response']) ?? objectOf(body))?.['usage']),
  counting,
};
