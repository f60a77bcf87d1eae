import type { JsonObject } from '@model-gateway/contracts';
import {
  defined,
  imageCount,
  imageFieldsGiven,
  IMAGE_SECONDS,
  imageSizeOf,
  refuseMask,
  ratioAsked,
  sortImageExtra,
  type ImageAdapter,
  type ImageCreate,
  type RatioAsked,
} from '@model-gateway/provider-kit';
import { fieldParts, fromOpenAiImages } from '../images.ts';
import { sourceParts, sourcesToFetch, type SourceForm } from '../vendor-forms.ts';

const MOST_PICTURES = 6;
const FORM: SourceForm = {
  limits: { maxBytes: 10 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] },
  changed: 'white',
};
const RATIOS = '1:1 2:1 1:2 3:2 2:3 4:3 3:4 5:4 4:5 6:10 14:10 10:14 16:9 9:16'.split(' ');
/** How far a picture is from the one that it starts from, which must be said; 0 is almost the same (our choice). */
const USUAL_STRENGTH = 0.5;

/** `POST /images/generations` as OpenAI's, and forms for edits: `imageToImage`, and `inpaint` of the models that have it. */
export const images: ImageAdapter = {
  media: (input) => sourcesToFetch(input, FORM.limits),

  async generate(input, upstream) {
    const { path, fields, dropped } = toRecraft(input, upstream.model);
    const sources = await sourceParts(input, upstream, FORM);
    const { json } = await upstream.send({
      method: 'POST',
      path,
      ...(sources.length === 0 ? { json: fields } : { form: [...fieldParts(fields), ...sources] }),
      firstByteSeconds: IMAGE_SECONDS,
    });
    return { ...fromOpenAiImages(json), dropped };
  },
};

export interface Asked {
  readonly path: string;
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}

export function toRecraft(input: ImageCreate, model: string): Asked {
  const { images: given, mask } = input;
  // The older models alone paint anew what a mask shows, for a price of their own.
  if (!/^recraftv[23]/.test(model)) refuseMask(input);
  const isEdit = given.length > 0;
  const extra = sortImageExtra(input, { known: KNOWN, ownShapes: ['prompt', 'edit'] });
  const { strength, ...passed } = extra.passed;
  const size: RatioAsked & { readonly pixels?: string } = isEdit
    ? { dropped: imageFieldsGiven(input, ['size']) }
    : sizeOf(input);
  return {
    path: !isEdit ? '/images/generations' : mask === undefined ? '/images/imageToImage' : '/images/inpaint',
    fields: {
      ...passed,
      ...defined({
        prompt: input.prompt,
        model,
        n: input.count === undefined ? undefined : imageCount(input, MOST_PICTURES),
        size: size.pixels ?? size.ratio,
        negative_prompt: input.negativePrompt ?? passed['negative_prompt'],
        strength: isEdit && mask === undefined ? (strength ?? USUAL_STRENGTH) : undefined,
        random_seed: input.seed ?? passed['random_seed'],
        response_format: input.responseFormat,
      }),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'watermark',
        'promptExtend',
        'quality',
        'background',
        'outputFormat',
        'outputCompression',
        'partialImages',
        'user',
      ]),
      ...size.dropped,
      ...extra.dropped,
    ],
  };
}

const KNOWN = new Set([
  'style',
  'substyle',
  'style_id',
  'negative_prompt',
  'controls',
  'text_layout',
  'strength',
  'random_seed',
]);

/** Pixels are sent as they are; classes, and ratios of Google's form, as the ratio. */
function sizeOf(input: ImageCreate): RatioAsked & { readonly pixels?: string } {
  const size = imageSizeOf(input.size);
  if (size?.kind === 'pixels' && input.shape !== 'predict')
    return { pixels: `${size.width}x${size.height}`, dropped: [] };
  return ratioAsked(input, RATIOS, (ratio) => (ratio === '1:1' ? '1024x1024' : undefined));
}
