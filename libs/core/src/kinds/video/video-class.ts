/** The class of a video's picture, `720p` or `4k`, by which its price is: the one that the request asks its vendor for. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { classIn, pixelsOf } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';

/** What names the class of a video, and whether it has sound. */
export interface AskedFormat {
  readonly resolution?: string | undefined;
  readonly size?: string | undefined;
  readonly audio?: boolean | undefined;
  readonly prompt?: string | undefined;
  /** What the form has no word for; vendors may read it. */
  readonly extra?: JsonObject | undefined;
  /** What `inVendorWords` found, of a stored request, which keeps no `extra`. */
  readonly vendorWords?: VendorWords | undefined;
}

/** What a request says of its class and its sound in words that only its vendor knows. */
interface VendorWords {
  readonly classes: readonly string[];
  readonly sound: boolean;
}

type Priced = Pick<ModelRow, 'limits' | 'price'>;

/** What a model makes where neither request nor row say which class. */
const USUAL_CLASS = '720p';

/** What prices multiply by: the class in the words of the row's factors, and whether there is sound. */
export function formatOf(row: Priced, asked: AskedFormat): { readonly resolution: string; readonly audio: boolean } {
  const { classes, sound } = asked.vendorWords ?? inVendorWords(asked);
  const factor = (word: string): number => factorOf(row, word);
  // The vendor takes one of them, and does not say which.
  const resolution = classes
    .map((word) => classOf(row, word))
    .reduce((dearest, word) => (factor(word) > factor(dearest) ? word : dearest), askedClass(row, asked));
  return { resolution, audio: asked.audio === true || sound };
}

/** The class that is asked for, lower case; the row's usual one where the request says none. */
export function askedClass(row: Priced, { resolution, size }: Pick<AskedFormat, 'resolution' | 'size'>): string {
  const said = resolution ?? size;
  return classOf(row, said ?? usualClass(row));
}

/** A word for a class as the row writes it; the dearest of the row for one that it does not know. */
function classOf(row: Priced, word: string): string {
  const factors = Object.keys(row.price.resolution_factors ?? {});
  const known = classIn([...factors, ...classesOf(row)], word);
  if (known !== undefined) return classIn(factors, known) ?? known.toLowerCase();
  const [first, ...others] = factors;
  if (first === undefined) return plainClass(word);
  return others.reduce((dearest, each) => (factorOf(row, each) > factorOf(row, dearest) ? each : dearest), first);
}

function factorOf({ price }: Priced, word: string): number {
  return price.resolution_factors?.[word] ?? 1;
}

function plainClass(word: string): string {
  const pixels = pixelsOf(word);
  return pixels === undefined ? word.trim().toLowerCase() : `${Math.min(pixels.width, pixels.height)}p`;
}

/** The classes that a row lists: its own words, else those of its sizes. */
function classesOf({ limits }: Pick<ModelRow, 'limits'>): readonly string[] {
  const listed = textsOf(limits['resolutions']);
  if (listed.length > 0) return listed;
  return [USUAL_CLASS, ...textsOf(limits['sizes']).map((size) => plainClass(size))];
}

function usualClass({ limits }: Pick<ModelRow, 'limits'>): string {
  const stated = limits['default_resolution'];
  if (typeof stated === 'string') return stated;
  const listed = textsOf(limits['resolutions']);
  return classIn(listed, USUAL_CLASS) ?? listed[0] ?? USUAL_CLASS;
}

export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

// ---- in words of vendors -----------------------------------------------------------------------------------------

const CLASS_WORDS = /^(?:(?:output|video|target)_?)?(?:resolution|quality|size|mode)$/i;
const SOUND_WORDS = /^(?:(?:generate|enable|with|native)_?)?(?:audio|sound)(?:_?(?:generation|enabled|on))?$/i;
const ON = /^(?:on|true|yes|enabled?)$/i;
/** Vendors' other names of classes. */
const CLASS_NAMES: Readonly<Record<string, string>> = {
  std: '720p',
  standard: '720p',
  pro: '1080p',
  hd: '720p',
  fhd: '1080p',
  uhd: '4k',
};
/** Some models read it in the prompt. */
const CLASS_IN_PROMPT = /(?:^|\s)--(?:rs|resolution)[ =]+(\S+)/i;
const LONGEST_WORD = 40;

/** What of a request raises its price without being a word of the form. */
function inVendorWords({ extra = {}, prompt = '' }: Pick<AskedFormat, 'extra' | 'prompt'>): VendorWords {
  const inPrompt = CLASS_IN_PROMPT.exec(prompt)?.[1];
  const isOn = (value: Json): boolean => value === true || (typeof value === 'string' && ON.test(value));
  return {
    classes: [
      ...classMembers(extra).map(([, word]) => CLASS_NAMES[word.toLowerCase()] ?? word),
      ...(inPrompt === undefined ? [] : [inPrompt.slice(0, LONGEST_WORD)]),
    ],
    sound: membersOf(extra).some(([name, value]) => SOUND_WORDS.test(name) && isOn(value)),
  };
}

/** Members that name a class, and the word that they have for it. */
export function classMembers(extra: JsonObject): readonly (readonly [name: string, word: string])[] {
  return membersOf(extra).flatMap(([name, value]) => {
    if (!CLASS_WORDS.test(name) || (typeof value !== 'string' && typeof value !== 'number')) return [];
    return [[name, typeof value === 'number' ? `${value}p` : value.slice(0, LONGEST_WORD)] as const];
  });
}

/** Members by their own names, and those of `parameters` and the like in them: `parameters.x` is x, too. */
export function membersOf(extra: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(extra)
    .flatMap((member) => (isJsonObject(member[1]) ? Object.entries(member[1]) : [member]))
    .map(([name, value]) => [name.slice(name.lastIndexOf('.') + 1), value] as const);
}

/** As it is kept with a task; undefined where the form says it all. */
export function keptVendorWords(asked: Pick<AskedFormat, 'extra' | 'prompt'>): JsonObject | undefined {
  const { classes, sound } = inVendorWords(asked);
  return classes.length > 0 || sound ? { classes: [...classes], sound } : undefined;
}

/** What `keptVendorWords` kept; undefined of a task without it. */
export function readVendorWords(kept: Json | undefined): VendorWords | undefined {
  if (!isJsonObject(kept)) return undefined;
  return { classes: textsOf(kept['classes']), sound: kept['sound'] === true };
}
