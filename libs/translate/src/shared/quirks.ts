/** Fine points that several wire formats ask for. */
import type { DeclaredFields } from '@model-gateway/contracts';

export const SAMPLING: DeclaredFields = {
  sampling: { type: 'flag', about: 'Whether the model takes temperature, top_p and the like.' },
};
export const STRUCTURED_OUTPUT: DeclaredFields = {
  structured_output: { type: 'flag', about: 'Whether the model takes a JSON schema for its answer and its tools.' },
};

/** What both OpenAI wires ask for. */
export const OPENAI_QUIRKS: DeclaredFields = {
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

/** Of chats and of texts to complete. */
export const STREAM_OPTIONS: DeclaredFields = {
  stream_options: { type: 'flag', about: 'Whether the vendor takes `stream_options.include_usage`.' },
};
