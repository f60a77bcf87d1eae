export type * from './conversation.ts';
export type * from './dialect.ts';
export { createSseParser, formatSse, SSE_COMMENT, type SseParser } from './shared/sse.ts';
export { restoreToolName, restoreToolNames } from './shared/tool-names.ts';
export { dialects } from './dialects.ts';
