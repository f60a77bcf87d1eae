import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  createJob,
  defined,
  finishedJob,
  imageAddress,
  imageField,
  imageFieldsGiven,
  IMAGE_SECONDS,
  imageSizeOf,
  listAt,
  lostJob,
  malformedReply,
  midReplyError,
  mimeByName,
  numberAt,
  objectAt,
  refuseMask,
  sortImageExtra,
  StreamedFiles,
  textAt,
  usageOf,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type MediaFile,
  type Upstream,
  type UpstreamRequest,
  type JobOutcome,
  type UpstreamReply,
} from '@model-gateway/provider-kit';
import { faultIn } from './fault.ts';

const LINK_SECONDS = 24 * 3600;
const PICTURES = { maxBytes: 20 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;
/** Squares by class; the models stop at 2048 x 2048. */
const CLASSES: Readonly<Record<number, string>> = { 1024: '1024*1024', 2048: '2048*2048' };
const OWN_PARAMETERS = new Set([
  'prompt_extend_mode',
  'thinking_mode',
  'enable_sequential',
  'bbox_list',
  'color_palette',
]);

/** One answer, or a task: with the prompt alone (older models), or with messages. */
/** The ways to ask for a picture, as the catalogue's `wire` names them. */
export const IMAGE_WIRES = ['sync', 'text2image', 'image-generation'] as const;
type Wire = (typeof IMAGE_WIRES)[number];
const PATHS: Record<Wire, string> = {
  sync: '/services/aigc/multimodal-generation/generation',
  text2image: '/services/aigc/text2image/image-synthesis',
  'image-generation': '/services/aigc/image-generation/generation',
};

/** Qwen-Image and Wan pictures (docs/wire/images.md#dashscope-images). A vendor task is waited for inside: the caller's request is an ordinary one. */
export const images: ImageAdapter = {
  async generate(input, upstream) {
    const wire = wireOf(upstream);
    const files = new StreamedFiles();
    const how = { upstream, limits: PICTURES, files };
    const addresses = await Promise.all(input.images.map((image) => imageAddress(image, how)));
    const { body, dropped } = toDashScope(input, upstream.model, wire, addresses);
    const request: UpstreamRequest = {
      method: 'POST',
      path: PATHS[wire],
      ...files.body(body),
      firstByteSeconds: IMAGE_SECONDS,
    };
    const { json } = wire === 'sync' ? await createJob(upstream, request) : await finishedImageTask(upstream, request);
    return { ...fromDashScope(json, upstream), dropped };
  },
};

/** Which wire a model has; the catalogue's `wire` wins over what its name says. */
function wireOf({ model, quirks }: Pick<Upstream, 'model' | 'quirks'>): Wire {
  const said = quirks['wire'];
  const wire = IMAGE_WIRES.find((one) => one === said);
  if (wire !== undefined) return wire;
  if (/^qwen-image(?:-plus)?(?:-\d{4}.*)?$/.test(model) || /^wanx|^wan2\.[0-5]/.test(model)) return 'text2image';
  return model.startsWith('wan') ? 'image-generation' : 'sync';
}

/** The request in DashScope's words: pictures first, then the text, in the one user message. */
export function toDashScope(
  input: ImageCreate,
  model: string,
  wire: Wire,
  addresses: readonly string[],
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  refuseMask(input);
  const first = input.images[0];
  if (wire === 'text2image' && first !== undefined) {
    throw new GatewayError('invalid_request', `${first.param}: this model takes only text`, {
      param: first.param,
    });
  }
  const extra = sortImageExtra(input, { known: OWN_PARAMETERS, ownShapes: ['messages'] });
  const content: Json[] = [...addresses.map((image) => ({ image })), { text: input.prompt }];
  const byPrompt = wire === 'text2image';
  return {
    body: {
      model,
      input: byPrompt
        ? defined({ prompt: input.prompt, negative_prompt: input.negativePrompt })
        : { messages: [{ role: 'user', content }] },
      parameters: {
        ...extra.passed,
        ...defined({
          size: toDashScopeSize(input),
          n: input.count,
          negative_prompt: byPrompt ? undefined : input.negativePrompt,
          prompt_extend: input.promptExtend,
          watermark: input.watermark,
          seed: input.seed,
        }),
      },
    },
    dropped: [
      ...imageFieldsGiven(input, [
        'quality',
        'background',
        'outputFormat',
        'outputCompression',
        'partialImages',
        'user',
      ]),
      ...extra.dropped,
    ],
  };
}

/** Width and height with an asterisk; without a size the model picks one. */
function toDashScopeSize(input: ImageCreate): string | undefined {
  const size = imageSizeOf(input.size);
  if (size === undefined || size.kind === 'auto') return undefined;
  if (size.kind === 'pixels') return `${size.width}*${size.height}`;
  const square = size.kind === 'class' ? CLASSES[size.side] : input.size?.trim();
  if (square !== undefined) return square;
  const param = imageField(input, 'size');
  throw new GatewayError(
    'invalid_request',
    `${param}: this model makes no ${input.size ?? ''}; possible are 1K, 2K or <width>*<height>`,
    { param },
  );
}

/** The pictures of an answer or of a finished task: choices, contents and results are all collected. */
export function fromDashScope(
  json: Json | undefined,
  upstream: Pick<Upstream, 'scrub' | 'now'>,
): ImageReply & { readonly usage: Usage } {
  const fault = faultIn(json, upstream);
  if (fault !== undefined) throw midReplyError(fault, upstream);
  const expiresAt = Math.floor(upstream.now() / 1000) + LINK_SECONDS;
  const vendorUsage = objectAt(json, 'usage');
  const frame = { width: numberAt(vendorUsage, 'width'), height: numberAt(vendorUsage, 'height') };
  const link = (url: string): MediaFile => ({
    url,
    mime: mimeByName(url, 'image/png'),
    expiresAt,
    ...(frame.width !== undefined && frame.height !== undefined && { width: frame.width, height: frame.height }),
  });
  const chosen = listAt(json, 'output', 'choices').flatMap((choice) => listAt(choice, 'message', 'content'));
  const files = [...chosen, ...listAt(json, 'output', 'results')].flatMap((item): ImageReply['files'] => {
    const url = textAt(item, 'image') ?? textAt(item, 'url');
    const itemFault = faultIn(item, upstream);
    if (url !== undefined) return [link(url)];
    return itemFault === undefined ? [] : [{ fault: itemFault }];
  });
  if (files.length === 0) throw malformedReply('it holds no picture');
  const requestId = textAt(json, 'request_id');
  const revisedPrompt = textAt(json, 'output', 'results', 0, 'actual_prompt');
  return {
    files,
    usage: usageOf({
      images: numberAt(vendorUsage, 'image_count') ?? files.filter((file) => !('fault' in file)).length,
      inputTokens: numberAt(vendorUsage, 'input_tokens'),
      outputTokens: numberAt(vendorUsage, 'output_tokens'),
    }),
    ...(requestId !== undefined && { requestId }),
    ...(revisedPrompt !== undefined && { revisedPrompt }),
    ...(vendorUsage !== undefined && { vendorUsage }),
  };
}

/** Starts a task and waits until it has succeeded. */
export async function finishedImageTask(upstream: Upstream, create: UpstreamRequest): Promise<UpstreamReply> {
  const headers = { ...create.headers, 'x-dashscope-async': 'enable' };
  const created = await createJob(upstream, { ...create, headers });
  const taskId = textAt(created.json, 'output', 'task_id');
  if (taskId === undefined) throw malformedReply('it names no task');
  return finishedJob(upstream, 'picture', () => ask(upstream, `/tasks/${encodeURIComponent(taskId)}`));
}

async function ask(upstream: Upstream, path: string): Promise<JobOutcome<UpstreamReply>> {
  const reply = await upstream.send({ method: 'GET', path, notFound: 'task' });
  const word = textAt(reply.json, 'output', 'task_status');
  if (word === 'SUCCEEDED') return { state: 'done', result: reply };
  if (word === 'FAILED' || word === 'CANCELED') return { state: 'failed', error: endOf(reply, word, upstream) };
  // UNKNOWN is DashScope's word for an id it does not have.
  return { state: word === 'UNKNOWN' ? 'missing' : 'running' };
}

function endOf(reply: UpstreamReply, word: string, upstream: Upstream): GatewayError {
  const fault = faultIn(objectAt(reply.json, 'output'), upstream);
  return fault === undefined
    ? lostJob(`the vendor ended the picture’s task as ${word}`)
    : midReplyError(fault, upstream);
}
