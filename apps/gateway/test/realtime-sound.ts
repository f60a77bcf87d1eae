/** Sound for realtime tests: 16-bit samples at 24 kHz. */
import { make } from '@model-gateway/vendor-twin/media';

/** Half a second in which nobody speaks. */
export const QUIET = Buffer.alloc(24_000);

/** A question, as the twin's voice asks it. */
export async function spokenSound(text = 'what is the tide today'): Promise<Buffer> {
  return Buffer.from(await make({ kind: 'speech', text, voice: 'alloy', format: 'pcm', sung: false, speed: 1 }));
}
