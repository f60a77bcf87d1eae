/** What a chat request may cost at most, what it costs for certain, and what of a vendor's report is believed. */
import { type DialectName, type Usage } from '@model-gateway/contracts';
import { dialects, type BodyBytes, type RequestCost, type PriceOption } from '@model-gateway/translate';
import type { ModelRow, Price } from '../../catalogue.ts';
import { hourPriceOf } from '../../money/price.ts';
import type { ReportBound } from '../../paid/payment.ts';
import { perObject } from '../../per-object.ts';

/** No tokenizer makes more tokens of a text than it has bytes in UTF-8; JSON has at least as many. */
const MOST_TOKENS_PER_BYTE = 1;
/** Sound of the lowest rates that vendors take: 6 kbit/s, and 32 tokens a second. */
const AUDIO_CHARACTERS_PER_TOKEN = 16;
/** What vendors write around a conversation. */
const FRAME_TOKENS = 64;
/** How they explain tools and forms of answers to the model, beside the schemas. */
const EXPLANATION_TOKENS = 1_024;
/** What surely is text rather than JSON or media, and its tokens at the least. */
const SURE_TEXT_BYTES = 100_000;
const MOST_BYTES_PER_TOKEN = 6;
/** Text averages four bytes a token; three leaves room. */
const USUAL_BYTES_PER_TOKEN = 3;

/** A chat body as it came, and what it says. */
export type ChatBody = BodyBytes;

/** What is set aside for a request; the same is told by an estimate. */
export function largestUsage(row: Pick<ModelRow, 'limits' | 'price'>, cost: RequestCost, bytes: number): Usage {
  if (cost.outside !== undefined) return worstUsage(row, cost);
  const most = mostOf(row, cost);
  return {
    ...inputUsage(row.price, inputTokens(row, cost, bytes), cost.cachesForAnHour),
    ...outputUsage(row.price, outputTokens(most, cost) * cost.answers, {
      audio: cost.mayAnswerAudio,
      images: cost.mayAnswerImages,
    }),
    ...searchUsage(row.price, Math.min(cost.searches, most.webSearches)),
  };
}

/** Within the model's context; the dearest first, should there be more than fits. */
function inputTokens(row: Pick<ModelRow, 'limits'>, cost: RequestCost, bytes: number) {
  const most = mostOf(row, cost);
  let room = most.context;
  const take = (tokens: number): number => {
    const taken = Math.min(room, tokens);
    room -= taken;
    return taken;
  };
  const audio = take(Math.ceil(cost.audioCharacters / AUDIO_CHARACTERS_PER_TOKEN));
  const images = take(cost.images * most.imageTokens);
  const frame = FRAME_TOKENS + (cost.explained ? EXPLANATION_TOKENS : 0);
  return { audio, images, text: take(textBytes(cost, bytes) * MOST_TOKENS_PER_BYTE + frame), any: 0 };
}

function outputTokens({ output, reasoning }: ReturnType<typeof mostOfRow>, { cap, beyondCap }: RequestCost): number {
  return cap === undefined ? output : Math.min(output, cap + beyondCap + reasoning);
}

/** The tokens this request costs for certain: a lower guess of its input, and one to say something with. */
export function leastUsage(cost: RequestCost, bytes: number): Usage {
  return {
    inputTokens: Math.ceil(Math.min(textBytes(cost, bytes), SURE_TEXT_BYTES) / MOST_BYTES_PER_TOKEN),
    outputTokens: 1,
  };
}

/** The most tokens that the text of a body can have. */
function textBytes({ mediaCharacters }: RequestCost, bytes: number): number {
  return Math.max(0, bytes - mediaCharacters);
}

/** What an answer is billed by, where the report of its vendor cannot tell how often was searched. */
export function withUncounted(usage: Usage, { uncountedSearches }: RequestCost, price: Price): Usage {
  if (uncountedSearches === 0 || price.web_search === undefined || usage.webSearches !== undefined) return usage;
  return { ...usage, webSearches: uncountedSearches };
}

