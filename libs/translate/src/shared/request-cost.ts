/** What a request may be billed for, read from its body before anybody is asked. Forgiving: what is wrong in it is the vendor's to refuse. */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { isEndless, outputWords } from './output-words.ts';

/** No vendor gives as many, and money stays a safe integer. */
const MOST_ANSWERS = 1_000_000;

/** A field whose value changes prices, or may. */
export interface PriceOption {
  /** Its name in a row's `price.factors`. */
  readonly name: 'service_tier' | 'speed' | 'inference_geo' | 'anthropic-beta';
  readonly value: string;
  /** The caller's own name and place for it. */
  readonly field: string;
  /** A member of a comma-separated header; without a price of its own in a row it changes none. */
  readonly header?: string;
}

export interface RequestCost {
  /**
   * The first place where the body refers to something that it does not hold (state, files, addresses, tools that the vendor runs), or
   * holds something whose tokens its bytes do not tell (documents, films): its input may be as long as the model's context.
   */
  readonly outside: string | undefined;
  /** Tools that the vendor runs: it may read the whole context again after each. */
  readonly runsTools: boolean;
  /** Searches that the vendor may bill at most: 0 without a search tool, Infinity where the body does not say. */
  readonly searches: number;
  /** Searches to bill where the vendor's report cannot tell how many there were. */
  readonly uncountedSearches: number;
  /** Tools or a form of the answer, which vendors explain to their models in words of their own. */
  readonly explained: boolean;
  readonly images: number;
  /** Characters of base64 that are sound. */
  readonly audioCharacters: number;
  /** Characters of the body that are media, not text. */
  readonly mediaCharacters: number;
  /** The largest of the body's caps on the tokens of one answer; undefined: the model's. */
  readonly cap: number | undefined;
  /** Tokens that may be billed beyond the cap: thinking budgets, predictions. */
  readonly beyondCap: number;
  /** How many answers it asks for. */
  readonly answers: number;
  readonly mayAnswerAudio: boolean;
  readonly mayAnswerImages: boolean;
  /** Something is to be kept in the vendor's cache for an hour. */
  readonly cachesForAnHour: boolean;
  /** Tokens that the model may read, where the request asks for more than the model usually does. */
  readonly context?: number;
  readonly options: readonly PriceOption[];
}

/** A request that would be answered before it can be billed, and why it is refused. */
export interface Unbillable {
  /** The caller's own name for the field. */
  readonly field: string;
  /** The rest of the sentence that begins with the field. */
  readonly reason: string;
}

/** Collects the cost of one body. */
export interface CostReading {
  outside: string | undefined;
  runsTools: boolean;
  searches: number;
  uncountedSearches: number;
  explained: boolean;
  images: number;
  audioCharacters: number;
  mediaCharacters: number;
  beyondCap: number;
  mayAnswerAudio: boolean;
  mayAnswerImages: boolean;
  cachesForAnHour: boolean;
  context?: number;
  readonly options: PriceOption[];
}

/** A reading of which nothing is known yet. */
export function newReading(): CostReading {
  return {
    outside: undefined,
    runsTools: false,
    searches: 0,
    uncountedSearches: 0,
    explained: false,
    images: 0,
    audioCharacters: 0,
    mediaCharacters: 0,
    beyondCap: 0,
    mayAnswerAudio: false,
    mayAnswerImages: false,
    cachesForAnHour: false,
    options: [],
  };
}

/**
 * The finished reading. `caps` are all spellings of the cap; the largest counts, because a vendor may know that one alone, and so do words
 * of `body` that the dialect does not have: they never lower what is set aside.
 */
export function costOf(
  reading: CostReading,
  body: JsonObject,
  caps: readonly (Json | undefined)[],
  answers: Json | undefined = 1,
): RequestCost {
  const cap = Math.ceil(largestOf(caps));
  const words = outputWords(body);
  const most = Math.max(cap, Math.ceil(words.tokens));
  return {
    ...reading,
    cap: cap > 0 && most !== Infinity && !isEndless(caps) ? most : undefined,
    answers: Math.min(MOST_ANSWERS, Math.max(1, Math.ceil(amountOf(answers)), Math.ceil(words.answers))),
  };
}

