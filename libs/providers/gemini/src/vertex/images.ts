import type { ImageAdapter } from '@model-gateway/provider-kit';
import { images as ofGemini } from '../images.ts';
import { vertexUpstream } from './addresses.ts';

/** Gemini's image models. */
export const images: ImageAdapter = {
  media: (input, target) => ofGemini.media?.(input, target) ?? [],
  generate: (input, upstream) => ofGemini.generate(input, vertexUpstream(upstream)),
};
