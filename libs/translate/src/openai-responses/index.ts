import type { ChatDialect } from '../dialect.ts';
import { decodeOpenAiError, encodeOpenAiError } from '../shared/openai-error.ts';
import { mediaFetching } from '../shared/media-fetching.ts';
import { joinReplies } from '../shared/join-replies.ts';
import { objectOf } from '../shared/read.ts';
import { counting } from './counting.ts';
import { isOpenAiOrder, leading } from '../shared/stable-prefix.ts';
import { capEdits, readCost, unbillable } from './cost.ts';
import { decodeRequest } from './decode-request.ts';
import { createStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamEncoder } from './encode-stream.ts';
import { errorEvent, responsesRefusalIn } from './error.ts';
import { forwarding } from './forward.ts';
import { mcp } from './mcp.ts';
import { decodeReply, encodeReply } from './reply.ts';
import { socketMode } from './socket-mode.ts';
import { texts } from './texts.ts';
import { readResponseUsage } from './usage.ts';
import { files, vendorIds } from './vendor-ids.ts';
import { OPENAI_PROMPT_CACHE, openAiPromptParts } from '../shared/prompt-parts.ts';

/** OpenAI Responses (docs/wire/openai-responses.md). */
export const openAiResponses: ChatDialect = {
  name: 'openai-responses',
  addressing: 'body',
  headers: ['openai-beta', 'x-client-request-id'],
  readCost,
  capEdits,
  prefix({ prompt_cache_key: key, tools, instructions, input }) {
    // A text stands for one message of a user's.
    const { orders, first } = leading(
      typeof input === 'string' ? [{ role: 'user', content: input }] : input,
      isOpenAiOrder,
    );
    return { key, head: [tools, instructions, ...orders], first };
  },
  socketMode,
  unbillable,
  media: mediaFetching((kind) => kind === 'audio'),
  promptParts: (body) =>
    openAiPromptParts(body, [
      { name: 'text', kind: 'format', value: body['text'] },
      { name: 'tools', kind: 'tools', value: body['tools'] },
      { name: 'tool_choice', kind: 'settings', value: body['tool_choice'] },
      { name: 'reasoning', kind: 'settings', value: body['reasoning'] },
      { name: 'instructions', kind: 'system', value: body['instructions'] },
      { name: 'input', kind: 'messages', value: body['input'] },
    ]),
  promptCache: OPENAI_PROMPT_CACHE,
  mayPause: () => false,
  joinReplies,
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  picturesByAddress: false,
  streamDecoder: createStreamDecoder,
  streamEncoder: createStreamEncoder,
  hasStreamOptions: true,
  encodeError: (error, _requestId, status) => encodeOpenAiError(error, status),
  errorEvent,
  decodeError: decodeOpenAiError,
  refusalIn: responsesRefusalIn,
  readUsage(body) {
    return readResponseUsage(objectOf(objectOf(body)?.['response']) ?? objectOf(body) ?? {});
  },
  counting,
  forwarding,
  texts,
  vendorIds,
  files,
  mcp,
};
