import sharp from 'sharp';
import { paint } from './paint.ts';
import type { ImageSpec } from './spec.ts';

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
