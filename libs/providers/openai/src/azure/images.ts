import type { ImageAdapter } from '@model-gateway/provider-kit';
import { images as ofOpenAi } from '../images.ts';
import { azureUpstream } from './addresses.ts';

export const images: ImageAdapter = {
  media: (input, target) => ofOpenAi.media?.(input, target) ?? [],
  generate: (input, upstream) => ofOpenAi.generate(input, azureUpstream(upstream)),
  stream: (input, upstream) => ofOpenAi.stream?.(input, azureUpstream(upstream)) ?? none(),
};

/** OpenAI's has a stream. */
async function* none(): AsyncGenerator<never> {
  yield* [];
}
