import type { DeclaredFields } from '@model-gateway/contracts';
import type { DialectFacts } from '../facts.ts';
import { OPENAI_QUIRKS, STREAM_OPTIONS, STRUCTURED_OUTPUT } from '../shared/quirks.ts';

const quirks: DeclaredFields = {
  ...OPENAI_QUIRKS,
  ...STRUCTURED_OUTPUT,
  audio_urls: {
    type: 'flag',
    about: 'Whether the vendor fetches sound by its address (`audio_url`); elsewhere the gateway fetches it.',
  },
  media_urls: {
    type: 'flag',
    about: '`false`: the vendor takes no pictures by their address, and the gateway fetches them.',
  },
  ...STREAM_OPTIONS,
  max_tokens_field: {
    values: ['max_tokens', 'max_completion_tokens'],
    about: 'The field that bounds the answer.',
  },
  prompt_cache_key: {
    type: 'flag',
    about: '`true`: the vendor takes `prompt_cache_key` for requests of other dialects too.',
  },
  image_output: {
    type: 'flag',
    about: '`false`: the vendor writes no images on this wire, and a request for one is refused.',
  },
  several_answers: { type: 'flag', about: 'Whether one request may ask for several answers (`n`).' },
  top_k: { type: 'flag', about: 'Whether the vendor takes `top_k`.' },
  max_stop: { type: 'count', about: 'How many stop sequences the vendor takes; 4 unless said.' },
  reasoning_field: {
    values: ['reasoning_effort', 'thinking', 'enable_thinking', 'reasoning'],
    about: 'The field that asks for reasoning.',
  },
  reasoning_carrier: {
    values: ['thinking_blocks'],
    about: 'Where earlier reasoning with its signature goes back to the vendor.',
  },
  reasoning_replay: {
    values: ['required', 'refused'],
    about: 'Whether the vendor wants the text of earlier reasoning back.',
  },
  system_role: { values: ['system', 'developer'], about: 'The role of system messages.' },
  text_parts: { type: 'flag', about: 'Whether a message may be a list of texts instead of one text.' },
};

export const facts: DialectFacts = {
  title: 'chat completions',
  fieldNames: {
    turns: 'messages',
    maxOutputTokens: 'max_completion_tokens',
    stop: 'stop',
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
    format: 'response_format',
    verbosity: 'verbosity',
    effort: 'reasoning_effort',
    budget: 'thinking.budget_tokens',
    reasoningText: 'reasoning',
    modalities: 'modalities',
    audio: 'audio',
    image: 'image',
    user: 'user',
    metadata: 'metadata',
    serviceTier: 'service_tier',
    cacheKey: 'prompt_cache_key',
    autoCache: 'cache_control',
    cacheMark: 'prompt_cache_breakpoint',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
  },
  outputCaps: ['max_completion_tokens', 'max_tokens'],
  reasoning: { none: ['reasoning_effort', 'reasoning'] },
  quirks,
};
