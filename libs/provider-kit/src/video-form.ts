/** Between the six request shapes: what a field is called in the caller's shape, and how sizes, classes and ratios are written elsewhere. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VideoBodyShape, VideoCreate } from './video-adapter.ts';

/** The words of the neutral form that a vendor may be unable to take. */
export type VideoWord =
  | 'negativePrompt'
  | 'duration'
  | 'resolution'
  | 'ratio'
  | 'size'
  | 'seed'
  | 'watermark'
  | 'audio'
  | 'subjects';

const NAMES: Record<VideoWord, string> = {
  negativePrompt: 'negative_prompt',
  duration: 'duration',
  resolution: 'resolution',
  ratio: 'aspect_ratio',
  size: 'size',
  seed: 'seed',
  watermark: 'watermark',
  audio: 'generate_audio',
  subjects: 'subject_infos',
};
const NAMES_BY_SHAPE: Record<VideoBodyShape, Partial<Record<VideoWord, string>>> = {
  content: { ratio: 'ratio' },
  input: {
    negativePrompt: 'input.negative_prompt',
    duration: 'parameters.duration',
    resolution: 'parameters.resolution',
    ratio: 'parameters.ratio',
    size: 'parameters.size',
    seed: 'parameters.seed',
    watermark: 'parameters.watermark',
    audio: 'parameters.audio',
  },
  'image-urls': {},
  omni: { resolution: 'size', audio: 'audio_generation' },
  prompt: { watermark: 'aigc_watermark' },
  seconds: { duration: 'seconds' },
  instances: {
    negativePrompt: 'parameters.negativePrompt',
    duration: 'parameters.durationSeconds',
    resolution: 'parameters.resolution',
    ratio: 'parameters.aspectRatio',
    seed: 'parameters.seed',
    audio: 'parameters.generateAudio',
  },
};

/** What the caller's shape calls a word of the neutral form. */
export function fieldOf(input: Pick<VideoCreate, 'shape'>, word: VideoWord): string {
  return NAMES_BY_SHAPE[input.shape][word] ?? NAMES[word];
}

/** The caller's names of those words that were given. */
export function namesOfGiven(input: VideoCreate, words: readonly VideoWord[]): string[] {
  return words
    .filter((word) => {
      const value = input[word];
      return Array.isArray(value) ? value.length > 0 : value !== undefined;
    })
    .map((word) => fieldOf(input, word));
}

