/** Every fine point of a chat model that encoders and decoders ask for (`quirk(target, name)`), by the dialect of the vendor's wire. */
import type { DeclaredField, DeclaredFields, DialectName } from '@model-gateway/contracts';

const SAMPLING: DeclaredFields = {
  sampling: { type: 'flag', about: 'Whether the model takes temperature, top_p and the like.' },
};
const STRUCTURED_OUTPUT: DeclaredFields = {
  structured_output: { type: 'flag', about: 'Whether the model takes a JSON schema for its answer and its tools.' },
};

/** What both OpenAI wires ask for. */
const OPENAI: DeclaredFields = {
  ...SAMPLING,
  thinking: { values: ['none'], about: '`none`: the model takes no reasoning effort, and none is sent.' },
  logprobs: { type: 'flag', about: 'Whether the model gives log probabilities.' },
  web_search: { type: 'flag', about: 'Whether the vendor searches the web for this model.' },
  custom_tools: {
    type: 'flag',
    about: 'Whether the vendor has custom tools; elsewhere they are sent as functions.',
  },
  cache_marks: {
    values: ['prompt_cache_breakpoint', 'cache_control', false],
    about: 'The field that marks what the vendor is to keep in its prompt cache.',
  },
  video_input: {
    type: 'flag',
    about: '`false`: the vendor has no video input on this wire, and a request with one is refused.',
  },
};

const OPENAI_CHAT: DeclaredFields = {
  ...OPENAI,
  ...STRUCTURED_OUTPUT,
  audio_urls: {
    type: 'flag',
    about: 'Whether the vendor fetches sound by its address (`audio_url`); elsewhere the gateway fetches it.',
  },
  media_urls: {
    type: 'flag',
    about: '`false`: the vendor takes no pictures by their address, and the gateway fetches them.',
  },
  stream_options: { type: 'flag', about: 'Whether the vendor takes `stream_options.include_usage`.' },
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

const ANTHROPIC: DeclaredFields = {
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

const GEMINI: DeclaredFields = {
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

const COMPLETIONS: DeclaredFields = {
  stream_options: OPENAI_CHAT['stream_options'] as DeclaredField,
  completion_answers: {
    values: ['chat'],
    about: '`chat`: the vendor answers text completions in the form of chat completions (Mistral).',
  },
  seed_field: { values: ['random_seed'], about: 'The field of a seed in text completions; `seed` unless said.' },
};

/** What an offer of a chat model may say in `quirks`, by the dialect it is asked in. */
export const CHAT_QUIRKS: Readonly<Record<DialectName, DeclaredFields>> = {
  'openai-chat': OPENAI_CHAT,
  'openai-responses': OPENAI,
  'anthropic-messages': ANTHROPIC,
  'gemini-generate': GEMINI,
  'openai-completions': COMPLETIONS,
};
