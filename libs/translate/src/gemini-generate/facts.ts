import type { DeclaredFields } from '@model-gateway/contracts';
import type { DialectFacts } from '../facts.ts';
import { SAMPLING } from '../shared/quirks.ts';

const quirks: DeclaredFields = {
  ...SAMPLING,
  thinking: {
    values: ['levels', 'budget', 'none'],
    about: 'How the model is asked to think: by level, by a budget in tokens, or not at all.',
  },
  max_thinking_budget: { type: 'count', about: 'The largest thinking budget in tokens; 24576 unless said.' },
  reasoning_levels: {
    values: ['no-minimal'],
    about: '`no-minimal`: the model has no level below `low`.',
  },
  json_schema: { type: 'flag', about: 'Whether the model takes JSON Schema; else the OpenAPI subset is sent.' },
  media_urls: { type: 'flag', about: 'Whether the vendor fetches media by URL.' },
  tool_result_media: { type: 'flag', about: 'Whether a tool result may hold media.' },
  mixed_tools: { type: 'flag', about: 'Whether functions and the vendor’s own tools may stand in one request.' },
  search_domains: { type: 'flag', about: 'Whether the search tool takes domains to leave out.' },
  call_ids: { type: 'flag', about: 'Whether function calls carry ids.' },
};

export const facts: DialectFacts = {
  title: 'generateContent',
  fieldNames: {
    turns: 'contents',
    maxOutputTokens: 'generationConfig.maxOutputTokens',
    stop: 'generationConfig.stopSequences',
    temperature: 'generationConfig.temperature',
    topP: 'generationConfig.topP',
    topK: 'generationConfig.topK',
    presencePenalty: 'generationConfig.presencePenalty',
    frequencyPenalty: 'generationConfig.frequencyPenalty',
    seed: 'generationConfig.seed',
    count: 'generationConfig.candidateCount',
    logprobs: 'generationConfig.responseLogprobs',
    topLogprobs: 'generationConfig.logprobs',
    logitBias: 'logit_bias',
    format: 'generationConfig.responseMimeType',
    verbosity: 'verbosity',
    effort: 'generationConfig.thinkingConfig.thinkingLevel',
    budget: 'generationConfig.thinkingConfig.thinkingBudget',
    reasoningText: 'generationConfig.thinkingConfig.includeThoughts',
    modalities: 'generationConfig.responseModalities',
    audio: 'generationConfig.speechConfig',
    image: 'generationConfig.imageConfig',
    user: 'user',
    metadata: 'labels',
    serviceTier: 'serviceTier',
    cacheKey: 'cachedContent',
    autoCache: 'cache_control',
    cacheMark: 'cache_control',
    toolChoice: 'toolConfig.functionCallingConfig',
    parallelToolCalls: 'parallel_tool_calls',
  },
  outputCaps: [
    'generationConfig.maxOutputTokens',
    'generationConfig.max_output_tokens',
    'generation_config.maxOutputTokens',
    'generation_config.max_output_tokens',
  ],
  reasoning: { none: ['generationConfig.thinkingConfig', 'generation_config.thinking_config'] },
  quirks,
};
