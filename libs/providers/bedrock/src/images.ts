import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  embeddedImage,
  imageCount,
  imageField,
  imageFieldsGiven,
  IMAGE_SECONDS,
  inputOfPicture,
  joinedReplies,
  listAt,
  malformedReply,
  maskIn,
  pictureFrom,
  picturesToFetch,
  ratioAsked,
  readPicture,
  refuseMask,
  repeatedly,
  sortImageExtra,
  StreamedFiles,
  textAt,
  withheld,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type Upstream,
} from '@model-gateway/provider-kit';

const MOST_PICTURES = 10;
const PICTURES = { maxBytes: 10 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;
const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
/** How far a picture is from the one that it starts from, which must be said (our choice). */
const USUAL_STRENGTH = 0.75;
const KNOWN = new Set(['negative_prompt', 'aspect_ratio', 'style_preset', 'strength', 'grow_mask']);

/** Stability's models by InvokeModel: one picture in a request (docs/wire/bedrock.md#images). */
export const images: ImageAdapter = {
  media: ({ images: given, mask }) => picturesToFetch(mask === undefined ? given : [...given, mask], PICTURES),

  async generate(input, upstream) {
    const count = imageCount(input, MOST_PICTURES);
    const { body, dropped } = toStability(input, upstream.model);
    const files = new StreamedFiles();
    const sources = await sourcesOf(input, upstream, files);
    const replies = await repeatedly(count, async (index) => {
      const own = defined({ seed: inputOfPicture(input, index).seed });
      const { json } = await upstream.send({
        method: 'POST',
        path: `/model/${encodeURIComponent(upstream.model)}/invoke`,
        ...files.body({ ...body, ...own, ...sources }),
        firstByteSeconds: IMAGE_SECONDS,
      });
      return fromStability(json);
    });
    return { ...joinedReplies(replies), dropped };
  },
};

async function sourcesOf({ images: [image], mask }: ImageCreate, upstream: Upstream, files: StreamedFiles) {
  if (image === undefined) return {};
  const { base64 } = await embeddedImage(image, { upstream, limits: PICTURES, files });
  if (mask === undefined) return { image: base64 };
  const { bytes } = await maskIn(mask, await readPicture(mask, upstream, PICTURES), 'white');
  return { image: base64, mask: Buffer.from(bytes).toString('base64') };
}

/** A picture that was withheld is a reason in a 200. Throws `upstream_malformed` when there is neither. */
export function fromStability(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  const reason = textAt(json, 'finish_reasons', 0);
  if (reason?.startsWith('Filter reason') === true)
    throw withheld(`the vendor’s content filter withheld the picture (${reason})`, { vendorCode: reason, taken: 'no' });
  if (reason !== undefined)
    throw new GatewayError('upstream_unavailable', `the vendor made no picture (${reason})`, { taken: 'unknown' });
  const made = listAt(json, 'images').filter((each) => typeof each === 'string');
  if (made.length === 0) throw malformedReply('it holds no picture');
  return { files: made.map(pictureFrom), usage: { images: made.length } };
}

/** The body but the seed and the pictures. */
export function toStability(
  input: ImageCreate,
  model: string,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const [image, second] = input.images;
  const isInpainting = model.includes('inpaint');
  const isSd3 = /\.sd3/.test(model);
  const [kept] = input.keptFiles ?? [];
  if (!isInpainting || kept !== undefined) refuseMask(input);
  if (second !== undefined) throw cannotTake(second.param, 'second picture');
  if (image !== undefined && model.includes('stable-image-core')) throw cannotTake(image.param, 'pictures');
  if (image === undefined && isInpainting)
    throw new GatewayError('invalid_request', 'this model changes pictures: send one to POST /v1/images/edits', {
      param: 'image',
    });
  const extra = sortImageExtra(input, { known: KNOWN, ownShapes: [] });
  const { aspect_ratio, strength, ...passed } = extra.passed;
  const hasRatio = !isInpainting && !(isSd3 && image !== undefined);
  const square = model.includes('stable-image-core') ? '1536x1536' : '1024x1024';
  const size = ratioAsked(input, RATIOS, (ratio) => (ratio === '1:1' ? square : undefined));
  const formats = isSd3 ? ['png', 'jpeg'] : ['png', 'jpeg', 'webp'];
  const format = input.outputFormat ?? 'png';
  const isMade = formats.includes(format);
  return {
    body: {
      ...passed,
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt ?? passed['negative_prompt'],
        mode: isSd3 ? (image === undefined ? 'text-to-image' : 'image-to-image') : undefined,
        strength: image === undefined || isInpainting ? undefined : (strength ?? USUAL_STRENGTH),
        aspect_ratio: hasRatio ? (aspect_ratio ?? size.ratio) : undefined,
        output_format: isMade ? format : 'png',
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
