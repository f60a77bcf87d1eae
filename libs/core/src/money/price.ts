/** Usage × price → integer quota units, line by line, so that a bill can be recomputed from its entry alone. */
import { UNITS_PER_DOLLAR, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Price } from '../catalogue.ts';
import { perObject } from '../per-object.ts';

/** Prices are read with this many digits behind the point. */
const PRICE_SCALE = 1_000_000;
const FACTOR_SCALE = 1_000_000;
/** Anthropic's own ratio. */
const HOUR_FACTOR = 2;

export interface BillLine {
  /** `input`, `cached_input`, `output`, `video`, … */
  readonly item: string;
  readonly quantity: number;
  /** US dollars per `per` of the item. */
  readonly price: number;
  readonly per: number;
  /** Factor of resolution, audio or the like; 1 = none. */
  readonly factor: number;
}
export interface Bill {
  /** Whole units, rounded half up once, over all lines and the group's factor. */
  readonly units: number;
  readonly lines: readonly BillLine[];
  readonly groupFactor: number;
}

export interface BillFactors {
  readonly group: number;
  /** The asked resolution or size class, lower case. */
  readonly resolution?: string;
  readonly audio?: boolean;
  /** Of what the request asked for that changes the prices of tokens (`Price.factors`); 1 when absent. */
  readonly asked?: number;
  /** Of what was sent in the vendor's own batch (`Price.batch`); 1 when absent. */
  readonly batch?: number;
}

const MILLION = 1_000_000;
/** Tokens times scaled dollars per million, for one unit. */
const SUM_PER_UNIT = (MILLION * PRICE_SCALE) / UNITS_PER_DOLLAR;
const LARGEST_PLAIN_SUM = Number.MAX_SAFE_INTEGER - SUM_PER_UNIT;

/** The bill of one answer. Cached, cache-written and reasoning tokens are priced once: taken out of input and output first. */
export function billOf(usage: Usage, price: Price, factors: BillFactors): Bill {
  return totalOf(linesOf(usage, price, factors), factors.group);
}

/** Recomputes the total of lines that an entry kept. */
export function totalOf(lines: readonly BillLine[], groupFactor: number): Bill {
  return { units: plainTotal(lines, groupFactor) ?? exactTotal(lines, groupFactor), lines, groupFactor };
}

/** The usual bill, whole tokens by the million without factors, as long as doubles hold it exactly. */
function plainTotal(lines: readonly BillLine[], groupFactor: number): number | undefined {
  if (groupFactor !== 1) return undefined;
  let sum = 0;
  for (const { quantity, price, per, factor } of lines) {
    if (per !== MILLION || factor !== 1 || !Number.isInteger(quantity)) return undefined;
    sum += quantity * Math.round(price * PRICE_SCALE);
  }
  if (sum > LARGEST_PLAIN_SUM) return undefined;
  return Math.floor((sum + SUM_PER_UNIT / 2) / SUM_PER_UNIT);
}

function exactTotal(lines: readonly BillLine[], groupFactor: number): number {
  let numerator = 0n;
  for (const line of lines) {
    const price = BigInt(Math.round(line.price * PRICE_SCALE)) * BigInt(Math.round(line.factor * FACTOR_SCALE));
    // per is 1 or a million: bring every line to "per million".
    numerator += quantityOf(line.quantity) * price * BigInt(MILLION / line.per);
  }
  numerator *= BigInt(Math.round(groupFactor * FACTOR_SCALE)) * BigInt(UNITS_PER_DOLLAR);
  const denominator =
    BigInt(QUANTITY_SCALE) * BigInt(PRICE_SCALE) * BigInt(FACTOR_SCALE) * BigInt(FACTOR_SCALE) * BigInt(MILLION);
  return Number((numerator * 2n + denominator) / (denominator * 2n));
}

/** Seconds may be fractions. */
const QUANTITY_SCALE = 1000;
function quantityOf(quantity: number): bigint {
  return BigInt(Math.round(quantity * QUANTITY_SCALE));
}

/** The prices by which a count is billed; the other counts are parts of these. */
const PRICES_OF: Readonly<Partial<Record<keyof Usage, readonly (keyof Price)[]>>> = {
  inputTokens: [
    ...(['input', 'cached_input', 'cached_input_audio', 'cached_input_image'] as const),
    ...(['cache_write', 'cache_write_1h', 'input_audio', 'input_image'] as const),
  ],
  cacheTokenHours: ['cache_storage'],
  outputTokens: ['output', 'output_tokens', 'reasoning', 'output_audio', 'output_image'],
  images: ['image'],
  seconds: ['second'],
  videos: ['video'],
  characters: ['character'],
  webSearches: ['web_search'],
  searchUnits: ['search_unit'],
  calls: ['call'],
  units: ['unit'],
};

/** Whether a larger count of this makes a larger bill. */
export function isBilledBy(price: Price, name: keyof Usage): boolean {
  return PRICES_OF[name]?.some((item) => price[item] !== undefined) ?? false;
}

/** By what the price of an item is multiplied. */
type FactorKind = 'input' | 'output' | 'size' | 'film' | 'none';
/** An item that a price knows: its name on bills, its price, and for how many. */
type PricedItem = readonly [item: keyof Quantities, price: number, per: number, factor: FactorKind];

