import { GatewayError, type Json, type JsonObject, type Usage, isJsonObject } from '@model-gateway/contracts';
import {
  addUsage,
  answerBesidePictures,
  besidePicture,
  defined,
  dimensionsOf,
  listAt,
  malformedReply,
  midReplyError,
  mimeByName,
  numberAt,
  objectAt,
  pictureFrom,
  readEventsOrBody,
  textAt,
  usageOf,
  type ImageAdapter,
  type ImageReply,
  type ImageStreamEvent,
  type MediaFile,
  type Upstream,
  type VendorEvent,
  imageField,
  imageFieldsGiven,
  IMAGE_SECONDS,
  imageSizeOf,
  inOnePiece,
  picturesToFetch,
  sortImageExtra,
  readPicture,
  type FormPart,
  type ImageCreate,
  type ImageInput,
  type MediaRequest,
  type ReadPicture,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

/** OpenAI's images: generations and edits, whole or with partial pictures (docs/wire/images.md#openai-images). */
export const images: ImageAdapter = {
  media: picturesOfForm,

  async generate(input, upstream) {
    const { request, dropped } = await toOpenAiImages(input, upstream, false);
    const { json } = await upstream.send(request);
    return { ...fromOpenAiImages(json), dropped };
  },

  async *stream(input, upstream) {
    const { request, dropped } = await toOpenAiImages(input, upstream, true);
    const reply = await upstream.stream(request);
    yield* fromOpenAiEvents(readEventsOrBody(reply.body), upstream, dropped);
  },
};

/** The answer of both endpoints. `upstream_malformed` when it holds no picture. */
export function fromOpenAiImages(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  const size = textAt(json, 'size');
  const files = listAt(json, 'data').map((item) => fileOf(item, size));
  if (files.length === 0) throw malformedReply('it holds no picture');
  const created = numberAt(json, 'created');
  const revisedPrompt = textAt(json, 'data', 0, 'revised_prompt');
  const vendorUsage = objectAt(json, 'usage');
  const echo = echoOf(json);
  return {
    files,
    usage: { ...tokensOf(vendorUsage), images: files.length },
    ...(created !== undefined && { created }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
    ...(isUsage(vendorUsage) && { vendorUsage }),
    ...(Object.keys(echo).length > 0 && { echo }),
    answer: answerBesidePictures(json),
  };
}

/** The events of both endpoints' streams; a server that ignores `stream` answers whole, and that is told as events too. */
export async function* fromOpenAiEvents(
  events: AsyncIterable<VendorEvent>,
  upstream: Pick<Upstream, 'scrub'>,
  dropped: readonly string[] = [],
): AsyncGenerator<ImageStreamEvent> {
  let started = false;
  let made = 0;
  let usage: Usage = {};
  let vendorUsage: JsonObject | undefined;
  for await (const { name, json, whole } of events) {
    const fault = readFault({ status: 200, headers: {}, body: new Uint8Array(0), json });
    if (fault !== undefined) throw midReplyError(fault, upstream);
    if (!started) yield { type: 'started', dropped };
    started = true;
    if (whole) {
      const reply = fromOpenAiImages(json);
      for (const file of reply.files) {
        if ('fault' in file) continue;
        yield { type: 'image', index: made, file, ...(reply.echo !== undefined && { echo: reply.echo }) };
        made += 1;
      }
      ({ usage, vendorUsage } = reply);
    } else if (name.endsWith('.partial_image')) {
      const index = numberAt(json, 'partial_image_index') ?? 0;
      yield { type: 'partial', index, file: fileOf(json, textAt(json, 'size')), echo: saidOf(json) };
    } else if (name.endsWith('.completed')) {
      yield { type: 'image', index: made, file: fileOf(json, textAt(json, 'size')), echo: saidOf(json) };
      made += 1;
      vendorUsage = objectAt(json, 'usage') ?? vendorUsage;
      usage = addUsage([usage, tokensOf(objectAt(json, 'usage'))]);
    }
  }
  if (made === 0) {
    throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended before the image was complete', {
      taken: 'unknown',
    });
  }
  yield { type: 'completed', usage: { ...usage, images: made }, ...(isUsage(vendorUsage) && { vendorUsage }) };
}

function fileOf(item: Json, size: string | undefined): MediaFile {
  const base64 = textAt(item, 'b64_json');
  if (base64 !== undefined) return { ...pictureFrom(base64), ...dimensionsOf(size) };
  const url = textAt(item, 'url');
  if (url === undefined) throw malformedReply('a picture has neither bytes nor an address');
  return { url, mime: mimeByName(url, 'image/png'), ...dimensionsOf(size) };
}

function echoOf(json: Json | undefined): JsonObject {
  return defined({
    background: textAt(json, 'background'),
    output_format: textAt(json, 'output_format'),
    quality: textAt(json, 'quality'),
    size: textAt(json, 'size'),
  });
}

/** What an event says of its picture. */
function saidOf(json: JsonObject): JsonObject {
  const { type: _type, usage: _usage, partial_image_index: _index, ...said } = besidePicture(json);
  return said;
}

