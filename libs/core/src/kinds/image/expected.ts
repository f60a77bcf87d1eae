/** What pictures use at most, before anybody has made them: the same for a quote and for what is set aside. */
import type { Usage } from '@model-gateway/contracts';
import type { ImageCreate } from '@model-gateway/provider-kit';

/** What a large picture of the token-priced models takes at most. */
const TOKENS_PER_PICTURE = 8_000;
const TOKENS_PER_SOURCE = 2_000;
const CHARACTERS_PER_TOKEN = 2;

/** The most that pictures can use. */
export function mostOfImages(input: Pick<ImageCreate, 'count' | 'prompt' | 'images'>): Usage {
  const count = input.count ?? 1;
  return {
    images: count,
    inputTokens: Math.ceil(input.prompt.length / CHARACTERS_PER_TOKEN) + input.images.length * TOKENS_PER_SOURCE,
    outputTokens: count * TOKENS_PER_PICTURE,
  };
}

/** The class of a size that prices know: `2K` is `2k`; sizes in pixels have none of their own. */
export function sizeClass(size: string | undefined): string {
  return (size ?? '').toLowerCase();
}
