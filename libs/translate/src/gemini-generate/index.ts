import { GatewayError, isJsonObject } from '@model-gateway/contracts';
import type { ChatDialect } from '../dialect.ts';
import { refusalIn } from '../shared/refusal-event.ts';
import { withSearches } from '../shared/request-cost.ts';
import { capEdits, countSearches, readCost } from './cost.ts';
import { decodeCountRequest, decodeRequest } from './decode-request.ts';
import { streamDecoder } from './decode-stream.ts';
import { encodeCountRequest, encodeRequest } from './encode-request.ts';
import { streamEncoder } from './encode-stream.ts';
import { decodeError, encodeError, errorInStream } from './error.ts';
import { forwarding, jsonPieces } from './forward.ts';
import { media } from './media.ts';
import { mcp } from './mcp.ts';
import { decodeReply, encodeReply, joinReplies } from './reply.ts';
import { texts } from './texts.ts';
import { readUsage } from './usage.ts';
import { files, vendorIds } from './vendor-ids.ts';

/** Google's generateContent wire (docs/wire/gemini-generate.md). */
export const geminiGenerate: ChatDialect = {
  name: 'gemini-generate',
  addressing: 'path',
  headers: ['x-goog-api-client', 'x-server-timeout'],
  readCost,
  capEdits,
  prefix: ({ tools, systemInstruction, system_instruction: system = systemInstruction, contents }) => ({
    head: [tools, system],
    first: Array.isArray(contents) ? contents[0] : contents,
  }),
  promptParts: ({
    tools,
    toolConfig,
    systemInstruction: camel,
    system_instruction: snake,
    contents,
    cachedContent,
  }) => ({
    parts: [
      { name: camel === undefined ? 'system_instruction' : 'systemInstruction', kind: 'system', value: camel ?? snake },
      { name: 'tools', kind: 'tools', value: tools },
      { name: 'toolConfig', kind: 'settings', value: toolConfig },
      { name: 'contents', kind: 'messages', value: contents },
    ],
    contentName: 'parts',
    isPartial: cachedContent !== undefined && cachedContent !== null,
  }),
  // Google names no lifetime of what it caches by itself.
  promptCache: {
    needsMarks: false,
    settingsCount: false,
    minimumTokens: (model) => (model.includes('flash') ? 1024 : 4096),
    lifetimeMs: 600_000,
    longLifetimeMs: 600_000,
  },
  mayPause: () => false,
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  picturesByAddress: false,
  streamDecoder,
  streamEncoder,
  encodeError,
  errorEvent: errorInStream,
  decodeError,
  refusalIn: (event) => refusalIn(event, decodeError),
  readUsage: (body) => withSearches(readUsage(body), countSearches(body)),
  forwarding,
  texts,
  vendorIds,
  files,
  mcp,
  // Google's SDKs read an event by its first line: one that is not `data:` makes them pass the event over, or fail.
  readsEventIds: (headers) => headers['x-goog-api-client'] === undefined,
  jsonPieces,
  joinReplies,
  media,
  counting: {
    byVendors: true,
    decodeRequest: decodeCountRequest,
    encodeRequest: encodeCountRequest,
    decodeReply: (body) => {
      const count = isJsonObject(body) ? body['totalTokens'] : undefined;
      if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
      throw new GatewayError('upstream_malformed', 'the vendor returned no token count');
    },
    encodeReply: (inputTokens) => ({ totalTokens: inputTokens }),
  },
};
