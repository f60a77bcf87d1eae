/**
 * The media limits of family A (docs/service.md#limits), checked before anything is paid. Embedded media are measured; links and
 * assets are the vendor's to check.
 */
import type { VideoInput } from '@model-gateway/provider-kit';
import type { Measure, MediaKind } from '../../media-probe/measure.ts';
import { createMediaProbeWorker, type MediaProbeWorker } from '../../media-probe/media-probe-worker.ts';
import { wrong } from './shapes/fields.ts';
import type { VideoDraft } from './shapes/shape.ts';

const MB = 1024 * 1024;

interface Bounds {
  readonly min: number;
  readonly max: number;
}
interface KindLimits {
  readonly formats: readonly string[];
  /** The largest size that is taken, in bytes. */
  readonly bytes: number;
  readonly bytesText: string;
  readonly sides?: Bounds;
  readonly ratio?: Bounds;
  readonly pixels?: Bounds;
  readonly rate?: Bounds;
  readonly seconds?: Bounds;
  /** All clips together. */
  readonly totalSeconds?: number;
}

/** A megabyte is 2^20 bytes: the vendor does not say, and the larger reading refuses nothing that it would take. */
export const FAMILY_A_LIMITS: Readonly<Record<MediaKind, KindLimits>> = {
  image: {
    formats: ['jpeg', 'png', 'webp', 'bmp', 'tiff', 'gif'],
    bytes: 30 * MB - 1,
    bytesText: 'under 30 MB',
    sides: { min: 300, max: 6000 },
    ratio: { min: 0.4, max: 2.5 },
  },
  video: {
    formats: ['mp4', 'mov'],
    bytes: 50 * MB,
    bytesText: 'at most 50 MB',
    sides: { min: 300, max: 6000 },
    ratio: { min: 0.4, max: 2.5 },
    pixels: { min: 409_600, max: 927_408 },
    rate: { min: 24, max: 60 },
    seconds: { min: 2, max: 15 },
    totalSeconds: 15,
  },
  audio: {
    formats: ['wav', 'mp3'],
    bytes: 15 * MB,
    bytesText: 'at most 15 MB',
    seconds: { min: 2, max: 15 },
    totalSeconds: 15,
  },
};

/** Containers round durations to their frames: an AAC track makes a clip of 15 s a little longer. */
const SECONDS_TOLERANCE = 0.05;
/** 23.976 frames per second are what the film world calls 24. */
const RATE_TOLERANCE = 0.05;

/** 400 when a measured file is outside the limits of its kind: the message has the path, the measured value and the limit. */
export function judge(kind: MediaKind, found: Measure, path: string): void {
  const limits = FAMILY_A_LIMITS[kind];
  if (found.format === undefined) {
    if (found.broken !== undefined) throw wrong(path, found.broken);
    const seen = found.mime === '' ? 'its bytes are of no known format' : `by its bytes it is ${found.mime}`;
    throw wrong(
      path,
      `must be ${kind === 'image' ? 'an' : 'a'} ${kind} of format ${limits.formats.join(', ')}; ${seen}`,
    );
  }
  if (found.bytes > limits.bytes) {
    throw wrong(path, `must be ${limits.bytesText}; it has ${megabytes(found.bytes)} MB (${found.bytes} bytes)`);
  }
  if (found.broken !== undefined) throw wrong(path, found.broken);
  judgeFrame(limits, found, path);
  const { rate, seconds } = limits;
  if (rate !== undefined && found.rate !== undefined && !within(found.rate, rate, RATE_TOLERANCE)) {
    throw wrong(path, `must have ${rate.min} to ${rate.max} frames per second; it has ${round(found.rate)}`);
  }
  if (seconds !== undefined && found.seconds !== undefined && !within(found.seconds, seconds, SECONDS_TOLERANCE)) {
    throw wrong(
      path,
      `must be ${seconds.min} to ${seconds.max} seconds long; it is ${round(found.seconds)} seconds long`,
    );
  }
}

function judgeFrame(limits: KindLimits, { width = 0, height = 0 }: Measure, path: string): void {
  const { sides, ratio, pixels } = limits;
  const is = `it is ${width}x${height}`;
  if (sides !== undefined && !(within(width, sides) && within(height, sides))) {
    throw wrong(path, `must be ${sides.min} to ${sides.max} px wide and high; ${is}`);
  }
  if (ratio !== undefined && !within(width / height, ratio)) {
    throw wrong(
      path,
      `must have an aspect ratio (width / height) of ${ratio.min} to ${ratio.max}; ${is}, which is ${round(width / height)}`,
    );
  }
  if (pixels !== undefined && !within(width * height, pixels)) {
    throw wrong(
      path,
      `must have ${pixels.min} to ${pixels.max} pixels (480p or 720p); ${is}, which is ${width * height}`,
    );
  }
}

