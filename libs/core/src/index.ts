export type * from './ports.ts';
export type * from './parts.ts';
export * from './catalogue.ts';
export * from './routing.ts';
export * from './kinds/chat/chat.ts';
export { createTokenCounter, estimateTokens, type CountCall, type TokenCount } from './kinds/chat/count.ts';
export type { ChatBody } from './kinds/chat/body.ts';
export type { Sink, StreamEnd } from './kinds/chat/chat-stream.ts';
export * from './money/price.ts';
export * from './money/spending.ts';
export * from './keys/api-keys.ts';
export * from './limits/index.ts';
export * from './idempotency/index.ts';
export { createUpstreamFactory } from './upstream-factory.ts';
export * from './tasks/index.ts';
export { createVideoPrices } from './kinds/video/video-price.ts';
export { dollarsOf, modelOfRequest, quoteRequest, type Quote } from './money/estimate.ts';
export { createImages, type ImageCall, type Images } from './kinds/image/images.ts';
export { checkCount, decodeImageBody, promptOf, responseFormatOf, sizeOf, whole } from './kinds/image/image-body.ts';
export { createKeptFiles, type KeptFiles } from './files/kept-files.ts';
export {
  createSpeech,
  speechOfChat,
  speechOfSpeech,
  type Speech,
  type SpeechCall,
  type Spoken,
} from './kinds/speech/speech.ts';