function tokensOf(usage: JsonObject | undefined): Usage {
  return usageOf({
    inputTokens: numberAt(usage, 'input_tokens'),
    cachedInputTokens: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
    inputImageTokens: numberAt(usage, 'input_tokens_details', 'image_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    outputImageTokens: numberAt(usage, 'output_tokens_details', 'image_tokens'),
  });
}

const GENERATIONS = '/images/generations';
const EDITS = '/images/edits';
const PICTURES = { maxBytes: 50 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;
/** Sizes of the models before gpt-image-2. */
const FIRST_SIZES = ['auto', '1024x1024', '1536x1024', '1024x1536'];
const LONGEST = 3840;
const SHORTEST_SIDE_LIMIT = 2160;

export interface Asked {
  readonly request: UpstreamRequest;
  readonly dropped: readonly string[];
}

/** Generation when there is nothing to start from, else editing; JSON when all pictures are addresses, else a streamed form. */
export async function toOpenAiImages(
  input: ImageCreate,
  upstream: Pick<Upstream, 'model' | 'quirks' | 'fetchMedia'>,
  stream: boolean,
): Promise<Asked> {
  const { body, dropped } = toOpenAiImageBody(input, upstream, stream);
  const common = { method: 'POST', firstByteSeconds: IMAGE_SECONDS } as const;
  const edits = input.images.length > 0 || input.mask !== undefined || input.keptFiles !== undefined;
  if (!edits) {
    return { request: { ...common, path: GENERATIONS, json: body }, dropped };
  }
  if (!needsForm(input, upstream)) {
    const pictures = input.shape === 'edit' && input.body !== undefined ? {} : pictureReferences(input);
    return { request: { ...common, path: EDITS, json: { ...body, ...pictures } }, dropped };
  }
  return { request: { ...common, path: EDITS, form: await editForm(input, body, upstream) }, dropped };
}

/** What is fetched for the form of an edit: a form wants the bytes behind every address. */
export function picturesOfForm(
  input: ImageCreate,
  target: Pick<Upstream, 'model' | 'quirks'>,
): readonly MediaRequest[] {
  return needsForm(input, target) ? picturesToFetch(inputsOf(input), PICTURES) : [];
}

function inputsOf({ images, mask }: ImageCreate): readonly ImageInput[] {
  return mask === undefined ? images : [...images, mask];
}

/** Where all pictures are addresses, GPT image models take them as JSON. */
function needsForm(input: ImageCreate, target: Pick<Upstream, 'model' | 'quirks'>): boolean {
  if (input.keptFiles !== undefined) return false;
  return !isGptImage(target) || !inputsOf(input).every((image) => 'url' in image);
}

/** The fields both endpoints share: the caller's own members, and what the gateway says in their place. GPT image models know no `response_format`: they always answer with bytes. */
export function toOpenAiImageBody(
  input: ImageCreate,
  target: Pick<Upstream, 'model' | 'quirks'>,
  stream: boolean,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const gptImage = isGptImage(target);
  const size = toOpenAiSize(input, target);
  const extra = sortImageExtra(input, { known: OWN_FIELDS, ownShapes: ['prompt', 'edit'] });
  const ofOpenAi = input.shape !== 'messages';
  return {
    body: {
      ...ownMembers(input, target),
      ...extra.passed,
      ...defined({
        model: target.model,
        prompt: input.prompt,
        n: input.count,
        size: size.value,
        quality: input.quality,
        background: input.background,
        output_format: input.outputFormat,
        output_compression: input.outputCompression,
        safety_identifier: gptImage && !ofOpenAi ? input.user : undefined,
        user: gptImage && !ofOpenAi ? undefined : input.user,
        seed: gptImage ? undefined : input.seed,
        watermark: gptImage ? undefined : input.watermark,
        response_format: gptImage ? undefined : input.responseFormat,
        stream: stream ? true : undefined,
        partial_images: stream || ofOpenAi ? input.partialImages : undefined,
      }),
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'negativePrompt',
        ...(gptImage ? (['seed', 'watermark'] as const) : []),
        'promptExtend',
      ]),
      ...(size.exact ? [] : [imageField(input, 'size')]),
      ...extra.dropped,
    ],
  };
}

/** Said in another way, or not at all: pictures, where an answer would go that nobody is billed for, and to GPT image models Seedream's words. */
const SAID_OTHERWISE = new Set(['image', 'images', 'mask', 'stream_options', 'callback_url', 'webhook_url']);
const UNKNOWN_TO_GPT = new Set(['response_format', 'seed', 'watermark']);

/** The members of a body in OpenAI's form, null ones too; of others there are none. An edit's pictures stay where they need no form. */
function ownMembers(input: ImageCreate, target: Pick<Upstream, 'model' | 'quirks'>): JsonObject {
  const { shape, body = {} } = input;
  if (shape === 'messages') return {};
  const keepsPictures = shape === 'edit' && !needsForm(input, target);
  const members = Object.entries(body).filter(([name]) => {
    if (keepsPictures && (name === 'images' || name === 'mask')) return true;
    return !SAID_OTHERWISE.has(name) && !(isGptImage(target) && UNKNOWN_TO_GPT.has(name));
  });
  return Object.fromEntries(members);
}

