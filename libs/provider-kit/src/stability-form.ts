/** The fields of Stability's models, which its own API and Bedrock share (docs/wire/stability.md#models). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ImageCreate } from './image-adapter.ts';
import { imageField, imageFieldsGiven, ratioAsked, refuseMask, sortImageExtra } from './image-form.ts';
import { cannotTake, defined } from './video-form.ts';

const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
/** How far a picture is from the one that it starts from, which must be said; 0 is the same (our choice). */
const USUAL_STRENGTH = 0.75;

/** What a model can do. */
export interface StabilityAbilities {
  readonly startsFrom: 'nothing' | 'a picture if given' | 'a picture and its mask';
  /** Whether a changed picture has the size of the one that it starts from. */
  readonly keepsSize: boolean;
  /** The size of its squares. */
  readonly square: string;
  readonly formats: readonly string[];
  /** The vendor's own fields that callers may set. */
  readonly known: ReadonlySet<string>;
}

/** The fields but the seed and the pictures. Throws 400 for what the model cannot do. */
export function stabilityFields(
  input: ImageCreate,
  able: StabilityAbilities,
): { readonly fields: JsonObject; readonly dropped: readonly string[] } {
  const [image] = input.images;
  const isInpainting = able.startsFrom === 'a picture and its mask';
  const [kept] = input.keptFiles ?? [];
  if (!isInpainting || kept !== undefined) refuseMask(input);
  if (able.startsFrom === 'nothing' && image !== undefined) throw cannotTake(image.param, 'pictures');
  if (isInpainting && image === undefined)
    throw new GatewayError('invalid_request', 'this model changes pictures: send one to POST /v1/images/edits', {
      param: 'image',
    });
  const extra = sortImageExtra(input, { known: able.known, ownShapes: [] });
  const { aspect_ratio, strength, ...passed } = extra.passed;
  const size = ratioAsked(input, RATIOS, (ratio) => (ratio === '1:1' ? able.square : undefined));
  const hasRatio = !isInpainting && !(able.keepsSize && image !== undefined);
  const format = input.outputFormat === 'jpg' ? 'jpeg' : (input.outputFormat ?? 'png');
  const isMade = able.formats.includes(format);
  return {
    fields: {
      ...passed,
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt ?? passed['negative_prompt'],
        strength: image === undefined || isInpainting ? undefined : (strength ?? USUAL_STRENGTH),
        aspect_ratio: hasRatio ? (aspect_ratio ?? size.ratio) : undefined,
        output_format: isMade ? format : 'png',
      }),
    },
    dropped: [
      ...imageFieldsGiven(input, ['watermark', 'promptExtend', 'quality', 'background', 'outputCompression']),
      ...imageFieldsGiven(input, ['partialImages', 'user']),
      ...(hasRatio ? size.dropped : imageFieldsGiven(input, ['size'])),
      ...(isMade ? [] : [imageField(input, 'outputFormat')]),
      ...extra.dropped,
    ],
  };
}
