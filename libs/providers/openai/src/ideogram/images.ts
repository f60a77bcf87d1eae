import { type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  dimensionsOf,
  imageCount,
  imageField,
  imageFieldsGiven,
  imageSizeOf,
  IMAGE_SECONDS,
  joinedReplies,
  listAt,
  malformedReply,
  mimeByName,
  refuseMask,
  repeatedly,
  ratioAsked,
  sortImageExtra,
  textAt,
  withheld,
  type Fault,
  type FormPart,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type MediaFile,
  type Upstream,
  type VendorDeclaration,
} from '@model-gateway/provider-kit';
import { fieldParts } from '../images.ts';
import { sourceParts, sourcesToFetch, type SourceForm } from '../vendor-forms.ts';
import { RATIOS, RESOLUTIONS_OF_V3, RESOLUTIONS_OF_V4 } from './sizes.ts';

export const quirks: NonNullable<NonNullable<VendorDeclaration['quirks']>['images']> = {
  rendering_speed: {
    values: ['FLASH', 'TURBO', 'DEFAULT', 'QUALITY'],
    about: 'How fast and how well the offer draws, which its price follows; DEFAULT unless said.',
  },
};

const MOST_PICTURES = 8;
const FORM: SourceForm = {
  limits: { maxBytes: 25 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] },
  changed: 'black',
};
/** Of version 3; what changes the price is not among them. */
const KNOWN_TO_V3 = new Set([
  'negative_prompt',
  'aspect_ratio',
  'style_type',
  'style_preset',
  'magic_prompt',
  'image_weight',
]);

/** Version 3 draws several pictures at once, version 4 one in a request; both answer with links. */
export const images: ImageAdapter = {
  media: (input) => sourcesToFetch(input, FORM.limits),

  async generate(input, upstream) {
    const count = imageCount(input, MOST_PICTURES);
    const isV3 = upstream.model === 'ideogram-v3';
    const { path, fields, dropped } = isV3 ? toV3(input, upstream) : toV4(input, upstream);
    const sources = await sourceParts(input, upstream, FORM);
    const form = [...fieldParts(fields), ...sources];
    if (isV3) return { ...withSome(await drawn(upstream, path, form)), dropped };
    const replies = await repeatedly(count, () => drawn(upstream, path, form));
    return { ...withSome(joinedReplies(replies)), dropped };
  },
};

async function drawn(
  upstream: Upstream,
  path: string,
  form: readonly FormPart[],
): Promise<ImageReply & { readonly usage: Usage }> {
  const { json } = await upstream.send({ method: 'POST', path, form, firstByteSeconds: IMAGE_SECONDS });
  return fromIdeogram(json, upstream);
}

/** Throws when every picture was withheld. */
function withSome<Reply extends Pick<ImageReply, 'files'>>(reply: Reply): Reply {
  if (reply.files.every((file) => 'fault' in file)) throw withheld(WITHHELD.message, { taken: 'unknown' });
  return reply;
}

