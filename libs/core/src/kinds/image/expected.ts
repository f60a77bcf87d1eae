/** What pictures use at most, before anybody has made them: the same for a quote and for what is set aside. */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { ImageCreate } from '@model-gateway/provider-kit';
import type { ModelRow, Price } from '../../catalogue.ts';
import { toldOf } from '../../paid/payment.ts';
import { TOKENS_AROUND_REQUEST } from '../../paid/token-estimates.ts';

/** What a large picture of the token-priced models takes at most, where the row has no `max_output_tokens`. */
const TOKENS_PER_PICTURE = 8_000;
/** A picture to work from at its finest, where the row has no `max_image_tokens`. */
const TOKENS_PER_SOURCE = 10_000;
/** Drafts of a streamed picture are billed beside it. */
const TOKENS_PER_DRAFT = 1_000;
/** References and results of a group together (docs/wire/images.md#seedream). */
const LARGEST_GROUP = 15;

/** What of a request says how much it may use. */
export type ImagesAsked = Pick<
  ImageCreate,
  'count' | 'prompt' | 'images' | 'keptFiles' | 'partialImages' | 'mask' | 'extra'
>;

/** The most that pictures can use. */
export function mostOfImages(input: ImagesAsked, { limits }: Pick<ModelRow, 'limits'>): Usage {
  const count = picturesAsked(input);
  const sources = input.images.length + (input.mask === undefined ? 0 : 1) + (input.keptFiles?.length ?? 0);
  const perPicture =
    limitOf(limits, 'max_output_tokens', TOKENS_PER_PICTURE) + (input.partialImages ?? 0) * TOKENS_PER_DRAFT;
  const fromSources = sources * limitOf(limits, 'max_image_tokens', TOKENS_PER_SOURCE);
  return {
    images: count,
    inputTokens: Buffer.byteLength(input.prompt) + TOKENS_AROUND_REQUEST + fromSources,
    ...(fromSources > 0 && { inputImageTokens: fromSources }),
    outputTokens: count * perPicture,
  };
}

/** Whether the pictures are drawn one after the other; several of a plain request are drawn at once. */
export function isGroup({ extra }: Pick<ImagesAsked, 'extra'>): boolean {
  const { sequential_image_generation: grouped } = extra;
  return grouped !== undefined && grouped !== null && grouped !== 'disabled';
}

/** How many pictures may come: of a group the most that it may have. */
function picturesAsked({ count, extra }: ImagesAsked): number {
  if (!isGroup({ extra })) return count ?? 1;
  const { sequential_image_generation_options: options } = extra;
  const most = isJsonObject(options) ? options['max_images'] : count;
  const asked = typeof most === 'number' && most >= 1 ? Math.ceil(most) : LARGEST_GROUP;
  return Math.max(count ?? 1, Math.min(asked, LARGEST_GROUP));
}

/** What made pictures are billed by: the vendor's report, and what was set aside for each where it tells nothing that has a price. */
export function usageOfImages(reported: Usage, { pictures, most, price }: MadePictures): Usage {
  const told = toldOf(reported);
  if (pictures === 0 || price.image !== undefined || told.outputTokens !== undefined)
    return { images: pictures, ...told };
  return { ...beganPictures(pictures, most), ...told };
}

export interface MadePictures {
  /** How many have come. */
  readonly pictures: number;
  /** What was set aside. */
  readonly most: Usage;
  readonly price: Price;
}

/** So many pictures at what was set aside for each. */
export function beganPictures(pictures: number, most: Usage): Usage {
  const { images = 1, outputTokens } = most;
  const begun = Math.min(images, pictures);
  const tokens = outputTokens === undefined ? undefined : Math.ceil((outputTokens * begun) / images);
  return { ...most, images: begun, ...(tokens !== undefined && { outputTokens: tokens }), estimated: true };
}

function limitOf(limits: JsonObject, name: string, usual: number): number {
  const given = limits[name];
  return typeof given === 'number' && given > 0 ? given : usual;
}

/** The class of a size that prices know: `2K` is `2k`; sizes in pixels have none of their own. */
export function sizeClass(size: string | undefined): string {
  return (size ?? '').toLowerCase();
}
