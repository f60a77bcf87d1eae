export type * from './conversation.ts';
export type * from './dialect.ts';
export { dialects } from './dialects.ts';
export { dialectFacts } from './dialect-facts.ts';
export type { DialectFacts } from './facts.ts';
export { declaredOutputCap } from './output-cap.ts';
export { nothingDelivered, type Delivered } from './forwarding/delivered-media.ts';
export { createEventNumbering, eventBehind, type EventNumbering } from './forwarding/event-ids.ts';
export { withNextNumber } from './forwarding/broken-events.ts';
export { forwardRequest, loweredCap, type BodyBytes } from './forwarding/forward-request.ts';
export { withMissingMembers } from './forwarding/missing-members.ts';
export { createStreamObserver, type StreamObserver, type StreamObserverOptions } from './forwarding/stream-observer.ts';
export { isJsonBody, streamOfReply } from './forwarding/whole-as-stream.ts';
export type { PriceOption, RequestCost } from './shared/request-cost.ts';
export { isStateRefusal } from './foreign-state.ts';
export {
  functionName,
  OWN_ID as OWN_MCP_ID,
  passes as passesFilter,
  wantsApproval,
  type DecidedCall,
  type McpForm,
  type McpOffer,
  type McpServerName,
  type NamedMcpServer,
  type OfferedTool,
  type ShownCall,
  type ToolOutcome,
} from './shared/mcp.ts';
export { codesCalled, wordIn } from './shared/error-words.ts';
export { addUsage } from './shared/join-replies.ts';
export { putText, textAt, type TextPiece, type TextPlace } from './shared/texts.ts';
export { isLongMark, MARK_NAMES, type PromptCacheRules, type PromptParts } from './shared/prompt-parts.ts';
export { prefixText } from './shared/stable-prefix.ts';
export * as compactions from './openai-responses/compactions.ts';
export * as keptResponses from './openai-responses/kept.ts';
export type { KeepingWish, KeptAs } from './openai-responses/kept.ts';
export { createSseParser, isSseComment, type SseParser } from './shared/sse.ts';
export * as realtimeEvents from './realtime/events.ts';
export type { SessionView } from './realtime/events.ts';
export { liveError, LiveTranslation, type LiveOptions } from './realtime/live.ts';
