/** What a video costs: held before the vendor is asked, taken when it is there. */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import { pixelsOf } from '@model-gateway/provider-kit';
import type { Catalogue, ModelRow } from '../../catalogue.ts';
import { billDetail, billOf, type BillFactors } from '../../money/price.ts';
import { payerOf } from '../../money/payer-states.ts';
import { billReport, makesNoSense, REPORT_TOLERANCE, times, toldOf, type ReportBound } from '../../paid/payment.ts';
import type { Caller } from '../../parts.ts';
import type { Payer } from '../../ports.ts';
import { askedClass, formatOf, membersOf, readVendorWords, type AskedFormat } from './video-class.ts';

const DEFAULT_SECONDS = 5;
const FRAMES_PER_SECOND = 24;
/** Room for what vendors count beyond the formula, in per cent; what is not used is given back. */
const TOKEN_MARGIN = 1.1;

/** What the price of a video depends on. */
export interface VideoAsked extends AskedFormat {
  readonly duration?: number | undefined;
  /** Films to work from. */
  readonly videos?: readonly unknown[];
}

/** What a finished video costs. */
export interface VideoBill {
  readonly charged: number;
  readonly priceVersion: string;
  readonly detail: JsonObject;
  /** What is billed. */
  readonly usage: Usage;
  /** The vendor's report was within what the request could have used. */
  readonly isBelieved: boolean;
}

/** What holds and bills of videos come to. Pure: whoever keeps tasks decides when money moves. */
export interface VideoPrices {
  payer(caller: Caller): Payer;
  /** What to set aside before the vendor is asked, in quota units; `detail` is kept with the hold. */
  quote(row: ModelRow, input: VideoAsked, group: string): { readonly amount: number; readonly detail: JsonObject };
  /** What a finished video costs. `input` is the stored neutral input, by the names of VideoCreate. */
  settle(row: ModelRow, group: string, reported: Usage, input: JsonObject): VideoBill;
}

/** Ties quotes and settlements to the price book in force. */
export function createVideoPrices(catalogue: () => Catalogue): VideoPrices {
  const factorsFor = (row: ModelRow, asked: VideoAsked, group: string): BillFactors => ({
    group: catalogue().groupFactors[group] ?? 1,
    ...videoFactors(row, asked),
  });
  return {
    payer: payerOf,
    quote(row, input, group) {
      const expected = videoUsage(row, input);
      const bill = billOf(expected, row.price, factorsFor(row, input, group));
      const detail = billDetail(bill, expected);
      return {
        amount: bill.units,
        // For usage by endpoint; both views of videos are one.
        detail: { ...detail, price_version: catalogue().priceVersion, endpoint: '/v1/video/generations' },
      };
    },
    settle(row, group, reported, input) {
      const asked = askedOf(input);
      const expected = videoUsage(row, asked);
      const told = toldOf(reported);
      // What the vendor reports wins; what it does not report is what was asked for, of as many as it says it made.
      const made = times(videoUsage(row, { ...asked, extra: undefined }), told.videos ?? 1);
      const used: Usage = {
        videos: 1,
        ...(made.seconds !== undefined && { seconds: made.seconds }),
        ...(told.outputTokens === undefined && { ...made, estimated: true }),
        ...told,
      };
      const terms = { row, quote: { most: expected, bound: () => boundOfVideo(row, asked) } };
      const { usage, bill, isBelieved } = billReport(used, terms, factorsFor(row, asked, group));
      const isDoubted = !isBelieved || makesNoSense(reported);
      const detail = billDetail(bill, usage, isDoubted ? reported : undefined);
      return {
        charged: bill.units,
        priceVersion: catalogue().priceVersion,
        detail,
        usage,
        isBelieved: !isDoubted,
      };
    },
  };
}

/** What prices multiply by: the class of the picture, and whether there is sound. */
export function videoFactors(row: ModelRow, asked: VideoAsked): Omit<BillFactors, 'group'> {
  return formatOf(row, asked);
}

function askedOf(input: JsonObject): VideoAsked {
  const { duration, resolution, size, audio, prompt, videos, extra, elsewhere } = input;
  return {
    duration: typeof duration === 'number' ? duration : undefined,
    resolution: typeof resolution === 'string' ? resolution : undefined,
    size: typeof size === 'string' ? size : undefined,
    audio: typeof audio === 'boolean' ? audio : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
    videos: Array.isArray(videos) ? videos : [],
    extra: isJsonObject(extra) ? extra : undefined,
    vendorWords: readVendorWords(elsewhere),
  };
}

/** What a video uses as it was asked for. */
export function videoUsage(row: ModelRow, asked: VideoAsked): Usage {
  const videos = videosAsked(asked);
  const seconds = videos * Math.max(secondsOf(row, asked.duration), mayAskElsewhere(asked) ? longestSeconds(row) : 0);
  if (row.price.output_tokens === undefined) return { videos, seconds };
  return { videos, seconds, outputTokens: tokensOf(pixelsAsked(row, asked), seconds) };
}

