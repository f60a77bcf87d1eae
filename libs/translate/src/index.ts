export type * from './conversation.ts';
export type * from './dialect.ts';
export { dialects } from './dialects.ts';
export { CHAT_QUIRKS } from './quirks.ts';
<<<<<<< HEAD
export { nothingDelivered, type Delivered } from './forwarding/delivered-media.ts';
=======
export { createEventCheck } from './forwarding/event-check.ts';
>>>>>>> translate
export { forwardRequest, type BodyBytes } from './forwarding/forward-request.ts';
export { createStreamObserver, type StreamObserver, type StreamObserverOptions } from './forwarding/stream-observer.ts';
export { isJsonBody, streamOfReply } from './forwarding/whole-as-stream.ts';
export type { PriceOption, RequestCost } from './shared/request-cost.ts';
export { isStateRefusal } from './foreign-state.ts';
export { createSseParser, type SseParser } from './shared/sse.ts';
