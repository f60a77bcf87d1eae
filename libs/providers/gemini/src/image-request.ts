/** What is asked of Gemini's image models (docs/wire/images.md#gemini-images, #between-the-image-bodies). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  defined,
  imageField,
  imageFieldsGiven,
  imageSizeOf,
  refuseMask,
  sortImageExtra,
  type EmbeddedMedia,
  type ImageCreate,
  type Upstream,
} from '@model-gateway/provider-kit';

const OWN_FIELDS = new Set([
  'aspect_ratio',
  'aspectRatio',
  'tools',
  'safetySettings',
  'systemInstruction',
  'generationConfig',
]);
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
const FLASH_RATIOS = ['1:4', '4:1', '1:8', '8:1'];
const CLASSES: readonly (readonly [side: number, name: string])[] = [
  [512, '512'],
  [1024, '1K'],
  [2048, '2K'],
  [4096, '4K'],
];

/** The request: pictures first, then the text. The caller's own `generationConfig` wins where it says more. */
export function toGeminiImage(
  input: ImageCreate,
  target: Pick<Upstream, 'model' | 'quirks'>,
  pictures: readonly EmbeddedMedia[],
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  refuseMask(input);
  const frame = frameOf(input, target);
  const extra = sortImageExtra(input, { known: OWN_FIELDS, ownShapes: [] });
  const { aspect_ratio, aspectRatio, generationConfig, ...passed } = extra.passed;
  const own = isJsonObject(generationConfig) ? generationConfig : {};
  const imageConfig = defined({
    aspectRatio: aspect_ratio ?? aspectRatio ?? frame.aspectRatio,
    imageSize: frame.imageSize,
  });
  const parts: Json[] = pictures.map(({ mime, base64 }) => ({ inlineData: { mimeType: mime, data: base64 } }));
  return {
    body: {
      ...passed,
      contents: [{ role: 'user', parts: [...parts, { text: input.prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
        ...defined({ seed: input.seed }),
        ...own,
      },
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'negativePrompt',
        'promptExtend',
        'watermark',
        'quality',
        'background',
        'outputFormat',
        'outputCompression',
        'partialImages',
        'user',
      ]),
      ...(frame.exact ? [] : [imageField(input, 'size')]),
      ...extra.dropped,
    ],
  };
}

interface Frame {
  readonly aspectRatio?: string;
  readonly imageSize?: string;
  /** Whether the picture will have the size the caller asked for. */
  readonly exact: boolean;
}

/** A class as it is written here; pixels as the nearest ratio and class. */
function frameOf(input: ImageCreate, target: Pick<Upstream, 'model' | 'quirks'>): Frame {
  const size = imageSizeOf(input.size);
  if (size === undefined || size.kind === 'auto') return { exact: true };
  const oneSize = hasOneSize(target);
  if (size.kind === 'word') return oneSize ? { exact: false } : { imageSize: size.word, exact: true };
  if (size.kind === 'class') {
    const name = nameOf(size.side);
    if (oneSize) return { exact: size.side === 1024 };
    return { imageSize: name, exact: CLASSES.some(([side]) => side === size.side) };
  }
  const { width, height } = size;
  const aspectRatio = nearestRatio(width / height, target);
  const side = Math.sqrt(width * height);
  const square = width === height && CLASSES.some(([known]) => known === width);
  if (oneSize) return { aspectRatio, exact: square && width === 1024 };
  return { aspectRatio, imageSize: nameOf(side), exact: square };
}

function nameOf(side: number): string {
  // 512 exists on some models only: it is sent when it was asked for, never as the nearest.
  if (side === 512) return '512';
  const classes = CLASSES.slice(1);
  return nearest(
    classes.map(([known, name]) => [known, name] as const),
    side,
  );
}

function nearestRatio(ratio: number, { model }: Pick<Upstream, 'model'>): string {
  const known = /flash/.test(model) && !model.includes('2.5') ? [...RATIOS, ...FLASH_RATIOS] : RATIOS;
  return nearest(
    known.map((name) => {
      const [width = 1, height = 1] = name.split(':').map(Number);
      return [width / height, name] as const;
    }),
    ratio,
  );
}

function nearest(candidates: readonly (readonly [value: number, name: string])[], wanted: number): string {
  let best = '';
  let distance = Number.POSITIVE_INFINITY;
  for (const [value, name] of candidates) {
    const away = Math.abs(Math.log(value / wanted));
    if (away < distance) [best, distance] = [name, away];
  }
  return best;
}

/** gemini-2.5-flash-image has one size; the catalogue's `image_size: false` says so of another. */
function hasOneSize({ model, quirks }: Pick<Upstream, 'model' | 'quirks'>): boolean {
  const said = quirks['image_size'];
  return typeof said === 'boolean' ? !said : model.includes('2.5-flash-image');
}
