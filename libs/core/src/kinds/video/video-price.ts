/** What a video costs: held before the vendor is asked, taken when it is there. */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { Catalogue, ModelRow } from '../../catalogue.ts';
import { billDetail, billOf, type BillFactors } from '../../money/price.ts';
import { payerOf } from '../../money/spending.ts';
import type { Caller } from '../../parts.ts';
import type { Payer } from '../../ports.ts';

const DEFAULT_SECONDS = 5;
const FRAMES_PER_SECOND = 24;
/** Room for what vendors count beyond the formula, in per cent; what is not used is given back. */
const TOKEN_MARGIN = 1.1;

/** What the price of a video depends on. */
export interface VideoAsked {
  readonly duration?: number | undefined;
  readonly resolution?: string | undefined;
  readonly size?: string | undefined;
  readonly audio?: boolean | undefined;
}

/** What holds and bills of videos come to. Pure: whoever keeps tasks decides when money moves. */
export interface VideoPrices {
  payer(caller: Pick<Caller, 'key' | 'mode'>): Payer;
  /** What to set aside before the vendor is asked, in quota units; `detail` is kept with the hold. */
  quote(row: ModelRow, input: VideoAsked, group: string): { readonly amount: number; readonly detail: JsonObject };
  /** What a finished video costs. `input` is the stored neutral input, by the names of VideoCreate. */
  settle(
    row: ModelRow,
    group: string,
    usage: Usage,
    input: JsonObject,
  ): { readonly charged: number; readonly priceVersion: string; readonly detail: JsonObject };
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
    settle(row, group, usage, input) {
      const asked = askedOf(input);
      const expected = videoUsage(row, asked);
      // What the vendor reports wins, an explicit zero included; what it does not report is what was asked for.
      const used: Usage = {
        videos: 1,
        ...(expected.seconds !== undefined && { seconds: expected.seconds }),
        ...(usage.outputTokens === undefined && { ...expected, estimated: true }),
        ...usage,
      };
      const bill = billOf(used, row.price, factorsFor(row, asked, group));
      return { charged: bill.units, priceVersion: catalogue().priceVersion, detail: billDetail(bill, used) };
    },
  };
}

/** What prices multiply by: the class of the picture, and whether there is sound. */
export function videoFactors(row: ModelRow, asked: VideoAsked): Omit<BillFactors, 'group'> {
  return { resolution: resolutionOf(row, asked), audio: asked.audio ?? false };
}

function askedOf(input: JsonObject): VideoAsked {
  const { duration, resolution, size, audio } = input;
  return {
    duration: typeof duration === 'number' ? duration : undefined,
    resolution: typeof resolution === 'string' ? resolution : undefined,
    size: typeof size === 'string' ? size : undefined,
    audio: typeof audio === 'boolean' ? audio : undefined,
  };
}

/** What a video uses as it was asked for. */
export function videoUsage(row: ModelRow, asked: VideoAsked): Usage {
  const seconds = secondsOf(row, asked.duration);
  const tokens =
    row.price.output_tokens === undefined
      ? undefined
      : Math.ceil(((pixelsOf(resolutionOf(row, asked)) * FRAMES_PER_SECOND * seconds) / 1024) * TOKEN_MARGIN);
  return { videos: 1, seconds, ...(tokens !== undefined && { outputTokens: tokens }) };
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
  const { durations, max_seconds: longest } = row.limits;
  if (typeof longest === 'number') return longest;
  const preset =
    typeof durations === 'object' && durations !== null && !Array.isArray(durations) ? durations['default'] : undefined;
  return typeof preset === 'number' ? preset : DEFAULT_SECONDS;
}

/** `720p`, `1080p`, `4k`: the asked class, from a size by its short side, else the model's first. */
function resolutionOf(row: ModelRow, asked: VideoAsked): string {
  if (asked.resolution !== undefined) return asked.resolution.toLowerCase();
  const sides = /^(\d+)[x*](\d+)$/.exec(asked.size ?? '');
  if (sides !== null) return `${Math.min(Number(sides[1]), Number(sides[2]))}p`;
  if (asked.size !== undefined) return asked.size.toLowerCase();
  const { resolutions } = row.limits;
  const known = Array.isArray(resolutions)
    ? resolutions.filter((each) => typeof each === 'string').map((each) => each.toLowerCase())
    : [];
  return known.includes('720p') ? '720p' : (known[0] ?? '720p');
}

function pixelsOf(resolution: string): number {
  const known: Readonly<Record<string, number>> = {
    '480p': 864 * 496,
    '720p': 1280 * 720,
    '1080p': 1920 * 1088,
    '4k': 3840 * 2160,
  };
  return known[resolution] ?? 1280 * 720;
}
