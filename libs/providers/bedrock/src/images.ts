import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  embeddedImage,
  imageCount,
  IMAGE_SECONDS,
  inputOfPicture,
  joinedReplies,
  listAt,
  malformedReply,
  maskIn,
  pictureFrom,
  picturesToFetch,
  readPicture,
  repeatedly,
  stabilityFields,
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
  if (second !== undefined) throw cannotTake(second.param, 'second picture');
  const isSd3 = /\.sd3/.test(model);
  const isCore = model.includes('stable-image-core');
  const { fields, dropped } = stabilityFields(input, {
    startsFrom: model.includes('inpaint') ? 'a picture and its mask' : isCore ? 'nothing' : 'a picture if given',
    keepsSize: isSd3,
    square: isCore ? '1536x1536' : '1024x1024',
    formats: isSd3 ? ['png', 'jpeg'] : ['png', 'jpeg', 'webp'],
    known: KNOWN,
  });
  const mode = image === undefined ? 'text-to-image' : 'image-to-image';
  return { body: { ...fields, ...(isSd3 && { mode }) }, dropped };
}
