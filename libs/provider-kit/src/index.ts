export type * from './adapter.ts';
export { parseVendorJson } from './json.ts';
export { readSse, type SseMessage } from './sse.ts';
export { cleanVendorText } from './vendor-text.ts';
export {
  createMediaDoor,
  flatHeaders,
  parseOpening,
  type MediaDoor,
  type MediaResponse,
  type OpenOptions,
} from './media-url.ts';
export {
  createUpstreamPools,
  faultToError,
  openUpstream,
  retryAfterOf,
  transportError,
  type Deadlines,
  type UpstreamOptions,
  type UpstreamPools,
} from './upstream.ts';
export { readDialectFault, type FaultWords } from './dialect-fault.ts';
export {
  ANTHROPIC_VERSION,
  bearer,
  compatibleChat,
  openAiCompatible,
  type CompatibleOptions,
} from './openai-compatible.ts';
