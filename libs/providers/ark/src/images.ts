import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  answerBesidePictures,
  besidePicture,
  cleanFault,
  createJob,
  defined,
  dimensionsOf,
  imageAddress,
  imageCount,
  imageField,
  imageFieldsGiven,
  IMAGE_SECONDS,
  imageSizeOf,
  inputOfPicture,
  joinedReplies,
  listAt,
  malformedReply,
  midReplyError,
  mimeByName,
  numberAt,
  objectAt,
  pictureFrom,
  readEventsOrBody,
  refuseMask,
  repeatedly,
  sortImageExtra,
  StreamedFiles,
  textAt,
  usageOf,
  type Fault,
  type Generated,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type ImageStreamEvent,
  type MediaFile,
  type Upstream,
  type VendorEvent,
} from '@model-gateway/provider-kit';
import { codeOf } from './fault.ts';

const GENERATIONS = '/images/generations';
const MOST_PICTURES = 15;
const LINK_SECONDS = 24 * 3600;
const PICTURES = { maxBytes: 30 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;
const OWN_FIELDS = new Set([
  'sequential_image_generation',
  'sequential_image_generation_options',
  'optimize_prompt_options',
  'guidance_scale',
  'layer_decomposition',
  'tools',
]);

type Target = Pick<Upstream, 'model' | 'quirks'>;

/** Seedream (docs/wire/images.md#seedream): one picture or a related group per request, synchronous, 10–60 s. */
export const images: ImageAdapter = {
  async generate(input, upstream) {
    const files = new StreamedFiles();
    const references = await referencesOf(input, upstream, files);
    const { body, dropped } = toSeedream(input, upstream, references);
    const count = asksForGroup(body) ? 1 : imageCount(input, MOST_PICTURES);
    const replies = await repeatedly(count, async (index) => {
      const { json } = await createJob(upstream, {
        method: 'POST',
        path: GENERATIONS,
        ...files.body(toSeedream(inputOfPicture(input, index), upstream, references).body),
        firstByteSeconds: IMAGE_SECONDS,
      });
      return fromSeedream(json, upstream);
    });
    return { ...joined(replies), dropped };
  },

  async *stream(input, upstream) {
    const files = new StreamedFiles();
    const { body, dropped } = toSeedream(input, upstream, await referencesOf(input, upstream, files));
    const count = asksForGroup(body) ? 1 : imageCount(input, MOST_PICTURES);
    if (count > 1 || !canStream(upstream)) {
      yield* asEvents(await images.generate(input, upstream));
      return;
    }
    const reply = await upstream.stream({
      method: 'POST',
      path: GENERATIONS,
      ...files.body({ ...body, stream: true }),
      // Headers come only when the first picture is done.
      firstByteSeconds: IMAGE_SECONDS,
    });
    yield* fromSeedreamEvents(readEventsOrBody(reply.body), upstream, dropped);
  },
};

/** The request in Seedream's words; references are addresses or data URLs. */
export function toSeedream(
  input: ImageCreate,
  target: Target,
  references: readonly string[],
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  refuseMask(input);
  const takes = abilitiesOf(target);
  const format = input.outputFormat?.toLowerCase();
  const formatFits = format === 'jpeg' || (format === 'png' && takes.outputFormat);
  const unheard = (['seed', 'negativePrompt'] as const).filter((word) => !takes[word]);
  const extra = sortImageExtra(input, { known: OWN_FIELDS, ownShapes: ['prompt', 'edit'] });
  const grouped = extra.passed['sequential_image_generation'] === 'auto';
  return {
    body: {
      ...ownMembers(input),
      ...defined({
        model: target.model,
        prompt: promptOf(input, takes.negativePrompt),
        image: references.length > 1 ? [...references] : references[0],
        size: toSeedreamSize(input.size),
        seed: takes.seed ? input.seed : undefined,
        watermark: input.watermark,
        response_format: input.responseFormat,
        output_format: formatFits && takes.outputFormat ? format : undefined,
        optimize_prompt_options: input.promptExtend === true ? { mode: 'standard' } : undefined,
        sequential_image_generation_options:
          grouped && input.count !== undefined ? { max_images: input.count } : undefined,
      }),
      ...extra.passed,
    },
    dropped: [
      ...imageFieldsGiven(input, [...unheard, 'quality', 'background', 'outputCompression', 'user', 'partialImages']),
      ...(input.promptExtend === false ? [imageField(input, 'promptExtend')] : []),
      ...(format !== undefined && !formatFits ? [imageField(input, 'outputFormat')] : []),
      ...extra.dropped,
    ],
  };
}

/** What is said by the gateway, or that Seedream has no word for. */
const SAID_OTHERWISE = new Set([
  ...['model', 'image', 'n', 'size', 'seed', 'output_format', 'quality', 'background', 'output_compression'],
  ...['user', 'partial_images', 'negative_prompt', 'prompt_extend', 'stream_options', 'callback_url', 'webhook_url'],
]);

/** The members of a body in Seedream's form, null ones too; of others there are none. */
function ownMembers({ shape, body = {} }: ImageCreate): JsonObject {
  if (shape !== 'prompt') return {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => !SAID_OTHERWISE.has(name)));
}

