import type { ChatDialect } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { decodeOpenAiError, encodeOpenAiError } from '../shared/openai-error.ts';
import { mediaFetching } from '../shared/media-fetching.ts';
import { quirk } from '../shared/translation.ts';
import { joinReplies } from '../shared/join-replies.ts';
import { refusalIn } from '../shared/refusal-event.ts';
import { formatSse } from '../shared/sse.ts';
import { objectOf } from '../shared/read.ts';
import { isOpenAiOrder, leading } from '../shared/stable-prefix.ts';
import { capEdits, readCost, unbillable } from './cost.ts';
import { decodeRequest } from './decode-request.ts';
import { createStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamEncoder } from './encode-stream.ts';
import { forwarding } from './forward.ts';
import { mcp } from './mcp.ts';
import { decodeReply, encodeReply } from './reply.ts';
import { texts } from './texts.ts';
import { readWireUsage } from './usage.ts';
import { files, vendorIds } from './vendor-ids.ts';
import { OPENAI_PROMPT_CACHE, openAiPromptParts } from '../shared/prompt-parts.ts';

/** OpenAI chat-completions and everyone who speaks it (docs/wire/openai-chat.md). */
export const openAiChat: ChatDialect = {
  name: 'openai-chat',
  addressing: 'body',
  // The conversation is xAI's name for what its prompt cache is found by.
  headers: ['openai-beta', 'x-client-request-id', 'x-grok-conv-id'],
  readCost,
  capEdits,
  prefix({ prompt_cache_key: key, tools, messages }) {
    const { orders, first } = leading(messages, isOpenAiOrder);
    return { key, head: [tools, ...orders], first };
  },
  unbillable,
  // Documents and sound are bytes on this wire; pictures and films are fetched by the vendor.
  media: mediaFetching(
    (kind, _source, target) =>
      kind === 'document' ||
      (kind === 'audio' && quirk(target, 'audio_urls') !== true) ||
      (kind === 'image' && quirk(target, 'media_urls') === false),
  ),
  promptParts: (body) =>
    openAiPromptParts(body, [
      { name: 'response_format', kind: 'format', value: body['response_format'] },
      { name: 'tools', kind: 'tools', value: body['tools'] },
      { name: 'tool_choice', kind: 'settings', value: body['tool_choice'] },
      { name: 'reasoning_effort', kind: 'settings', value: body['reasoning_effort'] },
      { name: 'messages', kind: 'messages', value: body['messages'] },
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
  errorEvent: (error) => formatSse(JSON.stringify(encodeOpenAiError(error, statusInStream(error)))),
  decodeError: decodeOpenAiError,
  refusalIn: (event) => refusalIn(event, decodeOpenAiError),
  readUsage: (body) => readWireUsage(objectOf(body) ?? {}),
  forwarding,
  texts,
  vendorIds,
  files,
  mcp,
};
