import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  imageCount,
  imageField,
  imageFieldsGiven,
  IMAGE_SECONDS,
  inputOfPicture,
  joinedReplies,
  malformedReply,
  pictureFrom,
  refuseMask,
  repeatedly,
  ratioAsked,
  sortImageExtra,
  textAt,
  type FormPart,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type Upstream,
} from '@model-gateway/provider-kit';
import { fieldParts } from '../images.ts';
import { sourceParts, sourcesToFetch, type SourceForm } from '../vendor-forms.ts';

const MOST_PICTURES = 10;
const GENERATE = '/v2beta/stable-image/generate';
const FORM: SourceForm = {
  limits: { maxBytes: 10 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] },
  changed: 'white',
};
const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
/** How far a picture is from the one that it starts from, which must be said; 0 is the same (our choice). */
const USUAL_STRENGTH = 0.75;
const KNOWN = new Set(['negative_prompt', 'aspect_ratio', 'style_preset', 'strength', 'cfg_scale', 'grow_mask']);

/** What the models can do by their names (docs/wire/stability.md#models). */
interface Abilities {
  readonly path: string;
  /** Sent as `model`. */
  readonly isNamed: boolean;
  readonly startsFrom: 'nothing' | 'a picture if given' | 'a picture and its mask';
  readonly square: string;
  readonly formats: readonly string[];
}

function abilitiesOf(name: string): Abilities {
  const model = name.replace(/^stable-image-/, '');
  const formats = ['png', 'jpeg', 'webp'];
  const square = '1024x1024';
  if (model === 'inpaint')
    return {
      path: '/v2beta/stable-image/edit/inpaint',
      isNamed: false,
      startsFrom: 'a picture and its mask',
      square,
      formats,
    };
  if (model === 'core')
    return { path: `${GENERATE}/core`, isNamed: false, startsFrom: 'nothing', square: '1536x1536', formats };
  if (model === 'ultra')
    return { path: `${GENERATE}/ultra`, isNamed: false, startsFrom: 'a picture if given', square, formats };
  return {
    path: `${GENERATE}/sd3`,
    isNamed: true,
    startsFrom: 'a picture if given',
    square,
    formats: ['png', 'jpeg'],
  };
}

/** A form and one picture of base64 for an answer; several pictures are several requests. */
export const images: ImageAdapter = {
  media: (input) => sourcesToFetch(input, FORM.limits),

  async generate(input, upstream) {
    const count = imageCount(input, MOST_PICTURES);
    const able = abilitiesOf(upstream.model);
    const { fields, dropped } = toStability(input, upstream.model, able);
    const sources = await sourceParts(input, upstream, FORM);
    const replies = await repeatedly(count, (index) => {
      const own = defined({ seed: inputOfPicture(input, index).seed });
      return drawn(upstream, able.path, [...fieldParts({ ...fields, ...own }), ...sources]);
    });
    return { ...joinedReplies(replies), dropped };
  },
};

async function drawn(
  upstream: Upstream,
  path: string,
  form: readonly FormPart[],
): Promise<ImageReply & { readonly usage: Usage }> {
  const { json } = await upstream.send({
    method: 'POST',
    path,
    headers: { accept: 'application/json' },
    form,
    firstByteSeconds: IMAGE_SECONDS,
  });
  return fromStability(json);
}

/** Throws `upstream_malformed` when it holds no picture. */
export function fromStability(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  const base64 = textAt(json, 'image');
  if (base64 === undefined) throw malformedReply('it holds no picture');
  return { files: [pictureFrom(base64)], usage: { images: 1 } };
}

/** The form's fields but the seed. */
export function toStability(
  input: ImageCreate,
  model: string,
  able: Abilities = abilitiesOf(model),
): { readonly fields: JsonObject; readonly dropped: readonly string[] } {
  const [image] = input.images;
  const isInpainting = able.startsFrom === 'a picture and its mask';
  if (!isInpainting) refuseMask(input);
  if (able.startsFrom === 'nothing' && image !== undefined) throw cannotTake(image.param, 'pictures');
  if (isInpainting && image === undefined)
    throw new GatewayError('invalid_request', 'this model changes pictures: send one to POST /v1/images/edits', {
      param: 'image',
    });
  const keepsSize = image !== undefined && able.isNamed;
  const extra = sortImageExtra(input, { known: KNOWN, ownShapes: [] });
  const { aspect_ratio, strength, ...passed } = extra.passed;
  const size = ratioAsked(input, RATIOS, (ratio) => (ratio === '1:1' ? able.square : undefined));
  const hasRatio = !keepsSize && !isInpainting;
  const format = input.outputFormat === 'jpg' ? 'jpeg' : input.outputFormat;
  const isMade = format === undefined || able.formats.includes(format);
  return {
    fields: {
      ...passed,
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt ?? passed['negative_prompt'],
        model: able.isNamed ? model : undefined,
        mode: keepsSize ? 'image-to-image' : undefined,
        strength: image === undefined || isInpainting ? undefined : (strength ?? USUAL_STRENGTH),
        aspect_ratio: hasRatio ? (aspect_ratio ?? size.ratio) : undefined,
        output_format: isMade ? (format ?? 'png') : 'png',
      }),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'watermark',
        'promptExtend',
        'quality',
        'background',
        'outputCompression',
        'partialImages',
        'user',
      ]),
      ...(hasRatio ? size.dropped : imageFieldsGiven(input, ['size'])),
      ...(isMade ? [] : [imageField(input, 'outputFormat')]),
      ...extra.dropped,
    ],
  };
}