/** The items of a price, in the order of a bill; read once for each row of the catalogue. */
const itemsOf = perObject((price: Price): readonly PricedItem[] => {
  const items: readonly (readonly [keyof Quantities, number | undefined, number, FactorKind])[] = [
    ['input', price.input, MILLION, 'input'],
    ['cached_input', price.cached_input ?? price.input, MILLION, 'input'],
    ['cached_input_audio', price.cached_input_audio, MILLION, 'input'],
    ['cached_input_image', price.cached_input_image, MILLION, 'input'],
    ['cache_write', price.cache_write ?? price.input, MILLION, 'input'],
    ['cache_write_1h', hourPriceOf(price), MILLION, 'input'],
    ['cache_storage', price.cache_storage, MILLION, 'none'],
    ['input_audio', price.input_audio, MILLION, 'input'],
    ['input_image', price.input_image, MILLION, 'input'],
    ['output', price.output ?? price.output_tokens, MILLION, 'output'],
    ['reasoning', price.reasoning, MILLION, 'output'],
    ['output_audio', price.output_audio, MILLION, 'output'],
    ['output_image', price.output_image, MILLION, 'output'],
    ['image', price.image, 1, 'size'],
    ['second', price.second, 1, 'film'],
    ['video', price.video, 1, 'film'],
    ['character', price.character, MILLION, 'none'],
    ['web_search', price.web_search, 1, 'none'],
    ['search_unit', price.search_unit, 1, 'none'],
    ['call', price.call, 1, 'none'],
    ['unit', price.unit, 1, 'none'],
  ];
  return items.filter((item): item is PricedItem => item[1] !== undefined);
});

function linesOf(usage: Usage, price: Price, factors: BillFactors): BillLine[] {
  const { batch = 1, resolution = '' } = factors;
  const asked = (factors.asked ?? 1) * batch;
  const { long_context: long } = price;
  const isLong = long !== undefined && (usage.inputTokens ?? 0) > long.above;
  const size = price.resolution_factors?.[resolution] ?? 1;
  const factorOf: Readonly<Record<FactorKind, number>> = {
    input: isLong ? asked * long.input : asked,
    output: isLong ? asked * long.output : asked,
    size,
    film: factors.audio === true ? size * (price.audio_factor ?? 1) : size,
    none: 1,
  };
  const quantities = quantitiesOf(usage, price);
  const lines: BillLine[] = [];
  for (const [item, unitPrice, per, factor] of itemsOf(price)) {
    const quantity = quantities[item];
    if (quantity > 0) lines.push({ item, quantity, price: unitPrice, per, factor: factorOf[factor] });
  }
  return lines;
}

type Quantities = ReturnType<typeof quantitiesOf>;

/** How much of each item was used. Each token is counted once: as what has a price of its own, else as input or output. */
function quantitiesOf(usage: Usage, price: Price) {
  const input = usage.inputTokens ?? 0;
  const cached = Math.min(input, usage.cachedInputTokens ?? 0);
  const written = Math.min(input - cached, usage.cacheWriteTokens ?? 0);
  const forAnHour = Math.min(written, usage.cacheWriteLongTokens ?? 0);
  const fresh = input - cached - written;
  const { cachedInputAudioTokens = 0, cachedInputImageTokens = 0 } = usage;
  const cachedAudio = price.cached_input_audio === undefined ? 0 : Math.min(cached, cachedInputAudioTokens);
  const cachedImage =
    price.cached_input_image === undefined ? 0 : Math.min(cached - cachedAudio, cachedInputImageTokens);
  // What is cached of them is no fresh sound and no fresh picture.
  const inputAudio =
    price.input_audio === undefined ? 0 : freshOf(usage.inputAudioTokens, cachedInputAudioTokens, fresh);
  const inputImage =
    price.input_image === undefined ? 0 : freshOf(usage.inputImageTokens, cachedInputImageTokens, fresh - inputAudio);
  const output = usage.outputTokens ?? 0;
  const reasoning = price.reasoning === undefined ? 0 : Math.min(output, usage.reasoningTokens ?? 0);
  const outputAudio = price.output_audio === undefined ? 0 : Math.min(output - reasoning, usage.outputAudioTokens ?? 0);
  const outputImage =
    price.output_image === undefined ? 0 : Math.min(output - reasoning - outputAudio, usage.outputImageTokens ?? 0);
  return {
    input: fresh - inputAudio - inputImage,
    cached_input: cached - cachedAudio - cachedImage,
    cached_input_audio: cachedAudio,
    cached_input_image: cachedImage,
    cache_write: written - forAnHour,
    cache_write_1h: forAnHour,
    cache_storage: usage.cacheTokenHours ?? 0,
    input_audio: inputAudio,
    input_image: inputImage,
    output: output - reasoning - outputAudio - outputImage,
    reasoning,
    output_audio: outputAudio,
    output_image: outputImage,
    image: usage.images ?? 0,
    second: usage.seconds ?? 0,
    video: usage.videos ?? 0,
    character: usage.characters ?? 0,
    web_search: usage.webSearches ?? 0,
    search_unit: usage.searchUnits ?? 0,
    call: usage.calls ?? 0,
    unit: usage.units ?? 0,
  };
}

function freshOf(all = 0, cached: number, most: number): number {
  return Math.min(most, Math.max(0, all - cached));
}

/** What a million tokens cost that are kept in the vendor's cache for an hour. */
export function hourPriceOf(price: Price): number | undefined {
  const { input, cache_write: written, cache_write_1h: given } = price;
  if (given !== undefined || written === undefined || input === undefined) return given ?? written ?? input;
  return Math.max(written, HOUR_FACTOR * input);
}

/** A bill in the form an entry keeps (`detail`); `reported` is what the vendor said, where that was more than can be billed. */
export function billDetail(bill: Bill, usage: Usage, reported?: Usage): JsonObject {
  return {
    usage: { ...usage },
    ...(reported !== undefined && { reported: { ...reported } }),
    lines: bill.lines.map((line) => ({ ...line })),
    group_factor: bill.groupFactor,
  };
}

/** US dollars of quota units. */
export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR;
}
