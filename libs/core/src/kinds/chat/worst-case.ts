/** The most that a row's vendor may bill for one request, by the limits of the row or by stated ones. */
import type { Usage } from '@model-gateway/contracts';
import type { RequestCost } from '@model-gateway/translate';
import type { ModelRow, Price } from '../../catalogue.ts';
import { hourPriceOf } from '../../money/price.ts';
import { perObject } from '../../per-object.ts';

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
  return mostOf(limits);
}

const mostOf = perObject((limits: ModelRow['limits']): RowMost => {
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
});

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

/** What tokens are counted as, by what they are: the dearest that they may turn out to be. */
interface DearestItems {
  readonly text: InputItem;
  readonly images: InputItem;
  readonly audio: InputItem;
  readonly any: InputItem;
}
interface PriceOrder {
  readonly input: DearestItems;
  /** Where something is kept in the vendor's cache for an hour. */
  readonly inputForAnHour: DearestItems;
  /** By what an answer may hold beside text. */
  readonly output: { readonly [may in 'text' | 'audio' | 'images' | 'both']: OutputItem };
}

type Priced<Item> = readonly [Item, number | undefined];

const orderOf = perObject((price: Price): PriceOrder => {
  const usual: readonly Priced<InputItem>[] = [
    ['inputTokens', price.input],
    ['cachedInputTokens', price.cached_input],
    ['cacheWriteTokens', price.cache_write],
  ];
  const said: readonly Priced<OutputItem>[] = [
    ['outputTokens', price.output ?? price.output_tokens],
    ['reasoningTokens', price.reasoning],
  ];
  const image: Priced<InputItem> = ['inputImageTokens', price.input_image];
  const audio: Priced<InputItem> = ['inputAudioTokens', price.input_audio];
  const heard: Priced<OutputItem> = ['outputAudioTokens', price.output_audio];
  const drawn: Priced<OutputItem> = ['outputImageTokens', price.output_image];
  const inputItems = (text: readonly Priced<InputItem>[]): DearestItems => ({
    text: dearest(text),
    images: dearest([...text, image]),
    audio: dearest([...text, audio]),
    any: dearest([...text, image, audio]),
  });
  return {
    input: inputItems(usual),
    inputForAnHour: inputItems([...usual, ['cacheWriteLongTokens', hourPriceOf(price)]]),
    output: {
      text: dearest(said),
      audio: dearest([...said, heard]),
      images: dearest([...said, drawn]),
      both: dearest([...said, heard, drawn]),
    },
  };
});

type Counts = { -readonly [Name in keyof Usage]: Usage[Name] };

/** The usage whose bill no other usage of these tokens exceeds: each is counted as the dearest that it may turn out to be. */
export function inputUsage(price: Price, tokens: InputTokens, forAnHour: boolean): Usage {
  const order = orderOf(price);
  const items = forAnHour ? order.inputForAnHour : order.input;
  const usage: Counts = { inputTokens: tokens.text + tokens.images + tokens.audio + tokens.any };
  count(usage, items.text, tokens.text);
  count(usage, items.images, tokens.images);
  count(usage, items.audio, tokens.audio);
  count(usage, items.any, tokens.any);
  return usage;
}

function count(usage: Counts, item: InputItem, amount: number): void {
  if (item === 'inputTokens' || amount <= 0) return;
  usage[item] = (usage[item] ?? 0) + amount;
  // What is kept for an hour is part of what is written.
  if (item === 'cacheWriteLongTokens') usage.cacheWriteTokens = (usage.cacheWriteTokens ?? 0) + amount;
}

/** As `inputUsage`, for what may be answered. */
export function outputUsage(
  price: Price,
  tokens: number,
  may: { readonly audio: boolean; readonly images: boolean },
): Usage {
  const { output } = orderOf(price);
  const item = may.audio ? (may.images ? output.both : output.audio) : may.images ? output.images : output.text;
  return item === 'outputTokens' ? { outputTokens: tokens } : { outputTokens: tokens, [item]: tokens };
}

export function searchUsage(price: Price, searches: number): Usage {
  return price.web_search === undefined || searches === 0 ? {} : { webSearches: searches };
}

/** The first of those that cost most. */
function dearest<Item extends string>(prices: readonly Priced<Item>[]): Item {
  let [found, most] = prices[0] as Priced<Item>;
  for (const [item, price] of prices) {
    if (price === undefined || price <= (most ?? 0)) continue;
    found = item;
    most = price;
  }
  return found;
}
