/** What OpenAI and the servers of its wires may be told alike. */
import {
  cancellationOfServer,
  COMPLETIONS_PATH,
  declareApiKey,
  DECLARES_OWN_SERVER,
  STREAM_STOPS_BILLING,
  type Account,
  type DeclaredVendor,
  type SignableRequest,
  type VendorDeclaration,
} from '@model-gateway/provider-kit';

/** xAI's videos have a wire of their own, picked by the account's `wire: xai`. */
export const WIRES: NonNullable<VendorDeclaration['wires']> = { xai: declareApiKey('https://api.x.ai/v1') };

export const SETTINGS: NonNullable<VendorDeclaration['settings']> = {
  organization: { type: 'text', about: 'Sent as `openai-organization`.' },
  project: { type: 'text', about: 'Sent as `openai-project`.' },
  ...COMPLETIONS_PATH,
};

/** How an account says whether responses over a WebSocket are asked for over one. */
export function websocketSetting(about: string): NonNullable<VendorDeclaration['settings']> {
  return { responses_websocket: { values: ['on', 'off'], about } };
}

export const QUIRKS: NonNullable<VendorDeclaration['quirks']> = {
  images: {
    gpt_image: {
      type: 'flag',
      about: 'Whether the model takes what gpt-image models take; told by its name unless said.',
    },
    sizes: {
      values: ['free', 'any'],
      type: 'texts',
      about: 'The sizes the model makes; `free` within gpt-image’s rules, `any` to send what the caller wrote.',
    },
  },
  speech: {
    stream_format: {
      values: ['sse', 'audio'],
      about: 'How the vendor is asked to stream; `sse` says what it counted.',
    },
    max_characters: { type: 'count', about: 'The longest text of one request, in characters; 4096 unless said.' },
  },
};

/** OpenAI. Other servers of its wires are the vendor `openai-compatible`; an account of this one with their address is taken for OpenAI. */
export const openai: DeclaredVendor = {
  id: 'openai',
  declares: {
    title: 'OpenAI',
    platform: '55',
    ...declareApiKey('https://api.openai.com/v1'),
    sufficient: DECLARES_OWN_SERVER.sufficient,
    wires: WIRES,
    settings: {
      ...SETTINGS,
      ...websocketSetting('Whether responses that come over a WebSocket are asked for over one; on unless said.'),
    },
    streamCancellation: (account) => cancellationOfServer({ ...account, isVendor: true }) ?? STREAM_STOPS_BILLING,
    chatQuirks: {
      cache_marks: 'prompt_cache_breakpoint',
      custom_tools: true,
      image_output: false,
      max_tokens_field: 'max_completion_tokens',
      prompt_cache_key: true,
      video_input: false,
    },
  },
};

/** Makers whose servers speak OpenAI's wires, by the word for `provider`. */
const PROVIDER_TITLES: NonNullable<VendorDeclaration['providerTitles']> = {
  alibaba: 'Alibaba Model Studio',
  cerebras: 'Cerebras',
  cloudflare: 'Cloudflare Workers AI',
  databricks: 'Databricks',
  deepinfra: 'DeepInfra',
  deepseek: 'DeepSeek',
  fireworks: 'Fireworks AI',
  github: 'GitHub Models',
  groq: 'Groq',
  huggingface: 'Hugging Face',
  llamacpp: 'llama.cpp',
  lmstudio: 'LM Studio',
  local: 'Local server',
  localai: 'LocalAI',
  mistral_ai: 'Mistral AI',
  modelscope: 'ModelScope',
  moonshot: 'Moonshot AI',
  nebius: 'Nebius',
  novita: 'Novita AI',
  nvidia: 'NVIDIA NIM',
  ollama: 'Ollama Cloud',
  'openai-videos': 'OpenAI videos server',
  openrouter: 'OpenRouter',
  perplexity: 'Perplexity',
  sglang: 'SGLang',
  siliconflow: 'SiliconFlow',
  snowflake: 'Snowflake Cortex',
  stepfun: 'StepFun',
  tgi: 'Text Generation Inference',
  together: 'Together AI',
  vllm: 'vLLM',
  x_ai: 'xAI',
  xinference: 'Xinference',
  zai: 'Z.ai',
  zhipu: 'Zhipu AI',
};

/** Everyone else who speaks OpenAI's wires: DeepSeek, xAI, vLLM, Ollama, … Nothing is taken for granted that OpenAI alone has. */
export const openaiCompatible: DeclaredVendor = {
  id: 'openai-compatible',
  // Until there was this vendor its accounts were written as OpenAI's.
  formerIds: ['openai'],
  declares: {
    title: 'OpenAI-compatible server',
    providerTitles: PROVIDER_TITLES,
    keywords: ['vLLM', 'LM Studio', 'llama.cpp', 'SGLang', 'TGI', 'LocalAI', 'Ollama'],
    platform: '55',
    ...DECLARES_OWN_SERVER,
    wires: WIRES,
    settings: {
      ...SETTINGS,
      ...websocketSetting(
        'Whether the server takes responses over a WebSocket, as OpenAI does, and is asked so what comes over one; off unless said.',
      ),
      provider: {
        type: 'text',
        about:
          'Who answers, for metrics and for what a model wrote for itself alone: deepseek, x_ai; the vendor unless said.',
      },
    },
    streamCancellation: cancellationOfServer,
  },
};

/** A bearer key where there is one, and the organization and project of an account that names them. */
export function authorize(_request: SignableRequest, account: Account): Record<string, string> {
  const { organization, project } = account.settings;
  const key = account.credentials['api_key'] ?? '';
  return {
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
  };
}