/** Withheld pictures are entries without a link, and billed. */
export function fromIdeogram(
  json: Json | undefined,
  upstream: Pick<Upstream, 'now'>,
): ImageReply & { readonly usage: Usage } {
  const items = listAt(json, 'data');
  if (items.length === 0) throw malformedReply('it holds no picture');
  const files = items.map((item) => fileOf(item, Math.floor(upstream.now() / 1000) + LINK_SECONDS));
  const created = Math.floor(Date.parse(textAt(json, 'created') ?? '') / 1000);
  const revisedPrompt = textAt(items[0], 'prompt');
  return {
    files,
    usage: { images: items.length },
    ...(Number.isFinite(created) && { created }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
  };
}

const WITHHELD: Fault = { code: 'content_refused', message: 'the vendor’s safety check withheld the picture' };

/** Links expire, and how soon is not said (our choice: the shortest of its peers). */
const LINK_SECONDS = 3600;

function fileOf(item: Json, expiresAt: number): MediaFile | { readonly fault: Fault } {
  const url = textAt(item, 'url') ?? '';
  if (url === '') return { fault: WITHHELD };
  return { url, mime: mimeByName(url, 'image/png'), expiresAt, ...dimensionsOf(textAt(item, 'resolution')) };
}

interface Asked {
  readonly path: string;
  readonly fields: JsonObject;
  readonly dropped: readonly string[];
}
type Target = Pick<Upstream, 'quirks'>;

/** What Ideogram has no words for. */
const NEVER = [
  'watermark',
  'quality',
  'background',
  'outputFormat',
  'outputCompression',
  'partialImages',
  'user',
] as const;

function speedOf({ quirks: { rendering_speed: speed } }: Target): Json | undefined {
  return typeof speed === 'string' ? speed : undefined;
}

/** Generates, remixes a picture, or paints anew what a mask shows. */
export function toV3(input: ImageCreate, target: Target): Asked {
  const { images: given, mask } = input;
  const way = given.length === 0 ? 'generate' : mask === undefined ? 'remix' : 'inpaint';
  const extra = sortImageExtra(input, { known: KNOWN_TO_V3, ownShapes: [] });
  const { aspect_ratio, image_weight, ...passed } = extra.passed;
  const size = way === 'inpaint' ? { dropped: imageFieldsGiven(input, ['size']) } : sizeOfV3(input);
  return {
    path: `/v1/ideogram-v3/${way}`,
    fields: {
      ...passed,
      ...defined({
        prompt: input.prompt,
        negative_prompt: input.negativePrompt ?? passed['negative_prompt'],
        num_images: input.count,
        seed: input.seed,
        rendering_speed: speedOf(target),
        magic_prompt: input.promptExtend === undefined ? passed['magic_prompt'] : input.promptExtend ? 'ON' : 'OFF',
        image_weight: way === 'remix' ? image_weight : undefined,
        resolution: aspect_ratio === undefined ? size.resolution : undefined,
        aspect_ratio: way === 'inpaint' ? undefined : (aspect_ratio ?? size.ratio),
      }),
    },
    dropped: [...imageFieldsGiven(input, NEVER), ...size.dropped, ...extra.dropped],
  };
}

interface SizeOfV3 {
  readonly resolution?: string;
  readonly ratio?: string;
  readonly dropped: readonly string[];
}

/** A resolution that there is, else the nearest ratio. */
function sizeOfV3(input: ImageCreate): SizeOfV3 {
  const written = writtenOf(input);
  if (written !== undefined && RESOLUTIONS_OF_V3.has(written)) return { resolution: written, dropped: [] };
  const { ratio, dropped } = ratioAsked(input, RATIOS, (each) => (each === '1:1' ? '1024x1024' : undefined));
  return { ...(ratio !== undefined && { ratio: ratio.replace(':', 'x') }), dropped };
}

/** Texts only, one picture in a request. */
export function toV4(input: ImageCreate, target: Target): Asked {
  refuseMask(input);
  const [image] = input.images;
  if (image !== undefined) throw cannotTake(image.param, 'pictures');
  const written = writtenOf(input);
  const isMade = written === undefined || RESOLUTIONS_OF_V4.includes(written);
  const extra = sortImageExtra(input, { known: new Set(), ownShapes: [] });
  const { ratio } = ratioAsked(input, RESOLUTIONS_OF_V4.map(ratioOf), () => undefined);
  const nearest = RESOLUTIONS_OF_V4.find((each) => ratioOf(each) === ratio);
  const isNear = input.shape === 'predict';
  return {
    path: '/v1/ideogram-v4/generate',
    fields: defined({
      text_prompt: input.prompt,
      rendering_speed: speedOf(target),
      resolution: isMade ? written : nearest,
    }),
    dropped: [
      ...imageFieldsGiven(input, ['negativePrompt', 'seed', 'promptExtend', ...NEVER]),
      ...(isMade || isNear ? [] : [imageField(input, 'size')]),
      ...extra.dropped,
    ],
  };
}

function ratioOf(resolution: string): string {
  return resolution.replace('x', ':');
}

/** The caller's size in pixels, a class as its square; undefined where it is the model's choice. */
function writtenOf(input: ImageCreate): string | undefined {
  const size = imageSizeOf(input.size);
  if (size?.kind === 'pixels') return `${size.width}x${size.height}`;
  if (size?.kind === 'class') return `${size.side}x${size.side}`;
  return size?.kind === 'word' ? size.word : undefined;
}
