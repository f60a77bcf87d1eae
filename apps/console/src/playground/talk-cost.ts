/** What a conversation has cost. Pure. */
import type { Model } from './models.ts';

type Json = Record<string, unknown>;

/** US dollars for what was used, by the list price of its model; undefined where that does not say. */
export function costOf(model: Model | undefined, usage: Json | undefined): number | undefined {
  const price = model?.price;
  if (price === undefined || usage === undefined) return undefined;
  if (usage['type'] === 'duration') {
    const perSecond = price['second'];
    return typeof perSecond === 'number' ? perSecond * numberIn(usage, 'seconds') : undefined;
  }
  const { input, output } = price;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  const rate = (name: string, otherwise: number): number => {
    const value = price[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const read = (usage['input_token_details'] ?? {}) as Json;
  const cached = (read['cached_tokens_details'] ?? {}) as Json;
  const written = (usage['output_token_details'] ?? {}) as Json;
  const [sound, pictures] = [numberIn(read, 'audio_tokens'), numberIn(read, 'image_tokens')];
  const [cachedSound, cachedPictures] = [numberIn(cached, 'audio_tokens'), numberIn(cached, 'image_tokens')];
  const cachedText = numberIn(read, 'cached_tokens') - cachedSound - cachedPictures;
  const text = numberIn(usage, 'input_tokens') - sound - pictures - cachedText;
  const spoken = numberIn(written, 'audio_tokens');
  const parts = [
    [text, input],
    [cachedText, rate('cached_input', input)],
    [sound - cachedSound, rate('input_audio', input)],
    [cachedSound, rate('cached_input_audio', rate('input_audio', input))],
    [pictures - cachedPictures, rate('input_image', input)],
    [cachedPictures, rate('cached_input_image', rate('input_image', input))],
    [numberIn(usage, 'output_tokens') - spoken, output],
    [spoken, rate('output_audio', output)],
  ] as const;
  return parts.reduce((sum, [tokens, each]) => sum + tokens * each, 0) / 1e6;
}

function numberIn(value: Json, name: string): number {
  const found = value[name];
  return typeof found === 'number' ? found : 0;
}
