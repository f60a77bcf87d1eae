import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { refuseUnknownModel } from './errors.ts';
import { abilitiesOf, GEMINI_MODELS } from './models-table.ts';

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