const OWN_FIELDS = new Set(['moderation', 'input_fidelity', 'markup', 'complexity', 'safety_identifier']);

/** `gpt-image-…` and its aliases, as opposed to other vendors' models on this wire; the catalogue may say `gpt_image` either way. */
function isGptImage({ model, quirks }: Pick<Upstream, 'model' | 'quirks'>): boolean {
  const said = quirks['gpt_image'];
  return typeof said === 'boolean' ? said : /^(?:gpt-image|chatgpt-image)/.test(model);
}

/** The caller's size as this model takes it: a class becomes the nearest square or `auto`; pixels that are not possible are a 400. */
function toOpenAiSize(
  input: ImageCreate,
  target: Pick<Upstream, 'model' | 'quirks'>,
): { readonly value: string | undefined; readonly exact: boolean } {
  const size = imageSizeOf(input.size);
  if (size === undefined) return { value: undefined, exact: true };
  if (size.kind === 'auto') return { value: 'auto', exact: true };
  const allowed = sizesOf(target);
  if (size.kind === 'word' || allowed === 'any') return { value: writtenWithX(input.size ?? ''), exact: true };
  if (size.kind === 'class') {
    if (allowed !== 'free') {
      const square = allowed.includes(`${size.side}x${size.side}`);
      return { value: square ? `${size.side}x${size.side}` : 'auto', exact: square };
    }
    const side = Math.min(size.side, SHORTEST_SIDE_LIMIT);
    return { value: `${side}x${side}`, exact: side === size.side };
  }
  const value = `${size.width}x${size.height}`;
  if (allowed === 'free' ? isLegal(size) : allowed.includes(value)) return { value, exact: true };
  const param = imageField(input, 'size');
  const rule =
    allowed === 'free'
      ? 'both sides must be divisible by 16, the ratio between 1:3 and 3:1, and nothing larger than 3840x2160'
      : `possible are ${allowed.join(', ')}`;
  throw new GatewayError('invalid_request', `${param}: this model makes no ${value}; ${rule}`, { param });
}

function sizesOf({ model, quirks }: Pick<Upstream, 'model' | 'quirks'>): readonly string[] | 'free' | 'any' {
  const said = quirks['sizes'];
  if (Array.isArray(said)) return said.filter((size) => typeof size === 'string');
  if (said === 'free' || said === 'any') return said;
  if (!isGptImage({ model, quirks })) return 'any';
  return /^gpt-image-1(?:\b|[.-])/.test(model) ? FIRST_SIZES : 'free';
}

function isLegal({ width, height }: { readonly width: number; readonly height: number }): boolean {
  const long = Math.max(width, height);
  const short = Math.min(width, height);
  return width % 16 === 0 && height % 16 === 0 && long <= LONGEST && short <= SHORTEST_SIDE_LIMIT && long <= short * 3;
}

function writtenWithX(size: string): string {
  return size.trim().replace(/^(\d+)\s*[*×]\s*(\d+)$/, '$1x$2');
}

function pictureReferences(input: ImageCreate): JsonObject {
  const reference = (image: ImageInput): JsonObject => ({ image_url: 'url' in image ? image.url : '' });
  return defined({
    images: input.images.map(reference),
    mask: input.mask === undefined ? undefined : reference(input.mask),
  });
}

/** Files are read while they are sent; only addresses are held, because the form wants their bytes. */
async function editForm(
  input: ImageCreate,
  body: JsonObject,
  upstream: Pick<Upstream, 'fetchMedia'>,
): Promise<readonly FormPart[]> {
  const name = input.images.length > 1 ? 'image[]' : 'image';
  const pictures = await Promise.all(input.images.map((image, index) => picturePart(image, name, index, upstream)));
  const mask = input.mask === undefined ? [] : [await picturePart(input.mask, 'mask', 0, upstream)];
  return [...fieldParts(body), ...pictures, ...mask];
}

async function picturePart(
  image: ImageInput,
  name: string,
  index: number,
  upstream: Pick<Upstream, 'fetchMedia'>,
): Promise<FormPart> {
  if (!('url' in image)) {
    return { name, filename: image.filename, contentType: image.mime, size: image.size, open: image.open };
  }
  return filePart(name, await readPicture(image, upstream, PICTURES), index);
}

/** A picture in memory as a file of a form. */
export function filePart(name: string, { bytes, mime }: ReadPicture, index = 0): FormPart {
  return {
    name,
    filename: `${name.replace('[]', '')}-${index + 1}.${mime.split('/')[1] ?? 'png'}`,
    contentType: mime,
    size: bytes.byteLength,
    open: () => inOnePiece(bytes),
  };
}

/** Fields of a form: a form has no word for null. */
export function fieldParts(fields: JsonObject): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : { name, value: typeof value === 'object' ? JSON.stringify(value) : String(value) },
  );
}

/** Whether the reply's usage object says anything. */
export function isUsage(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}
