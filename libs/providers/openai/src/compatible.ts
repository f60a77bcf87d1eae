import {
  cancellationOfServer,
  DECLARES_OWN_SERVER,
  readOpenAiLimits,
  type VendorAdapter,
} from '@model-gateway/provider-kit';
import { authorize, QUIRKS, SETTINGS, websocketSetting, WIRES } from './declared.ts';
import * as own from './compatible/generated/capabilities.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

/** Makers whose servers speak OpenAI's wires, by the word for `provider`. */
const PROVIDER_TITLES: NonNullable<VendorAdapter['declares']['providerTitles']> = {
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
export const openaiCompatible: VendorAdapter = {
  id: 'openai-compatible',
  ...CAPABILITIES,
  ...own.CAPABILITIES,
  chat: { ...CAPABILITIES.chat, takesSockets: ({ responses_websocket: word }) => word === 'on' },
  modelList,
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
    quirks: { ...QUIRKS, ...own.QUIRKS },
  },
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
};
