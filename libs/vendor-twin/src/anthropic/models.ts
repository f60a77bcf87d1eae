import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { refuseAsAnthropic } from './errors.ts';

const MODELS = [
  'claude-opus-5',
  'claude-sonnet-5',
  'claude-opus-4-8',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5-20251001',
];

export const modelRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/models', operation: 'models', handle: list },
  { method: 'GET', path: /^\/v1\/models\/(?<model>[^/]+)$/, operation: 'models', handle: one },
];

function entry(id: string): Record<string, unknown> {
  const able = capabilitiesOf(id);
  return {
    type: 'model',
    id,
    display_name: id.replace(/-\d{8}$/, '').replaceAll('-', ' '),
    created_at: '2026-03-01T00:00:00Z',
    max_input_tokens: 200_000,
    max_tokens: able.maxOutput,
    capabilities: {
      thinking: { supported: true, types: { adaptive: { supported: able.adaptive }, enabled: { supported: true } } },
      structured_outputs: { supported: able.structured },
    },
  };
}

function list(exchange: Exchange): void {
  const { query } = exchange;
  const limit = Number(query.get('limit') ?? 20);
  const after = query.get('after_id');
  const start = after === null ? 0 : MODELS.indexOf(after) + 1;
  const page = MODELS.slice(start, start + limit);
  exchange.reply(200, {
    data: page.map(entry),
    has_more: start + limit < MODELS.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  });
}

function one(exchange: Exchange): void {
  const model = exchange.params['model'] ?? '';
  if (!MODELS.includes(model)) throw refuseAsAnthropic(404, { message: `model: ${model}` });
  exchange.reply(200, entry(model));
}

/** What differs between Claude models; unknown names behave like the newest (docs/wire/anthropic-messages.md#model-capabilities). */
export interface Capabilities {
  readonly maxOutput: number;
  readonly structured: boolean;
  readonly adaptive: boolean;
  /** Only temperature 1, top_p 0.99 or more, no top_k. */
  readonly rejectsSampling: boolean;
  /** Temperature and top_p exclude each other. */
  readonly oneSampler: boolean;
  /** May be given the beginning of its own answer. */
  readonly prefill: boolean;
  /** Thinks unless told not to. */
  readonly thinksByDefault: boolean;
  /** Thinking text stays hidden unless asked for. */
  readonly hidesThinking: boolean;
}

const NEWEST: Capabilities = {
  maxOutput: 128_000,
  structured: true,
  adaptive: true,
  rejectsSampling: true,
  oneSampler: true,
  prefill: false,
  thinksByDefault: true,
  hidesThinking: true,
};
const BEFORE_47: Capabilities = {
  ...NEWEST,
  rejectsSampling: false,
  thinksByDefault: false,
  hidesThinking: false,
};
const OLDER: Capabilities = { ...BEFORE_47, maxOutput: 64_000, adaptive: false, prefill: true };

const TABLE: readonly (readonly [RegExp, Capabilities])[] = [
  [/opus-4-8/, { ...NEWEST, thinksByDefault: false }],
  [/opus-4-7/, { ...NEWEST, thinksByDefault: false, hidesThinking: false }],
  [/(sonnet|opus)-4-6/, BEFORE_47],
  [/(sonnet|opus|haiku)-4-5/, OLDER],
  [/opus-4-1/, { ...OLDER, maxOutput: 32_000, structured: false }],
  [/(sonnet|opus)-4-|3-[57]-/, { ...OLDER, structured: false, oneSampler: false }],
];

export function capabilitiesOf(model: string): Capabilities {
  return TABLE.find(([pattern]) => pattern.test(model))?.[1] ?? NEWEST;
}