/** As many tokens as the text of a body surely has not more than, where no vendor counted them: long text is not read for a guess. */
export function inputBound(dialect: DialectName, { bytes, json }: ChatBody): number {
  return Math.ceil(textBytes(dialects[dialect].readCost(json), bytes.length) / USUAL_BYTES_PER_TOKEN);
}

/** Input beyond the usual context costs at most so many times as much (docs/wire/anthropic-messages.md#transport). */
const LONG_CONTEXT_FACTOR = 2;

/** What the prices of tokens are multiplied by for what a request asks for. Nothing is refused: a value without a price costs as much as the dearest that the row has one for. */
export function askedFactor(row: Pick<ModelRow, 'limits' | 'price'>, cost: RequestCost): number {
  const { options } = cost;
  const { price } = row;
  if (options.length === 0 || isFree(price)) return 1;
  let factor = isLongerThanPriced(row, cost) ? LONG_CONTEXT_FACTOR : 1;
  for (const option of options) {
    // A header that no row has a price for is billed by the vendor's report like any request.
    factor *= factorOf(price, option) ?? (option.header === undefined ? unpricedFactor(price, option) : 1);
  }
  return factor;
}

/** Whether a request wants to be read beyond the context that its row knows, which has no price there. */
function isLongerThanPriced(
  { limits, price }: Pick<ModelRow, 'limits' | 'price'>,
  { context = 0 }: RequestCost,
): boolean {
  if (context <= mostOfRow({ limits }).context || price.long_context !== undefined) return false;
  return !Object.keys(price.factors?.['anthropic-beta'] ?? {}).some((beta) => beta.startsWith('context-'));
}

/** Nothing times anything is nothing. */
function isFree(price: Price): boolean {
  return Object.values(price).every((each) => typeof each !== 'number' || each === 0);
}

function factorOf({ factors }: Price, { name, value }: PriceOption): number | undefined {
  const known = factors?.[name];
  return known !== undefined && Object.hasOwn(known, value) ? known[value] : undefined;
}

/** What vendors publish of values, for rows that have no factors (docs/guides/money.md#what-changes-the-price); what is cheaper than usual is not believed. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  service_tier: { priority: 2, fast: 2 },
  speed: { fast: 6 },
  inference_geo: { us: 1.1 },
};

/** The dearest factor of the row, which a value of tomorrow may have; of a row without any what is published. */
function unpricedFactor({ factors }: Price, { name, value }: PriceOption): number {
  const known = factors?.[name];
  if (known !== undefined) return Math.max(1, ...Object.values(known));
  const published = PUBLISHED[name] ?? {};
  return Object.hasOwn(published, value) ? (published[value] ?? 1) : 1;
}

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
  return mostOfLimits(limits);
}

/** The same for a request: it may ask for a longer context. */
function mostOf(row: Pick<ModelRow, 'limits'>, { context = 0 }: Pick<RequestCost, 'context'>): RowMost {
  const most = mostOfRow(row);
  return context <= most.context ? most : { ...most, context };
}

const mostOfLimits = perObject((limits: ModelRow['limits']): RowMost => {
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
  const most = mostOf(row, cost);
  const input = most.context * (cost.runsTools ? most.toolRounds : 1);
  return {
    ...inputUsage(price, { text: 0, images: 0, audio: 0, any: input }, cost.cachesForAnHour),
    ...outputUsage(price, most.output * cost.answers, { audio: true, images: true }),
    ...searchUsage(price, Math.min(cost.searches, most.webSearches)),
  };
}

/**
 * What a vendor may report of a request of this cost, however little its body shows: all that the row reads and writes. Its vendor bills
 * by the same report, and may have read a prompt of its own or searched unasked.
 */
export function chatReportBound(row: Pick<ModelRow, 'limits' | 'price'>, cost: RequestCost): ReportBound {
  // Some models search without being asked to.
  const { webSearches } = mostOf(row, cost);
  const worst = worstUsage(row, cost);
  const { inputTokens = 0, outputTokens = 0 } = worst;
  return { believed: { ...worst, webSearches }, instead: { inputTokens, outputTokens, webSearches } };
}

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