/** The largest number among values; 0 where there is none. */
export function largestOf(values: readonly (Json | undefined)[]): number {
  let most = 0;
  for (const value of values) if (value !== undefined) most = Math.max(most, amountOf(value));
  return most;
}

/** Notes that the body refers outside itself; the first place is kept. */
export function refersOutside(reading: CostReading, field: string): void {
  reading.outside ??= field;
}

/** Whether a field says anything. */
export function isGiven(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}

/** Notes those of the fields that are given as references to something outside. */
export function readReferences(reading: CostReading, body: JsonObject, names: readonly string[], place = ''): void {
  for (const name of names) {
    const value = body[name];
    if (value !== undefined && isGiven(value)) refersOutside(reading, place === '' ? name : `${place}.${name}`);
  }
}

/** A picture by address or as a data URL, at any size. */
export function readImage(reading: CostReading, url: Json | undefined, place: string): void {
  reading.images++;
  if (isDataUrl(url)) reading.mediaCharacters += url.length;
  // Some vendors take documents and films where a picture is meant.
  if (!isDataUrl(url) || !/^data:image\//i.test(url.slice(0, 11))) refersOutside(reading, place);
}

/** Sound in base64. */
export function readAudio(reading: CostReading, data: Json | undefined, place: string): void {
  if (typeof data !== 'string' || /^[a-z][a-z0-9+.-]*:\/\//i.test(data.slice(0, 40))) {
    refersOutside(reading, place);
    return;
  }
  reading.audioCharacters += data.length;
  reading.mediaCharacters += data.length;
}

/** A document or film in base64: a few bytes can be a thousand pages. */
export function readUntold(reading: CostReading, data: Json | undefined, place: string): void {
  if (typeof data === 'string') reading.mediaCharacters += data.length;
  refersOutside(reading, place);
}

/** A thinking budget that a vendor may count beside the cap. */
export function readBudget(reading: CostReading, budget: Json | undefined): void {
  reading.beyondCap += Math.max(0, Math.ceil(amountOf(budget)));
}

/** A number, or a text that lenient vendors read as one; 0 for anything else. */
export function amountOf(value: Json | undefined): number {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) ? amount : 0;
}

/** Words that cost what a request without the field costs. */
const PLAIN = new Set(['auto', 'default', 'standard', 'standard_only', 'unspecified', 'service_tier_unspecified']);
const PLAIN_GEOS = new Set(['global', 'not_available', 'default']);

/** Notes a field that changes prices, unless its value is the usual one. */
export function readOption(
  reading: CostReading,
  name: PriceOption['name'],
  value: Json | undefined,
  field: string = name,
): void {
  if (value === undefined || value === null || value === '') return;
  const word = typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value).slice(0, 100);
  if ((name === 'inference_geo' ? PLAIN_GEOS : PLAIN).has(word)) return;
  reading.options.push({ name, value: word, field });
}

/** Whether somewhere in the lists and blocks of a body something is marked to be cached for an hour or more. */
export function isHourMark(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { ttl } = value;
  return typeof ttl === 'string' && !/^(?:[1-5]?\d)m$|^\d+s$/.test(ttl);
}

/** The objects of a list; one alone is a list of itself. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? [value] : [];
}

function isDataUrl(url: Json | undefined): url is string {
  return typeof url === 'string' && /^data:/i.test(url.slice(0, 5));
}

/** Usage with the searches that its answer tells of; undefined stays undefined. */
export function withSearches(usage: Usage | undefined, webSearches: number | undefined): Usage | undefined {
  return usage === undefined || webSearches === undefined || webSearches === 0 ? usage : { ...usage, webSearches };
}
