export type * from './ports.ts';
export type * from './parts.ts';
export * from './catalogue.ts';
export * from './routing.ts';
export * from './chat/chat.ts';
export type { ChatBody } from './chat/body.ts';
export { errorEvent, type Sink, type StreamEnd } from './chat/chat-stream.ts';
export * from './money/price.ts';
export * from './money/spending.ts';