/** A class in upper case, pixels with an x; `auto` is what Seedream does without a size. */
function toSeedreamSize(text: string | undefined): string | undefined {
  const size = imageSizeOf(text);
  if (size === undefined || size.kind === 'auto') return undefined;
  return size.kind === 'pixels' ? `${size.width}x${size.height}` : text?.trim().toUpperCase();
}

function promptOf(input: ImageCreate, takesNegative: boolean): string {
  if (!takesNegative || input.negativePrompt === undefined) return input.prompt;
  return `${input.prompt}\nNot in the picture: ${input.negativePrompt}`;
}

/** What differs between the generations; the catalogue may say otherwise (`seed`, `output_format`, `negative_prompt`, `stream`). */
function abilitiesOf({ model, quirks }: Target): {
  readonly seed: boolean;
  readonly outputFormat: boolean;
  readonly negativePrompt: boolean;
} {
  const says = (name: string, otherwise: boolean): boolean => {
    const said = quirks[name];
    return typeof said === 'boolean' ? said : otherwise;
  };
  return {
    seed: says('seed', true),
    // 4.x always makes jpeg.
    outputFormat: says('output_format', /seedream-5/.test(model)),
    negativePrompt: says('negative_prompt', false),
  };
}

function canStream({ model, quirks }: Target): boolean {
  return quirks['stream'] !== false && !/seedream-5-0-pro/.test(model);
}

function asksForGroup(body: JsonObject): boolean {
  return body['sequential_image_generation'] === 'auto';
}

function referencesOf(input: ImageCreate, upstream: Upstream, files: StreamedFiles): Promise<string[]> {
  return Promise.all(input.images.map((image) => imageAddress(image, { upstream, limits: PICTURES, files })));
}

// ---- answers -----------------------------------------------------------------------------------------------------

type Reply = ImageReply & { readonly usage: Usage };

/** An answer; items that failed stay in their places with their faults. */
export function fromSeedream(json: Json | undefined, upstream: Pick<Upstream, 'scrub' | 'now'>): Reply {
  const items = listAt(json, 'data');
  if (items.length === 0) {
    const fault = faultIn(json, upstream);
    throw fault === undefined ? malformedReply('it holds no picture') : midReplyError(fault, upstream);
  }
  // The wire says `created`, the vendor's own SDK `created_at`.
  const created = numberAt(json, 'created') ?? numberAt(json, 'created_at');
  const files = items.map((item) => {
    const fault = faultIn(item, upstream);
    return fault === undefined ? fileOf(item, created ?? upstream.now() / 1000) : { fault };
  });
  const vendorUsage = objectAt(json, 'usage');
  return {
    files,
    usage: usageIn(vendorUsage, files.filter((file) => !('fault' in file)).length),
    ...(created !== undefined && { created }),
    ...(vendorUsage !== undefined && { vendorUsage }),
    answer: answerBesidePictures(json),
  };
}