/** 400 when the clips of a kind are too long together. */
export function judgeTotal(kind: 'video' | 'audio', clips: readonly { seconds: number; path: string }[]): void {
  const limit = FAMILY_A_LIMITS[kind].totalSeconds ?? Infinity;
  const total = clips.reduce((sum, { seconds }) => sum + seconds, 0);
  const last = clips.at(-1);
  if (last !== undefined && total > limit + SECONDS_TOLERANCE * clips.length) {
    throw wrong(
      last.path,
      `brings the ${kind} clips to ${round(total)} seconds in all; together they may have ${limit}`,
    );
  }
}

function within(value: number, { min, max }: Bounds, tolerance = 0): boolean {
  return value >= min - tolerance && value <= max + tolerance;
}
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
function megabytes(bytes: number): string {
  return (bytes / MB).toFixed(1);
}

// ---- a whole body ------------------------------------------------------------------------------------------------

export interface MediaChecker {
  /** Measures every embedded medium; 400 for the first outside the limits. Base64 without a head comes back as a `data:` URL of its real type. */
  check(draft: VideoDraft): Promise<VideoDraft>;
  close(): Promise<void>;
}

/** Makes the checker of one process. */
export function createMediaChecker(probe: MediaProbeWorker = createMediaProbeWorker()): MediaChecker {
  const measureAll = async <Role extends string>(
    kind: MediaKind,
    inputs: readonly VideoInput<Role>[],
  ): Promise<readonly VideoInput<Role>[]> => {
    const headed: VideoInput<Role>[] = [];
    const clips: { seconds: number; path: string }[] = [];
    for (const input of inputs) {
      const start = base64Start(input.url);
      if (start === undefined) {
        headed.push(input);
        continue;
      }
      refuseTooLong(kind, input, start);
      const found = await probe.measure({ kind, text: input.url, start });
      judge(kind, found, input.param);
      if (found.seconds !== undefined) clips.push({ seconds: found.seconds, path: input.param });
      headed.push(start > 0 ? input : { ...input, url: `data:${found.mime};base64,${input.url}` });
    }
    if (kind !== 'image') judgeTotal(kind, clips);
    return headed;
  };
  return {
    async check(draft) {
      const images = await measureAll('image', draft.images);
      const videos = await measureAll('video', draft.videos);
      const audios = await measureAll('audio', draft.audios);
      return withUrls({ ...draft, images, videos, audios });
    },
    close: () => probe.close(),
  };
}

/** Where embedded media begin; undefined for links and assets. */
function base64Start(url: string): number | undefined {
  if (/^data:/i.test(url.slice(0, 5))) return url.slice(0, 400).indexOf(',') + 1;
  return url.slice(0, 100).includes('://') ? undefined : 0;
}

/** By length alone, before anything is decoded. Line breaks inside the base64 are allowed for. */
function refuseTooLong(kind: MediaKind, { url, param }: VideoInput<string>, start: number): void {
  const about = Math.floor(((url.length - start) * 3) / 4);
  const { bytes, bytesText } = FAMILY_A_LIMITS[kind];
  if (about * 0.95 > bytes) throw wrong(param, `must be ${bytesText}; it has about ${megabytes(about)} MB`);
}

/** Writes changed urls into the body too, which is forwarded as it is. */
export function withUrls<Draft extends VideoDraft>(draft: Draft): Draft {
  const content = draft.body['content'];
  if (draft.shape !== 'content' || !Array.isArray(content)) return draft;
  const urls = new Map(
    [...draft.images, ...draft.videos, ...draft.audios].map(({ param, url }) => [param, url] as const),
  );
  const items = content.map((item, index) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    for (const name of ['image_url', 'video_url', 'audio_url']) {
      const url = urls.get(`content[${index}].${name}.url`);
      const holder = item[name];
      if (url !== undefined && typeof holder === 'object' && holder !== null && !Array.isArray(holder)) {
        return holder['url'] === url ? item : { ...item, [name]: { ...holder, url } };
      }
    }
    return item;
  });
  return { ...draft, body: { ...draft.body, content: items } };
}
