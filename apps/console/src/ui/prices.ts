/** Prices of models as people read them: an amount and what it is for. Pure. */
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatUsd } from './format.ts';

type Price = Readonly<Record<string, unknown>>;

/** One price: `$1.25` and `per million tokens`. */
export interface PriceLine {
  readonly usd: number;
  readonly unit: string;
}

/** What each member of a price is for. */
const UNITS = {
  input: 'per million input tokens',
  cached_input: 'per million cached input tokens',
  cache_write: 'per million tokens written to the cache',
  cache_write_1h: 'per million tokens written to the cache for an hour',
  cache_storage: 'per million cached tokens and hour',
  output: 'per million output tokens',
  reasoning: 'per million reasoning tokens',
  output_tokens: 'per million output tokens',
  input_audio: 'per million audio input tokens',
  cached_input_audio: 'per million cached audio input tokens',
  output_audio: 'per million audio output tokens',
  input_image: 'per million image input tokens',
  cached_input_image: 'per million cached image input tokens',
  output_image: 'per million image output tokens',
  character: 'per million characters',
  image: 'per image',
  second: 'per second',
  video: 'per video',
  web_search: 'per web search',
  search_unit: 'per search',
  call: 'per call',
  unit: 'per unit',
} as const satisfies Readonly<Record<string, Text>>;
/** In tables, where the column says which tokens they are. */
const BY_THE_MILLION: Text = 'per 1M tokens';

/** What a caller pays for what goes in, and for what comes out: the first of them that the model has. */
const IN = ['input', 'input_audio', 'search_unit'] as const;
const OUT = ['output', 'output_tokens', 'output_audio', 'image', 'second', 'video', 'character'] as const;

function firstOf(price: Price | undefined, names: readonly (keyof typeof UNITS)[]): PriceLine | undefined {
  for (const name of names) {
    const usd = price?.[name];
    if (typeof usd !== 'number') continue;
    const unit: Text = UNITS[name];
    return { usd, unit: t(unit.endsWith('tokens') ? BY_THE_MILLION : unit) };
  }
  return undefined;
}

export const inputPrice = (price: Price | undefined): PriceLine | undefined => firstOf(price, IN);
export const outputPrice = (price: Price | undefined): PriceLine | undefined => firstOf(price, OUT);

/** What a price of this name is for: `per million input tokens`. */
export function unitWords(name: string): string {
  const unit: Text | undefined = (UNITS as Readonly<Record<string, Text>>)[name];
  return unit === undefined ? name : t(unit);
}

/** Every price of a model in words, and what multiplies them. */
export function priceWords(price: Price | undefined): readonly string[] {
  return Object.entries(price ?? {}).flatMap(([name, value]) => {
    if (typeof value === 'number') return [numberWords(name, value)];
    return typeof value === 'object' && value !== null ? factorWords(name, value as Price) : [];
  });
}

function numberWords(name: string, value: number): string {
  if (name === 'batch') return t('In batches: × {factor}', { factor: value });
  if (name === 'audio_factor') return t('With sound: × {factor}', { factor: value });
  return `${formatUsd(value)} ${unitWords(name)}`;
}

/** `service_tier priority: × 2`, `1080p: × 1.6`; of long contexts where they begin. */
function factorWords(name: string, factors: Price): readonly string[] {
  if (name === 'long_context')
    return [
      t('Above {tokens} input tokens: input × {input}, output × {output}', {
        tokens: formatNumber(Number(factors['above'])),
        input: Number(factors['input']),
        output: Number(factors['output']),
      }),
    ];
  return Object.entries(factors).flatMap(([value, factor]) => {
    if (typeof factor === 'number') return [`${value}: × ${factor}`];
    if (typeof factor !== 'object' || factor === null) return [];
    return Object.entries(factor).map(([inner, each]) => `${value} ${inner}: × ${String(each)}`);
  });
}
