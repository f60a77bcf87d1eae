import sharp from 'sharp';
import { makeSpeech } from './speech-file.ts';
import type { MediaSpec, ImageSpec } from './spec.ts';
import { makeVideo } from './video.ts';
import { paint } from './paint.ts';

/** Makes the file of a spec: the slow work, done in the worker. */
export async function make(spec: MediaSpec): Promise<Uint8Array> {
  switch (spec.kind) {
    case 'video':
      return makeVideo(spec);
    case 'image':
      return makeImage(spec);
    case 'speech':
      return makeSpeech(spec);
  }
}

/** A PNG, JPEG or WebP of exactly this size. */
export async function makeImage(spec: ImageSpec): Promise<Uint8Array> {
  const { rgb, width, height } = paint(spec.width, spec.height, spec.text, spec.seed);
  const raw = sharp(rgb, { raw: { width, height, channels: 3 } });
  switch (spec.format) {
    case 'png':
      return raw.png({ compressionLevel: 6 }).toBuffer();
    case 'jpeg':
      return raw.jpeg({ quality: 85 }).toBuffer();
    case 'webp':
      return raw.webp({ quality: 80, effort: 2 }).toBuffer();
  }
}