function tokensOf(pixels: number, seconds: number): number {
  return Math.ceil(((pixels * FRAMES_PER_SECOND * seconds) / 1024) * TOKEN_MARGIN);
}

/** What may be reported of a video: of what was asked for a little more, and where nothing was asked for what the model makes of itself. */
export function boundOfVideo(row: ModelRow, asked: VideoAsked): ReportBound {
  const expected = videoUsage(row, asked);
  const { videos = 1, seconds = 0 } = expected;
  const unasked =
    asked.duration === undefined && statedSeconds(row) === undefined ? Math.max(0, UNSTATED_SECONDS - seconds) : 0;
  // Some vendors bill a film to work from with the one they make.
  const films = (asked.videos?.length ?? 0) * longestSeconds(row);
  const longest = seconds + videos * (unasked + films);
  const pixels =
    asked.resolution === undefined && asked.size === undefined ? largestPixels(row) : pixelsAsked(row, asked);
  const most = { videos, seconds: longest, outputTokens: tokensOf(pixels, longest) };
  return { believed: times(most, REPORT_TOLERANCE), instead: expected };
}

/** The longest that models make in one piece, where a row does not tell. */
const UNSTATED_SECONDS = 15;
/** Vendors' words for how many are made; they take ten at most. */
const COUNT_WORDS =
  /^(?:n|count|samples?|(?:sample|video|output)_?count|num(?:ber)?_?(?:of_?)?(?:videos|samples|outputs|results))$/i;
const MOST_VIDEOS = 10;
/** Vendors' words for how long or how large they are, beside those that the form has. */
const SIZE_WORDS = /dur|second|frame|length|fps|resolution|quality/i;
/** Some models read settings in the prompt: `--dur 10 --rs 1080p`. */
const SETTING_IN_PROMPT = /(?:^|\s)--[a-z]/i;

/** How many a request asks for, in whichever vendor's word. */
export function videosAsked({ extra = {} }: VideoAsked): number {
  let most = 1;
  for (const [name, value] of membersOf(extra))
    if (COUNT_WORDS.test(name) && Number(value) > most) most = Math.min(MOST_VIDEOS, Math.ceil(Number(value)));
  return most;
}

/** Whether a request may ask for a longer or larger film in words that only its vendor knows. */
function mayAskElsewhere({ extra = {}, prompt = '' }: VideoAsked): boolean {
  if (SETTING_IN_PROMPT.test(prompt)) return true;
  return membersOf(extra).some(
    ([name, value]) => SIZE_WORDS.test(name) && (typeof value === 'number' || typeof value === 'string'),
  );
}

/** In pixels, what a request says; the most of the model where it may say it in words that only the vendor knows. */
function pixelsAsked(row: ModelRow, asked: VideoAsked): number {
  const { width = 0, height = 0 } = pixelsOf(asked.size) ?? {};
  const pixels = Math.max(pixelsOfClass(askedClass(row, asked)), width * height);
  return mayAskElsewhere(asked) ? Math.max(pixels, largestPixels(row)) : pixels;
}

function largestPixels({ limits: { resolutions } }: ModelRow): number {
  const listed = Array.isArray(resolutions) ? resolutions.filter((each) => typeof each === 'string') : [];
  return Math.max(...(listed.length === 0 ? ['1080p'] : listed).map((each) => pixelsOfClass(each)));
}

/** What was asked for; the row's longest when the model decides (-1), since no less may be set aside for it. */
function secondsOf(row: ModelRow, asked: number | undefined): number {
  if (asked === undefined) return defaultSeconds(row);
  return asked > 0 ? asked : longestSeconds(row);
}

function longestSeconds(row: ModelRow): number {
  const { durations, max_seconds: longest } = row.limits;
  const { max, values } = isJsonObject(durations) ? durations : {};
  const listed = Array.isArray(values) ? values : [];
  const known = [longest, max, ...listed].filter((each) => typeof each === 'number');
  return known.length > 0 ? Math.max(...known) : defaultSeconds(row);
}

function defaultSeconds(row: ModelRow): number {
  return statedSeconds(row) ?? DEFAULT_SECONDS;
}

/** What a row says that its model makes where nothing is asked for. */
function statedSeconds({ limits: { durations, max_seconds: longest } }: ModelRow): number | undefined {
  if (typeof longest === 'number') return longest;
  const preset = isJsonObject(durations) ? durations['default'] : undefined;
  return typeof preset === 'number' ? preset : undefined;
}

function pixelsOfClass(resolution: string): number {
  const known: Readonly<Record<string, number>> = {
    '480p': 864 * 496,
    '720p': 1280 * 720,
    '1080p': 1920 * 1088,
    '4k': 3840 * 2160,
  };
  return known[resolution.toLowerCase()] ?? 1280 * 720;
}
