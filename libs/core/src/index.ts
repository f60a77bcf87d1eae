export type * from './ports.ts';
export type * from './parts.ts';
export * from './catalogue.ts';
export * from './routing.ts';
export * from './chat/chat.ts';
export { createTokenCounter, estimateTokens, type CountCall, type TokenCount } from './chat/count.ts';
export type { ChatBody } from './chat/body.ts';
export { errorEvent, type Sink, type StreamEnd } from './chat/chat-stream.ts';
export * from './money/price.ts';
export * from './money/spending.ts';
export * from './keys.ts';
export * from './limits/index.ts';
export * from './idempotency/index.ts';
export { createDoors } from './open-offer.ts';
export * from './tasks/index.ts';
export { createTaskMoney } from './money/task-money.ts';
export { dollarsOf, modelOfRequest, quoteRequest, type Quote } from './money/estimate.ts';
export { createImages, type ImageCall, type Images } from './media/images.ts';
export { checkCount, decodeImageBody, promptOf, responseFormatOf, sizeOf, whole } from './media/image-body.ts';
export { createKeptFiles, type KeptFiles } from './media/kept-files.ts';
export {
  createSpeech,
  speechOfChat,
  speechOfSpeech,
  type Speech,
  type SpeechCall,
  type Spoken,
} from './media/speech.ts';
