export type * from './conversation.ts';
export type * from './dialect.ts';
export { dialects } from './dialects.ts';
export { CHAT_QUIRKS } from './quirks.ts';
export { withoutForeignState } from './foreign-state.ts';
export { ENVELOPE_PREFIX } from './shared/opaque-envelope.ts';
export { createSseParser, formatSse, SSE_COMMENT, type SseParser } from './shared/sse.ts';
