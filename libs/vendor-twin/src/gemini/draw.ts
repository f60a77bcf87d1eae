import type { Exchange } from '../core/exchange.ts';
import { seedOf } from '../core/seed.ts';
import type { ImageSpec } from '../media/spec.ts';
import type { GeminiOrder } from './request.ts';

const SIDES: Readonly<Record<string, number>> = { 512: 512, '1K': 1024, '2K': 2048, '4K': 4096 };
/** What a picture costs in output tokens. */
const TOKENS: Readonly<Record<string, number>> = { 512: 747, '1K': 1290, '2K': 1680, '4K': 2520 };

/** The picture of an order: the area of its size class in its ratio. */
export function pictureSpec(order: GeminiOrder, said: string): ImageSpec {
  const side = SIDES[order.image.imageSize] ?? 1024;
  const [across = 1, down = 1] = order.image.aspectRatio.split(':').map(Number);
  const scale = Math.sqrt(across / down);
  return {
    kind: 'image',
    width: Math.round((side * scale) / 32) * 32,
    height: Math.round(side / scale / 32) * 32,
    format: 'png',
    text: said,
    seed: seedOf(said),
  };
}

export function pictureTokens(order: GeminiOrder): number {
  return TOKENS[order.image.imageSize] ?? 1290;
}

/** A picture as an `inlineData` part. */
export async function drawPart(
  exchange: Exchange,
  spec: ImageSpec,
): Promise<{ readonly mimeType: string; readonly data: string }> {
  const file = await exchange.stage.media.file(spec);
  return { mimeType: 'image/png', data: file.toString('base64') };
}

/** Speech as an `inlineData` part: raw samples, the way the TTS models give them. */
export async function speakPart(
  exchange: Exchange,
  order: GeminiOrder,
  said: string,
): Promise<{ readonly mimeType: string; readonly data: string }> {
  const file = await exchange.stage.media.file({
    kind: 'speech',
    text: said,
    voice: order.voice,
    format: 'pcm',
    sung: false,
    speed: 1,
  });
  return { mimeType: 'audio/L16;codec=pcm;rate=24000', data: file.toString('base64') };
}
