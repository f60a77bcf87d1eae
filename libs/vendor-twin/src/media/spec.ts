import { head } from '../core/values.ts';

/** What a piece of media must be. Its link carries it whole, so links outlive the process that gave them out. */
export type MediaSpec = VideoSpec | ImageSpec | SpeechSpec;

export interface VideoSpec {
  readonly kind: 'video';
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly audio: boolean;
  /** Written into the picture; also what makes it distinct. */
  readonly text: string;
  readonly seed: number;
}

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
export interface ImageSpec {
  readonly kind: 'image';
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  readonly text: string;
  readonly seed: number;
}

export const SPEECH_FORMATS = ['wav', 'pcm', 'mp3', 'flac', 'aac', 'opus'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];
export interface SpeechSpec {
  readonly kind: 'speech';
  readonly text: string;
  readonly voice: string;
  readonly format: SpeechFormat;
  /** Sung on a scale instead of spoken. */
  readonly sung: boolean;
  /** 1 is the usual pace. */
  readonly speed: number;
}

export const VIDEO_FPS = 24;
const LONGEST_LINK_TEXT = 160;
const MOST_PIXELS = 4096 * 4096;
const LONGEST_VIDEO = 60;
const LONGEST_SIDE = 8192;

const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  opus: 'audio/ogg',
};

export function extensionOf(spec: MediaSpec): string {
  return spec.kind === 'video' ? 'mp4' : spec.format;
}

/** The media type of a spec: `video/mp4`, `image/png`, … */
export function mimeOf(spec: MediaSpec): string {
  return TYPES[extensionOf(spec)] ?? 'application/octet-stream';
}

/** A spec as text for a link: it says everything. */
export function encodeSpec(spec: MediaSpec): string {
  const short = { ...spec, text: head(spec.text, LONGEST_LINK_TEXT) };
  return Buffer.from(JSON.stringify(short)).toString('base64url');
}

/** The spec of such a text; undefined when it is none. */
export function decodeSpec(encoded: string): MediaSpec | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const spec = value as MediaSpec | null;
  return isSane(spec) && encodeSpec(spec) === encoded ? spec : undefined;
}

function isSane(spec: MediaSpec | null): spec is MediaSpec {
  if (typeof spec !== 'object' || spec === null || typeof spec.text !== 'string') return false;
  if (spec.kind === 'speech') return SPEECH_FORMATS.includes(spec.format) && typeof spec.voice === 'string';
  const sides = [spec.width, spec.height].every((side) => Number.isInteger(side) && side >= 16 && side <= LONGEST_SIDE);
  if (!sides || spec.width * spec.height > MOST_PIXELS || typeof spec.seed !== 'number') return false;
  if (spec.kind === 'image') return IMAGE_FORMATS.includes(spec.format);
  return (spec.kind as string) === 'video' && spec.seconds > 0 && spec.seconds <= LONGEST_VIDEO;
}
