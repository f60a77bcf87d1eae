import { GatewayError, isJsonObject } from '@model-gateway/contracts';
import type { ChatDialect } from '../dialect.ts';
import { statusInStream } from '../shared/error-words.ts';
import { joinReplies } from '../shared/join-replies.ts';
import { mediaFetching } from '../shared/media-fetching.ts';
import { refusalIn } from '../shared/refusal-event.ts';
import { formatSse } from '../shared/sse.ts';
import { quirk } from '../shared/translation.ts';
import { leastCachedTokens, withCacheMarks } from './cache.ts';
import { capEdits, readCost } from './cost.ts';
import { decodeCountRequest, decodeRequest } from './decode-request.ts';
import { streamDecoder } from './decode-stream.ts';
import { encodeCountRequest, encodeRequest } from './encode-request.ts';
import { streamEncoder } from './encode-stream.ts';
import { decodeError, encodeError } from './error.ts';
import { forwarding, mayPause } from './forward.ts';
import { mcp } from './mcp.ts';
import { decodeReply, encodeReply } from './reply.ts';
import { texts } from './texts.ts';
import { readUsage } from './usage.ts';
import { files, vendorIds } from './vendor-ids.ts';

/** Anthropic's Messages wire (docs/wire/anthropic-messages.md). */
export const anthropicMessages: ChatDialect = {
  name: 'anthropic-messages',
  addressing: 'body',
  headers: ['anthropic-version', 'anthropic-beta'],
  readCost,
  capEdits,
  prefix: ({ tools, system, messages }) => ({
    head: [tools, system],
    first: Array.isArray(messages) ? messages[0] : undefined,
    // It is put where the conversation ends at the moment.
    passing: 'cache_control',
  }),
  // Anthropic fetches media itself; who serves its models elsewhere may not.
  media: mediaFetching((_kind, _source, target) => quirk(target, 'media_urls') === false),
  promptParts: ({ tools, system, tool_choice: choice, thinking, messages, cache_control: mark, container }) => ({
    parts: [
      { name: 'tools', kind: 'tools', value: tools },
      { name: 'system', kind: 'system', value: system },
      { name: 'tool_choice', kind: 'settings', value: choice },
      { name: 'thinking', kind: 'settings', value: thinking },
      { name: 'messages', kind: 'messages', value: messages },
    ],
    contentName: 'content',
    mark,
    isPartial: container !== undefined && messages === undefined,
  }),
  promptCache: {
    needsMarks: true,
    settingsCount: true,
    minimumTokens: leastCachedTokens,
    lifetimeMs: 300_000,
    longLifetimeMs: 3_600_000,
    looksBack: 20,
  },
  mayPause,
  joinReplies,
  withCacheMarks,
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  picturesByAddress: true,
  streamDecoder,
  streamEncoder,
  encodeError,
  errorEvent: (error, requestId) =>
    formatSse(JSON.stringify(encodeError(error, requestId, statusInStream(error))), 'error'),
  decodeError,
  refusalIn: (event) => refusalIn(event, decodeError),
  readUsage,
  forwarding,
  texts,
  vendorIds,
  files,
  mcp,
  counting: {
    byVendors: true,
    decodeRequest: decodeCountRequest,
    encodeRequest: encodeCountRequest,
    decodeReply: (body) => {
      const count = isJsonObject(body) ? body['input_tokens'] : undefined;
      if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
      throw new GatewayError('upstream_malformed', 'the vendor returned no token count');
    },
    encodeReply: (inputTokens) => ({ input_tokens: inputTokens }),
  },
};