/** An input that cannot be left out without making another video: 400 naming the field. */
export function cannotTake(param: string, what: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: this model takes no ${what}`, { param });
}

/** Throws when the caller gave media or subjects of a kind this vendor has no place for. */
export function refuseKinds(input: VideoCreate, kinds: { videos?: string; audios?: string; subjects?: string }): void {
  const video = input.videos[0];
  if (kinds.videos !== undefined && video !== undefined) throw cannotTake(video.param, kinds.videos);
  const audio = input.audios[0];
  if (kinds.audios !== undefined && audio !== undefined) throw cannotTake(audio.param, kinds.audios);
  if (kinds.subjects !== undefined && input.subjects.length > 0) {
    throw cannotTake(fieldOf(input, 'subjects'), kinds.subjects);
  }
}

// ---- frames ------------------------------------------------------------------------------------------------------

/** `720p`, `1080P`, `4K` as the length of the short side in pixels; undefined for anything else. */
export function tierOf(word: string | undefined): number | undefined {
  const match = /^(\d{1,5})([pk])$/i.exec(word?.trim() ?? '');
  if (match === null) return undefined;
  const number = Number(match[1]);
  if (match[2]?.toLowerCase() === 'p') return number;
  return number === 2 ? 1440 : number * 540;
}

/** `1280x720`, `1280*720` in pixels; undefined for anything else. */
export function pixelsOf(size: string | undefined): { readonly width: number; readonly height: number } | undefined {
  const match = /^(\d{2,5})\s*[x*×]\s*(\d{2,5})$/i.exec(size?.trim() ?? '');
  if (match === null) return undefined;
  return { width: Number(match[1]), height: Number(match[2]) };
}

/** `16:9` as a number; undefined for `adaptive` and the like. */
export function proportionOf(ratio: string | undefined): number | undefined {
  const match = /^(\d{1,3}(?:\.\d+)?):(\d{1,3}(?:\.\d+)?)$/.exec(ratio?.trim() ?? '');
  const width = Number(match?.[1]);
  const height = Number(match?.[2]);
  return width > 0 && height > 0 ? width / height : undefined;
}

export interface FrameWords {
  /** As this vendor writes them; empty when it takes none. */
  readonly resolutions: readonly string[];
  readonly ratios: readonly string[];
}
export interface Frame {
  readonly resolution?: string;
  readonly ratio?: string;
  readonly dropped: readonly string[];
}

/** How far a size in pixels may lie from a class or ratio that is sent in its place. */
const NEAR_TIER = 0.1;
const NEAR_RATIO = 0.05;
const FOLLOWS_INPUT = new Set(['adaptive', 'auto']);

/**
 * Of some classes, the one that is asked for: by any of its names, or by a size in pixels whose short side is near to its own. What is
 * billed and what a vendor is asked for are both read here.
 */
export function classIn(classes: readonly string[], asked: string): string | undefined {
  const pixels = pixelsOf(asked);
  if (pixels === undefined) return classes.find((word) => sameClass(word, asked));
  return nearest(classes, Math.min(pixels.width, pixels.height), tierOf, NEAR_TIER);
}

/** The caller's resolution, ratio and size in this vendor's words; what has no word is named in `dropped`. */
export function frameIn(input: VideoCreate, words: FrameWords): Frame {
  const pixels = pixelsOf(input.size);
  const dropped = new Set<string>();

  const asked = input.resolution ?? input.size;
  const resolution = asked === undefined ? undefined : classIn(words.resolutions, asked);
  if (asked !== undefined && resolution === undefined) {
    dropped.add(fieldOf(input, input.resolution === undefined ? 'size' : 'resolution'));
  }

  let ratio: string | undefined;
  if (input.ratio !== undefined) {
    ratio = words.ratios.find((word) => sameRatio(word, input.ratio ?? ''));
    if (ratio === undefined) dropped.add(fieldOf(input, 'ratio'));
  } else if (pixels !== undefined && words.ratios.length > 0) {
    ratio = nearest(words.ratios, pixels.width / pixels.height, proportionOf, NEAR_RATIO);
    if (ratio === undefined) dropped.add(fieldOf(input, 'size'));
  }
  // A size is two things; one of them has no place here.
  if (pixels !== undefined && (words.ratios.length === 0 || words.resolutions.length === 0)) {
    dropped.add(fieldOf(input, 'size'));
  }

  return {
    ...(resolution !== undefined && { resolution }),
    ...(ratio !== undefined && { ratio }),
    dropped: [...dropped],
  };
}

/** Width and height in pixels for a vendor that wants them, from whatever the caller wrote; undefined when nothing says. */
export function pixelsIn(input: VideoCreate): { readonly width: number; readonly height: number } | undefined {
  const pixels = pixelsOf(input.size);
  if (pixels !== undefined) return pixels;
  const short = tierOf(input.resolution ?? input.size);
  const proportion = proportionOf(input.ratio);
  if (short === undefined && proportion === undefined) return undefined;
  const side = short ?? 720;
  const shape = proportion ?? 16 / 9;
  const long = even(side * Math.max(shape, 1 / shape));
  return shape >= 1 ? { width: long, height: even(side) } : { width: even(side), height: long };
}

function even(length: number): number {
  return Math.round(length / 2) * 2;
}

function sameClass(one: string, other: string): boolean {
  const tier = tierOf(one);
  return tier === undefined ? one.toLowerCase() === other.trim().toLowerCase() : tier === tierOf(other);
}

function sameRatio(one: string, other: string): boolean {
  const word = one.toLowerCase();
  const asked = other.trim().toLowerCase();
  return word === asked || (FOLLOWS_INPUT.has(word) && FOLLOWS_INPUT.has(asked));
}

function nearest(
  words: readonly string[],
  wanted: number,
  read: (word: string) => number | undefined,
  tolerance: number,
): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.log(1 + tolerance);
  for (const word of words) {
    const value = read(word);
    if (value === undefined) continue;
    const distance = Math.abs(Math.log(value / wanted));
    if (distance > bestDistance) continue;
    best = word;
    bestDistance = distance;
  }
  return best;
}

// ---- the rest ----------------------------------------------------------------------------------------------------

/**
 * What the form has no word for, sorted for a vendor whose own shape is another one: fields the vendor knows pass, foreign ones are
 * named. The OpenAI shape is everybody's, so what it adds is meant for the vendor and passes.
 */
export function sortExtra(
  input: VideoCreate,
  known: ReadonlySet<string>,
): { readonly passed: JsonObject; readonly dropped: readonly string[] } {
  const passed: [string, Json][] = [];
  const dropped: string[] = [];
  for (const [field, name, value] of flatExtra(input.extra)) {
    if (known.has(name) || (input.shape === 'seconds' && !NEVER_PASSED.has(name))) passed.push([name, value]);
    else dropped.push(field);
  }
  return { passed: Object.fromEntries(passed), dropped };
}

/** Ours alone: a caller's hand must not reach the vendor through these (docs/wire/ark.md#what-is-passed-on). */
const NEVER_PASSED = new Set(['model', 'callback_url', 'callBackUrl', 'webhook_url', 'external_task_id', 'SessionId']);

/** `parameters.x` and `{ parameters: { x } }` are both the field x. */
function* flatExtra(extra: JsonObject): Generator<readonly [field: string, name: string, value: Json]> {
  for (const [field, value] of Object.entries(extra)) {
    if ((field === 'parameters' || field === 'input' || field === 'metadata') && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) yield [`${field}.${name}`, name, inner];
    } else yield [field, field.replace(/^(?:parameters|input)\./, ''), value];
  }
}

/** An object without its undefined members. */
export function defined(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: [string, Json][] = [];
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept.push([name, value]);
  return Object.fromEntries(kept);
}
