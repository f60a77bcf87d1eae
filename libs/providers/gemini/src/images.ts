import { GatewayError, type Json, type JsonObject, type Usage, isJsonObject } from '@model-gateway/contracts';
import {
  embeddedImage,
  imageCount,
  IMAGE_SECONDS,
  listAt,
  malformedReply,
  numberAt,
  objectAt,
  pictureFrom,
  picturesToFetch,
  repeatedly,
  StreamedFiles,
  textAt,
  usageOf,
  type ImageAdapter,
  type ImageReply,
  defined,
  imageField,
  imageFieldsGiven,
  inputOfPicture,
  joinedReplies,
  withheld,
  imageSizeOf,
  refuseMask,
  sortImageExtra,
  type EmbeddedMedia,
  type ImageCreate,
  type Upstream,
} from '@model-gateway/provider-kit';
import { modelPath } from './chat.ts';

const MOST_PICTURES = 10;
const PICTURES = {
  maxBytes: 20 * 1024 * 1024,
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
} as const;
/** Ends that say the picture was withheld (docs/wire/images.md#gemini-images). */
const WITHHELD = /SAFETY|PROHIBITED_CONTENT|RECITATION|BLOCKLIST|SPII/;

/** Gemini's image models through generateContent; several pictures are several requests. */
export const images = geminiImages(({ model, account }) => modelPath(model, 'generateContent', account.settings));

/** The same where a model's address is another one. */
export function geminiImages(pathOf: (upstream: Upstream) => string): ImageAdapter {
  return {
    media: (input) => picturesToFetch(input.images, PICTURES),

    async generate(input, upstream) {
      const count = imageCount(input, MOST_PICTURES);
      const files = new StreamedFiles();
      const how = { upstream, limits: PICTURES, files };
      const pictures = await Promise.all(input.images.map((image) => embeddedImage(image, how)));
      const { dropped } = toGeminiImage(input, upstream, pictures);
      const path = pathOf(upstream);
      const replies = await repeatedly(count, async (index) => {
        const { body } = toGeminiImage(inputOfPicture(input, index), upstream, pictures);
        const { json } = await upstream.send({
          method: 'POST',
          path,
          ...files.body(body),
          firstByteSeconds: IMAGE_SECONDS,
        });
        return fromGeminiImage(json);
      });
      const answers = replies.filter((reply) => 'files' in reply);
      const vendorUsage = answers.length === 1 ? answers[0]?.vendorUsage : undefined;
      return {
        ...joinedReplies(replies),
        ...(vendorUsage !== undefined && { vendorUsage }),
        dropped,
      };
    },
  };
}

/** The pictures among the parts; drafts of a thinking model (`thought: true`) are not results. */
export function fromGeminiImage(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  if (objectAt(json) === undefined) throw malformedReply('it is no JSON object');
  const files = listAt(json, 'candidates')
    .flatMap((candidate) => listAt(candidate, 'content', 'parts'))
    .filter((part) => !isThought(part))
    .map((part) => textAt(part, 'inlineData', 'data') ?? textAt(part, 'inline_data', 'data'))
    .filter((data) => data !== undefined)
    .map(pictureFrom);
  if (files.length === 0) throw noPicture(json);
  const vendorUsage = objectAt(json, 'usageMetadata');
  return {
    files,
    usage: { ...tokensOf(vendorUsage), images: files.length },
    ...(vendorUsage !== undefined && { vendorUsage }),
  };
}

function isThought(part: Json): boolean {
  return objectAt(part)?.['thought'] === true;
}

function noPicture(json: Json | undefined): GatewayError {
  const blocked = textAt(json, 'promptFeedback', 'blockReason');
  if (blocked !== undefined) return refused('the prompt', blocked);
  const reason = textAt(json, 'candidates', 0, 'finishReason');
  if (reason !== undefined && WITHHELD.test(reason)) return refused('the picture', reason);
  const said = reason === undefined ? 'no reason' : reason;
  return new GatewayError('upstream_malformed', `the vendor answered without an image (${said})`, {
    taken: 'unknown',
    ...(reason !== undefined && { vendorCode: reason }),
  });
}

function refused(what: string, vendorCode: string): GatewayError {
  return withheld(`the vendor’s content rules refused ${what} (${vendorCode})`, { vendorCode, taken: 'no' });
}

function tokensOf(usage: JsonObject | undefined): Usage {
  const candidates = numberAt(usage, 'candidatesTokenCount');
  const thoughts = numberAt(usage, 'thoughtsTokenCount');
  const prompt = numberAt(usage, 'promptTokenCount');
  const tools = numberAt(usage, 'toolUsePromptTokenCount');
  return usageOf({
    // Google counts what its tools read apart from the prompt, and thoughts apart from the answer; ours include them.
    inputTokens: prompt === undefined ? undefined : prompt + (tools ?? 0),
    cachedInputTokens: numberAt(usage, 'cachedContentTokenCount'),
    inputImageTokens: ofModality(usage, 'promptTokensDetails'),
    outputTokens: candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts,
    outputImageTokens: ofModality(usage, 'candidatesTokensDetails'),
    toolPromptTokens: tools,
  });
}

function ofModality(usage: JsonObject | undefined, field: string): number | undefined {
  const entry = listAt(usage, field).find((detail) => textAt(detail, 'modality') === 'IMAGE');
  return numberAt(entry, 'tokenCount');
}

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
  // Google's form asks for a ratio and a class, and these they are.
  if (input.shape === 'predict')
    return { aspectRatio, ...(!oneSize && { imageSize: nameOf(side) }), exact: !oneSize || nameOf(side) === '1K' };
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
