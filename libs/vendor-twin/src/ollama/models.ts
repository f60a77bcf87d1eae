import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { complainAsOllama, refuseAsOllama } from './errors.ts';

const VERSION = '0.12.6';
const MODIFIED = '2026-08-21T18:48:22Z';
/** Tokens of context while nobody says how many, on a machine with little memory. */
export const USUAL_CONTEXT = 4096;

export interface TwinModel {
  readonly name: string;
  readonly family: string;
  /** What it was trained for, in tokens. */
  readonly context: number;
  readonly capabilities: readonly string[];
}

const INSTALLED: readonly TwinModel[] = [
  { name: 'llama3.2:3b', family: 'llama', context: 131_072, capabilities: ['completion', 'tools'] },
  { name: 'qwen3:8b', family: 'qwen3', context: 40_960, capabilities: ['completion', 'tools', 'thinking'] },
  { name: 'gemma3:4b', family: 'gemma3', context: 131_072, capabilities: ['completion', 'vision'] },
  { name: 'nomic-embed-text:latest', family: 'nomic-bert', context: 2048, capabilities: ['embedding'] },
];

/** A model by its name, with or without `:latest`; any name but one that says of itself that there is none is a chat model. */
export function modelNamed(name: string): TwinModel {
  if (/^(?:no-such|unknown|missing)-/.test(name)) throw refuseAsOllama(404, { message: `model '${name}' not found` });
  const installed = INSTALLED.find((model) => model.name === name || model.name === `${name}:latest`);
  if (installed !== undefined) return installed;
  if (/embed/.test(name)) return { name, family: 'bert', context: 2048, capabilities: ['embedding'] };
  return { name, family: 'llama', context: 131_072, capabilities: ['completion', 'tools', 'vision'] };
}

function detailsOf({ family }: TwinModel): object {
  return {
    parent_model: '',
    format: 'gguf',
    family,
    families: [family],
    parameter_size: '3.2B',
    quantization_level: 'Q4_K_M',
  };
}

function listed(model: TwinModel): object {
  const { name, capabilities } = model;
  const digest = Buffer.from(name.padEnd(32, '-')).toString('hex').slice(0, 64);
  return {
    name,
    model: name,
    modified_at: MODIFIED,
    size: 2_019_393_189,
    digest,
    details: detailsOf(model),
    capabilities,
  };
}

function show(exchange: Exchange): void {
  const body = exchange.json(complainAsOllama);
  const name = body.optionalString('model') ?? body.optionalString('name') ?? '';
  if (name === '') throw refuseAsOllama(400, { message: 'model is required' });
  const model = modelNamed(name);
  exchange.reply(200, {
    license: 'A licence.',
    modelfile: `FROM ${name}`,
    template: '{{ .Prompt }}',
    details: detailsOf(model),
    model_info: {
      'general.architecture': model.family,
      'general.parameter_count': 3_212_749_888,
      [`${model.family}.context_length`]: model.context,
      [`${model.family}.embedding_length`]: 768,
    },
    capabilities: model.capabilities,
    modified_at: MODIFIED,
  });
}

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    operation: 'other',
    handle: (exchange) => exchange.reply(200, 'Ollama is running', { 'content-type': 'text/plain; charset=utf-8' }),
  },
  {
    method: 'GET',
    path: '/api/version',
    operation: 'other',
    handle: (exchange) => exchange.reply(200, { version: VERSION }),
  },
  {
    method: 'GET',
    path: '/api/tags',
    operation: 'models',
    handle: (exchange) => exchange.reply(200, { models: INSTALLED.map(listed) }),
  },
  { method: 'POST', path: '/api/show', operation: 'models', handle: show },
  {
    method: 'GET',
    path: '/api/ps',
    operation: 'models',
    handle: (exchange) =>
      exchange.reply(200, {
        models: INSTALLED.slice(0, 1).map((model) => ({
          ...listed(model),
          expires_at: '2318-12-31T00:00:00Z',
          size_vram: 2_019_393_189,
          context_length: USUAL_CONTEXT,
        })),
      }),
  },
];