/** The events of a group as it is drawn (docs/wire/images.md#seedream-stream). */
export async function* fromSeedreamEvents(
  events: AsyncIterable<VendorEvent>,
  upstream: Pick<Upstream, 'scrub' | 'now'>,
  dropped: readonly string[],
): AsyncGenerator<ImageStreamEvent> {
  let started = false;
  let made = 0;
  let completed: ImageStreamEvent | undefined;
  for await (const { name, json, whole } of events) {
    if (whole) {
      yield* asEvents({ ...fromSeedream(json, upstream), dropped });
      return;
    }
    if (name === '[DONE]') break;
    const fault = faultIn(json, upstream);
    const index = numberAt(json, 'image_index') ?? made;
    if (fault !== undefined && !name.endsWith('.partial_failed')) throw midReplyError(fault, upstream);
    if (!started) yield { type: 'started', dropped };
    started = true;
    if (fault !== undefined) yield { type: 'failed', index, fault };
    else if (name.endsWith('.partial_succeeded')) {
      const file = fileOf(json, numberAt(json, 'created') ?? upstream.now() / 1000);
      yield { type: 'image', index, file, echo: saidOf(json) };
      made += 1;
    } else if (name.endsWith('.completed')) completed = completedEvent(objectAt(json, 'usage'), made);
  }
  if (completed === undefined) {
    throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended before the images were complete', {
      taken: 'unknown',
    });
  }
  yield completed;
}

/** What an event says of its picture. */
function saidOf(json: JsonObject): JsonObject {
  const { type: _type, model: _model, created: _created, image_index: _index, ...said } = besidePicture(json);
  return said;
}

function* asEvents(reply: Generated<ImageReply>): Generator<ImageStreamEvent> {
  yield { type: 'started', dropped: reply.dropped };
  for (const [index, file] of reply.files.entries()) {
    yield 'fault' in file ? { type: 'failed', index, fault: file.fault } : { type: 'image', index, file };
  }
  const { usage, vendorUsage } = reply;
  yield { type: 'completed', usage, ...(vendorUsage !== undefined && { vendorUsage }) };
}

function completedEvent(vendorUsage: JsonObject | undefined, made: number): ImageStreamEvent {
  return { type: 'completed', usage: usageIn(vendorUsage, made), ...(vendorUsage !== undefined && { vendorUsage }) };
}

function fileOf(item: Json, created: number): MediaFile {
  const dimensions = dimensionsOf(textAt(item, 'size'));
  const base64 = textAt(item, 'b64_json');
  if (base64 !== undefined) return { ...pictureFrom(base64), ...dimensions };
  const url = textAt(item, 'url');
  if (url === undefined) throw malformedReply('a picture has neither bytes nor an address');
  const mime = mimeByName(url, `image/${textAt(item, 'output_format') ?? 'jpeg'}`);
  return { url, mime, expiresAt: Math.floor(created) + LINK_SECONDS, ...dimensions };
}

/** The `error` of an item, an event or a whole answer that came with status 200. */
function faultIn(json: Json | undefined, upstream: Pick<Upstream, 'scrub'>): Fault | undefined {
  const error = objectAt(json, 'error');
  if (error === undefined || Object.keys(error).length === 0) return undefined;
  const vendorCode = textAt(error, 'code');
  const fault = {
    code: codeOf(vendorCode ?? '', 500),
    message: textAt(error, 'message') ?? 'the vendor refused without saying why',
    ...(vendorCode !== undefined && { vendorCode }),
  };
  return cleanFault(fault, (text) => upstream.scrub(text));
}

function usageIn(usage: JsonObject | undefined, made: number): Usage {
  return usageOf({
    images: numberAt(usage, 'generated_images') ?? made,
    outputTokens: numberAt(usage, 'output_tokens'),
    webSearches: numberAt(usage, 'tool_usage', 'web_search'),
  });
}

/** Several requests' answers as one. */
function joined(replies: readonly (Reply | { readonly fault: Fault })[]): Reply {
  const answers = replies.filter((reply) => 'files' in reply);
  const [first] = answers;
  if (first !== undefined && replies.length === 1) return first;
  const vendorUsage = answers.length === 0 ? undefined : summed(answers.map((answer) => answer.vendorUsage ?? {}));
  return {
    ...joinedReplies(replies),
    ...(first?.created !== undefined && { created: first.created }),
    ...(vendorUsage !== undefined && { vendorUsage }),
  };
}

function summed(usages: readonly JsonObject[]): JsonObject {
  const sum: JsonObject = {};
  for (const [name, value] of usages.flatMap((usage) => Object.entries(usage))) {
    const before = sum[name];
    sum[name] = typeof value === 'number' && typeof before === 'number' ? before + value : value;
  }
  return sum;
}
