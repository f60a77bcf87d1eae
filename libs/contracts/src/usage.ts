/**
 * What one answer consumed, whoever reported it. Tokens are integers; `input` includes cached and cache-written tokens, `output`
 * includes reasoning (docs/wire/chat-translation.md#usage). A count nobody reported is absent; an explicit zero is zero.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly cachedInputTokens?: number;
  /** Parts of `cachedInputTokens`. */
  readonly cachedInputAudioTokens?: number;
  readonly cachedInputImageTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` kept for an hour (Anthropic). */
  readonly cacheWriteLongTokens?: number;
  /** Tokens that were put into the vendor's cache by name, times the hours that they are kept for. */
  readonly cacheTokenHours?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  readonly inputImageTokens?: number;
  readonly outputImageTokens?: number;
  /** Prompt tokens spent by the vendor's own tools (Gemini), inside `inputTokens`. */
  readonly toolPromptTokens?: number;
  readonly webSearches?: number;
  /** Searches, as Cohere counts them: a query over up to 100 documents or pieces of documents. */
  readonly searchUnits?: number;
  readonly images?: number;
  /** Seconds of video or audio produced. */
  readonly seconds?: number;
  readonly videos?: number;
  readonly characters?: number;
  /** Requests to a vendor's own path that an operator has opened. */
  readonly calls?: number;
  /** What such a path counts, in whatever its vendor calls it: pages, searches, credits. */
  readonly units?: number;
  /** True when counted here because the vendor reported nothing. */
  readonly estimated?: boolean;
}
