/** How each wire calls a setting, so that a report names the field the caller wrote. */
import { TEXT_COMPLETIONS, type ChatFormat } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';

const NAMES = {
  turns: ['messages', 'input', 'messages', 'contents'],
  maxOutputTokens: ['max_completion_tokens', 'max_output_tokens', 'max_tokens', 'generationConfig.maxOutputTokens'],
  stop: ['stop', 'stop', 'stop_sequences', 'generationConfig.stopSequences'],
  temperature: ['temperature', 'temperature', 'temperature', 'generationConfig.temperature'],
  topP: ['top_p', 'top_p', 'top_p', 'generationConfig.topP'],
  topK: ['top_k', 'top_k', 'top_k', 'generationConfig.topK'],
  presencePenalty: ['presence_penalty', 'presence_penalty', 'presence_penalty', 'generationConfig.presencePenalty'],
  frequencyPenalty: [
    'frequency_penalty',
    'frequency_penalty',
    'frequency_penalty',
    'generationConfig.frequencyPenalty',
  ],
  seed: ['seed', 'seed', 'seed', 'generationConfig.seed'],
  count: ['n', 'n', 'n', 'generationConfig.candidateCount'],
  logprobs: ['logprobs', 'include', 'logprobs', 'generationConfig.responseLogprobs'],
  topLogprobs: ['top_logprobs', 'top_logprobs', 'top_logprobs', 'generationConfig.logprobs'],
  logitBias: ['logit_bias', 'logit_bias', 'logit_bias', 'logit_bias'],
  format: ['response_format', 'text.format', 'output_config.format', 'generationConfig.responseMimeType'],
  verbosity: ['verbosity', 'text.verbosity', 'verbosity', 'verbosity'],
  effort: [
    'reasoning_effort',
    'reasoning.effort',
    'output_config.effort',
    'generationConfig.thinkingConfig.thinkingLevel',
  ],
  budget: [
    'thinking.budget_tokens',
    'reasoning',
    'thinking.budget_tokens',
    'generationConfig.thinkingConfig.thinkingBudget',
  ],
  reasoningText: [
    'reasoning',
    'reasoning.summary',
    'thinking.display',
    'generationConfig.thinkingConfig.includeThoughts',
  ],
  modalities: ['modalities', 'modalities', 'modalities', 'generationConfig.responseModalities'],
  audio: ['audio', 'audio', 'audio', 'generationConfig.speechConfig'],
  image: ['image', 'image', 'image', 'generationConfig.imageConfig'],
  user: ['user', 'user', 'metadata.user_id', 'user'],
  metadata: ['metadata', 'metadata', 'metadata', 'labels'],
  serviceTier: ['service_tier', 'service_tier', 'service_tier', 'serviceTier'],
  cacheKey: ['prompt_cache_key', 'prompt_cache_key', 'prompt_cache_key', 'cachedContent'],
  autoCache: ['cache_control', 'cache_control', 'cache_control', 'cache_control'],
  cacheMark: ['prompt_cache_breakpoint', 'prompt_cache_breakpoint', 'cache_control', 'cache_control'],
  toolChoice: ['tool_choice', 'tool_choice', 'tool_choice', 'toolConfig.functionCallingConfig'],
  parallelToolCalls: [
    'parallel_tool_calls',
    'parallel_tool_calls',
    'tool_choice.disable_parallel_tool_use',
    'parallel_tool_calls',
  ],
} as const satisfies Record<string, readonly [string, string, string, string]>;

export type Setting = keyof typeof NAMES;

/** Where text completions have another name than chat completions. */
const OF_COMPLETIONS: Readonly<Partial<Record<Setting, string>>> = {
  turns: 'prompt',
  maxOutputTokens: 'max_tokens',
  topLogprobs: 'logprobs',
};

const COLUMN: Readonly<Record<ChatFormat, 0 | 1 | 2 | 3>> = {
  'openai-chat': 0,
  'openai-responses': 1,
  'anthropic-messages': 2,
  'gemini-generate': 3,
};

/** The caller's own name of a setting; chat-completions' where the caller's wire is not known. */
export function fieldName(request: Pick<ChatRequest, 'dialect'>, setting: Setting): string {
  const { dialect = 'openai-chat' } = request;
  if (dialect !== TEXT_COMPLETIONS) return NAMES[setting][COLUMN[dialect]];
  return OF_COMPLETIONS[setting] ?? NAMES[setting][COLUMN['openai-chat']];
}
