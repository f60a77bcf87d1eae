export type * from './ports.ts';
export type * from './parts.ts';
export * from './catalogue.ts';
export { atMost } from './bounded.ts';
export { editsBetween } from './nearest.ts';
export * from './routing.ts';
export {
  conditionWords,
  REQUEST_INPUTS,
  WEEKDAYS,
  type Condition,
  type RequestFacts,
  type RequestInput,
  type TimeWindow,
} from './routing/condition.ts';
export {
  DEEPEST_ROUTE,
  modelsBelow,
  type RouteCandidate,
  type RouteNote,
  type RoutePlan,
} from './routing/plan-route.ts';
export { addUse, batchUses } from './routing/budgets.ts';
export type { AccountBudget, Budget } from './routing/budget.ts';
export type { BudgetUse } from './routing/budgets.ts';
export { vendorNames, type RequestControl, type VendorChoice } from './routing/request-control.ts';
export {
  AFFINITIES,
  FALLBACK_CAUSES,
  RETRIED_FAULTS,
  STRATEGIES,
  type Affinity,
  type FallbackCause,
  type Hedge,
  type RetriedFault,
  type Retries,
  type Route,
  type RouteTarget,
  type Strategy,
} from './routing/route.ts';
export * from './kinds/chat/chat-service.ts';
export { CHAT_OPERATIONS, type ChatOperation } from './kinds/chat/operations.ts';
export type { LineDelivery } from './paid/delivery.ts';
export { newTrace, wholeOf, type FailedAttempt, type FurtherRequest, type Trace } from './paid/trace.ts';
export type { MediaControl } from './paid/routed.ts';
export { operationOf, providerOf } from './paid/paid-metrics.ts';
export { accountLabels, perOffer } from './paid/paid-metrics.ts';
export * from './guardrails/guardrail.ts';
export { perObject } from './per-object.ts';
export { guardedChat, guardedCount } from './guardrails/guarded-chat.ts';
export { guardedInputs } from './guardrails/guarded-inputs.ts';
export { tryText, type Trial } from './guardrails/trial.ts';
export { patternFault } from './guardrails/pattern-fault.ts';
export { ScanThread } from './guardrails/scan-thread.ts';
export { createTokenCounter, type CountCall, type TokenCount } from './kinds/chat/count.ts';
export { estimateTokens } from './kinds/chat/billed-usage.ts';
export type { ChatBody } from './kinds/chat/pricing.ts';
export type { Sink, StreamEnd } from './kinds/chat/chat-stream.ts';
export { openedPathFault, PathPattern, queryWithout } from './pass-through/opened-path.ts';
export * from './pass-through/pass-through.ts';
export type { CountName, ReportedCount } from './pass-through/reported-usage.ts';
export * from './money/price.ts';
export * from './money/budget-book.ts';
export * from './money/spend-scopes.ts';
export { payerIdOf, payerOf } from './money/payer-states.ts';
export * from './money/spending.ts';
export * from './money/statement.ts';
export * from './keys/api-keys.ts';
export { createUnknownKeyLimit, LookUpsTogether, type UnknownKeyLimit } from './keys/unknown-keys.ts';
export { matches } from './keys/pattern.ts';
export * from './limits/index.ts';
export * from './idempotency/index.ts';
export { createUpstreamFactory } from './upstream-factory.ts';
export * from './tasks/index.ts';
export { VendorLane, VendorSocketAccounts, VendorSockets } from './kinds/chat/vendor-sockets.ts';
export { UNSTATED_LIMITS } from './kinds/chat/pricing.ts';
export { quoteRequest, type ModelQuote, type QuoteRequest } from './kinds/quote.ts';
export * from './kinds/index.ts';
export type { KindDescription, KindModule, KindName, RowSettings } from './kind-module.ts';
export { CONFIG_SECTIONS } from './ports/config-entries.ts';
export { INVARIANTS } from './ports/invariants.ts';
export { SPEND_WINDOWS } from './ports/money.ts';
export * from './invariants/invariant-monitor.ts';
export * from './maintenance/maintenance-jobs.ts';
export * from './responses/index.ts';
export * from './batches/index.ts';
export { Uploads } from './files/uploads.ts';
export { InlinedFiles } from './kinds/chat/inlined-files.ts';
export { createKeptFiles, type KeptFiles } from './files/kept-files.ts';
export {
  UploadedFiles,
  uploadedFileId,
  type FileFacts,
  type NewFile,
  type UploadedFilesOptions,
  NEVER,
} from './files/uploaded-files.ts';
export { VendorFiles } from './files/vendor-files.ts';
export { createAnswerCache, type AnswerCache } from './cache/answer-cache.ts';
export type { CacheWord } from './cache/kept-answers.ts';
export { createMemoryAnswers } from './cache/memory-answers.ts';
export { createCachedChat } from './kinds/chat/cached.ts';
export { sayingRefusals, withFinalMessages } from './kinds/chat/final-message.ts';
export { droppedParameter, parameterLabel } from './requests/dropped-parameters.ts';
export { readPromptTurn } from './prompt-cache/prompt-chain.ts';
export { createRequestLog, type RequestLog } from './requests/request-log.ts';
export {
  createContentKeeper,
  createContentReader,
  createContentSweeper,
  type ContentKeeper,
  type ContentReader,
  type KeptContent,
} from './requests/content/kept-content.ts';
export { isReadable } from './requests/content/assembled.ts';
export { readOverview, type Overview, type OverviewSums } from './requests/overview.ts';
export { percentileOf } from './requests/percentiles.ts';
export * from './streams/recorder.ts';
export * from './streams/follow.ts';
export { CachedContents, type Keeping } from './cached-contents/cached-contents.ts';
export { McpEndpoint, type EndpointRequest, type EndpointAnswer } from './mcp/endpoint.ts';
export { McpChats } from './mcp/mcp-chats.ts';
export { McpService, type McpParts } from './mcp/mcp-service.ts';
export {
  asFault,
  codeOfFault,
  RPC_CODES as MCP_CODES,
  faultMessage,
  headerValue as mcpHeaderValue,
  META as MCP_META,
  MODERN as MCP_MODERN,
  NAMED_BY as MCP_NAMED_BY,
  REVISIONS as MCP_REVISIONS,
  RpcFault,
} from './mcp/protocol.ts';
export { OWN_SERVER, type McpServer, type McpSettings } from './mcp/settings.ts';
export type { Listed, Listing, McpSource, SourceRequest } from './mcp/source.ts';
