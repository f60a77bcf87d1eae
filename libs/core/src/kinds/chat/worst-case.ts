/** The most that a row's vendor may bill for one request, by the limits of the row or by stated ones. */
import type { Usage } from '@model-gateway/contracts';
import type { RequestCost } from '@model-gateway/translate';
import type { ModelRow, Price } from '../../catalogue.ts';
import { hourPriceOf } from '../../money/price.ts';

/** For rows that do not say: as much as the largest models take and give. `check-config` warns of them. */
export const UNSTATED_LIMITS = { max_input_tokens: 1_048_576, max_output_tokens: 131_072 } as const;
/** A picture at its finest: 10,000 patches (docs/guides/money.md#what-a-request-may-cost). */
const USUAL_IMAGE_TOKENS = 10_000;
const USUAL_WEB_SEARCHES = 30;

/** What a row says a request may take, with what is taken where it says nothing. */
export interface RowMost {
  /** Input that a model can read at once. */
  readonly context: number;
  /** Of one answer, with the reasoning that is billed beyond its cap. */
  readonly output: number;
  /** Reasoning that the vendor counts beside a request's cap. */
  readonly reasoning: number;
  readonly imageTokens: number;
  readonly webSearches: number;
  /** How often the context is billed where the vendor runs tools. */
  readonly toolRounds: number;
}

export function mostOfRow({ limits }: Pick<ModelRow, 'limits'>): RowMost {
  const limit = (name: string, usual: number): number => {
    const given = limits[name];
    return typeof given === 'number' && given >= 0 ? given : usual;
  };
  const reasoning = limit('max_reasoning_tokens', 0);
  return {
    context: limit('max_input_tokens', UNSTATED_LIMITS.max_input_tokens),
    output: limit('max_output_tokens', UNSTATED_LIMITS.max_output_tokens) + reasoning,
    reasoning,
    imageTokens: limit('max_image_tokens', USUAL_IMAGE_TOKENS),
    webSearches: limit('max_web_searches', USUAL_WEB_SEARCHES),
    toolRounds: Math.max(1, limit('max_tool_rounds', 1)),
  };
}

/** The most a request may be billed for whose body does not say how much it makes the vendor read and write. */
export function worstUsage({ price, ...row }: Pick<ModelRow, 'limits' | 'price'>, cost: RequestCost): Usage {
  const most = mostOfRow(row);
  const input = most.context * (cost.runsTools ? most.toolRounds : 1);
  return {
    ...inputUsage(price, { text: 0, images: 0, audio: 0, any: input }, cost.cachesForAnHour),
    ...outputUsage(price, most.output * cost.answers, { audio: true, images: true }),
    ...searchUsage(price, Math.min(cost.searches, most.webSearches)),
  };
}

/** The most that a vendor's report on a request of this cost is billed for: counts alone, whatever they are of. */
export function reportableUsage(row: Pick<ModelRow, 'limits'>, cost: RequestCost): ReportableUsage {
  const most = mostOfRow(row);
  return {
    inputTokens: most.context * (cost.runsTools ? most.toolRounds : 1),
    outputTokens: most.output * cost.answers,
    // Some models search without being asked to.
    webSearches: most.webSearches,
  };
}
export type ReportableUsage = Readonly<Record<'inputTokens' | 'outputTokens' | 'webSearches', number>>;

/** Tokens by what they may be. */
export interface InputTokens {
  readonly text: number;
  readonly images: number;
  readonly audio: number;
  /** Of any kind. */
  readonly any: number;
}

type InputItem =
  | 'inputTokens'
  | 'cachedInputTokens'
  | 'cacheWriteTokens'
  | 'cacheWriteLongTokens'
  | 'inputAudioTokens'
  | 'inputImageTokens';
type OutputItem = 'outputTokens' | 'reasoningTokens' | 'outputAudioTokens' | 'outputImageTokens';

/** The usage whose bill no other usage of these tokens exceeds: each is counted as the dearest that it may turn out to be. */
export function inputUsage(price: Price, tokens: InputTokens, forAnHour: boolean): Usage {
  const text: [InputItem, number | undefined][] = [
    ['inputTokens', price.input],
    ['cachedInputTokens', price.cached_input],
    ['cacheWriteTokens', price.cache_write],
    ...(forAnHour ? [['cacheWriteLongTokens', hourPriceOf(price)] as [InputItem, number | undefined]] : []),
  ];
  const image: [InputItem, number | undefined] = ['inputImageTokens', price.input_image];
  const audio: [InputItem, number | undefined] = ['inputAudioTokens', price.input_audio];
  const usage: Record<InputItem, number> = {
    inputTokens: tokens.text + tokens.images + tokens.audio + tokens.any,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    cacheWriteLongTokens: 0,
    inputAudioTokens: 0,
    inputImageTokens: 0,
  };
  const count = (item: InputItem, amount: number): void => {
    if (item === 'inputTokens') return;
    usage[item] += amount;
    // What is kept for an hour is part of what is written.
    if (item === 'cacheWriteLongTokens') usage.cacheWriteTokens += amount;
  };
  count(dearest(text), tokens.text);
  count(dearest([...text, image]), tokens.images);
  count(dearest([...text, audio]), tokens.audio);
  count(dearest([...text, image, audio]), tokens.any);
  return withoutZeros(usage);
}

/** As `inputUsage`, for what may be answered. */
export function outputUsage(
  price: Price,
  tokens: number,
  may: { readonly audio: boolean; readonly images: boolean },
): Usage {
  const item = dearest<OutputItem>([
    ['outputTokens', price.output ?? price.output_tokens],
    ['reasoningTokens', price.reasoning],
    ...(may.audio ? [['outputAudioTokens', price.output_audio] as [OutputItem, number | undefined]] : []),
    ...(may.images ? [['outputImageTokens', price.output_image] as [OutputItem, number | undefined]] : []),
  ]);
  return { outputTokens: tokens, ...(item !== 'outputTokens' && { [item]: tokens }) };
}

export function searchUsage(price: Price, searches: number): Usage {
  return price.web_search === undefined || searches === 0 ? {} : { webSearches: searches };
}

/** The first of those that cost most. */
function dearest<Item extends string>(prices: readonly (readonly [Item, number | undefined])[]): Item {
  let [found, most] = prices[0] as readonly [Item, number | undefined];
  for (const [item, price] of prices) {
    if (price === undefined || price <= (most ?? 0)) continue;
    found = item;
    most = price;
  }
  return found;
}

function withoutZeros({ inputTokens, ...parts }: Record<InputItem, number>): Usage {
  return { inputTokens, ...Object.fromEntries(Object.entries(parts).filter(([, count]) => count > 0)) };
}
