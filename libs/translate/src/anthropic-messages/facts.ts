import type { DeclaredFields } from '@model-gateway/contracts';
import type { DialectFacts } from '../facts.ts';
import { SAMPLING, STRUCTURED_OUTPUT } from '../shared/quirks.ts';

const quirks: DeclaredFields = {
  ...SAMPLING,
  ...STRUCTURED_OUTPUT,
  thinking: {
    values: ['adaptive', 'budget', 'none'],
    about: 'How the model is asked to think: by effort, by a budget in tokens, or not at all.',
  },
  api_version: {
    values: ['2026-10-21'],
    about: 'The version of the API whose rules the model goes by; from this one on sampling settings are refused.',
  },
  prefill: {
    type: 'flag',
    about: '`false`: the model does not go on with a last message of the assistant, and such a request is refused.',
  },
  system_turns: { type: 'flag', about: 'Whether system messages may stand between the others.' },
  xhigh: { type: 'flag', about: 'Whether the model knows the effort `xhigh`.' },
  media_urls: {
    type: 'flag',
    about: '`false`: the vendor takes no media by their address, and the gateway fetches them.',
  },
  web_search_tool: { type: 'text', about: 'The type of the web search tool, such as web_search_20260209.' },
  usage_input_includes_cache: {
    type: 'flag',
    about: 'Whether the vendor counts cached tokens among the input tokens (some compatible ones do).',
  },
};

export const facts: DialectFacts = {
  title: 'messages',
  fieldNames: {
    turns: 'messages',
    maxOutputTokens: 'max_tokens',
    stop: 'stop_sequences',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    seed: 'seed',
    count: 'n',
    logprobs: 'logprobs',
    topLogprobs: 'top_logprobs',
    logitBias: 'logit_bias',
    format: 'output_config.format',
    verbosity: 'verbosity',
    effort: 'output_config.effort',
    budget: 'thinking.budget_tokens',
    reasoningText: 'thinking.display',
    modalities: 'modalities',
    audio: 'audio',
    image: 'image',
    user: 'metadata.user_id',
    metadata: 'metadata',
    serviceTier: 'service_tier',
    cacheKey: 'prompt_cache_key',
    autoCache: 'cache_control',
    cacheMark: 'cache_control',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
  },
  outputCaps: ['max_tokens'],
  // A model that thinks by a budget has no efforts.
  reasoning: { none: ['thinking', 'output_config.effort'], budget: ['output_config.effort'] },
  quirks,
};
