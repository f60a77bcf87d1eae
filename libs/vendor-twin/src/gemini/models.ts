import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { refuseUnknownModel } from './errors.ts';

export const modelRoutes: readonly Route[] = [
  { method: 'GET', path: /^\/v1(?:beta)?\/models$/, operation: 'models', handle: list },
  { method: 'GET', path: /^\/v1(?:beta)?\/models\/(?<model>[^/:]+)$/, operation: 'models', handle: one },
];

function entry(model: string): Record<string, unknown> {
  return {
    name: `models/${model}`,
    version: '001',
    displayName: model.replaceAll('-', ' '),
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    temperature: 1,
    maxTemperature: 2,
    topP: 0.95,
    topK: 64,
    thinking: abilitiesOf(model).thinks !== 'never',
  };
}

function list(exchange: Exchange): void {
  const size = Number(exchange.query.get('pageSize') ?? 50);
  const start = Number(exchange.query.get('pageToken') ?? 0);
  const page = GEMINI_MODELS.slice(start, start + size);
  const more = start + size < GEMINI_MODELS.length;
  exchange.reply(200, { models: page.map(entry), ...(more && { nextPageToken: String(start + size) }) });
}

function one(exchange: Exchange): void {
  const model = exchange.params['model'] ?? '';
  refuseUnknownModel(model);
  exchange.reply(200, entry(model));
}

/** What a Gemini model can do, told from its name. */
export interface GeminiAbilities {
  /** Gemini 3 and later: signatures are enforced, calls have ids, thinking has levels. */
  readonly signs: boolean;
  readonly thinks: 'always' | 'unless-budget-0' | 'never';
  readonly minimalLevel: boolean;
  readonly draws: boolean;
  readonly speaks: boolean;
}

export function abilitiesOf(model: string): GeminiAbilities {
  const version = Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? '3');
  const draws = model.includes('image') || model.includes('banana');
  const speaks = model.includes('tts');
  const signs = version >= 3;
  const thinks =
    speaks || version < 2.5 || (draws && version < 3)
      ? 'never'
      : version >= 3 || model.includes('pro')
        ? 'always'
        : 'unless-budget-0';
  return { signs, thinks, minimalLevel: signs && !(model.includes('flash') && version >= 3.7), draws, speaks };
}

export const GEMINI_MODELS = [
  'gemini-3-pro',
  'gemini-3.5-flash',
  'gemini-3-pro-image',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-preview-tts',
];
