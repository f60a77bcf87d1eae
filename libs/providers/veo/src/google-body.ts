/** `instances` and `parameters` of predictLongRunning, for the Gemini API and Vertex AI (docs/wire/veo.md#gemini-api, #vertex-ai). */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  fieldOf,
  frameIn,
  namesOfGiven,
  readDataUrl,
  refuseKinds,
  sortExtra,
  type MediaRequest,
  type Upstream,
  type VideoCreate,
  type VideoInput,
} from '@model-gateway/provider-kit';

export interface GoogleVideo {
  readonly body: { readonly instances: Json[]; readonly parameters: JsonObject };
  readonly seconds: number;
  readonly dropped: readonly string[];
}

const FRAME = { resolutions: ['720p', '1080p', '4k'], ratios: ['16:9', '9:16'] };
/** What a clip takes when nobody says, and what the better classes, references and last frames always take. */
const FULL_SECONDS = 8;
const PARAMETERS = ['personGeneration', 'sampleCount', 'enhancePrompt'];
const VERTEX_PARAMETERS = ['fps', 'compressionQuality', 'resizeMode'];
/** Would write into buckets and topics with the operator's rights, or belong to kie.ai. */
const NOT_OURS = new Set([
  'storageUri',
  'outputGcsUri',
  'pubsubTopic',
  'webhookConfig',
  'callBackUrl',
  'generationType',
  'seeds',
  'watermark',
  'enableTranslation',
  'enableFallback',
]);
const IMAGES = { maxBytes: 20 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] } as const;

/** The body of a create; images are fetched and written into it, since these wires take no addresses. */
export async function toGoogleVideo(
  input: VideoCreate,
  wire: 'gemini' | 'vertex',
  upstream: Pick<Upstream, 'fetchMedia'>,
): Promise<GoogleVideo> {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  const frame = frameIn(input, FRAME);
  const references = input.images.filter(({ role }) => role === 'reference');
  const first = input.images.find(({ role }) => role === 'first_frame');
  const last = input.images.find(({ role }) => role === 'last_frame');
  checkImages(first, last, references);
  const extra = extraOf(input, wire);
  const fullLength = last !== undefined || references.length > 0 || (frame.resolution ?? '720p') !== '720p';
  const duration = fullLength ? FULL_SECONDS : input.duration;
  const [image, lastFrame, referenceImages] = await Promise.all([
    first === undefined ? Promise.resolve(undefined) : inlined(first, upstream),
    last === undefined ? Promise.resolve(undefined) : inlined(last, upstream),
    Promise.all(references.map((one) => inlined(one, upstream))),
  ]);
  return {
    seconds: duration ?? FULL_SECONDS,
    body: {
      instances: [
        defined({
          prompt: input.prompt,
          image,
          lastFrame,
          referenceImages:
            referenceImages.length > 0
              ? referenceImages.map((one) => ({ image: one, referenceType: 'asset' }))
              : undefined,
        }),
      ],
      parameters: {
        ...extra.passed,
        ...defined({
          aspectRatio: frame.ratio,
          resolution: frame.resolution,
          durationSeconds: duration,
          negativePrompt: input.negativePrompt,
          seed: wire === 'vertex' ? input.seed : undefined,
          generateAudio: wire === 'vertex' ? input.audio : undefined,
        }),
      },
    },
    dropped: [
      ...namesOfGiven(input, wire === 'vertex' ? ['watermark'] : ['watermark', 'seed']),
      // The Gemini API always makes sound: only silence cannot be had.
      ...(wire === 'gemini' && input.audio === false ? [fieldOf(input, 'audio')] : []),
      ...(fullLength && input.duration !== undefined && input.duration !== FULL_SECONDS
        ? [fieldOf(input, 'duration')]
        : []),
      ...frame.dropped,
      ...extra.dropped,
    ],
  };
}

function checkImages(
  first: VideoInput<string> | undefined,
  last: VideoInput<string> | undefined,
  references: readonly VideoInput<string>[],
): void {
  if (last !== undefined && first === undefined) throw cannotTake(last.param, 'last frame without a first one');
  const [reference] = references;
  if (reference !== undefined && first !== undefined)
    throw cannotTake(reference.param, 'references beside a first frame');
  const fourth = references[3];
  if (fourth !== undefined) throw cannotTake(fourth.param, 'more than 3 reference images');
}

/** The family's own shape passes new parameters, as the OpenAI shape does; both may be written snake_case. */
function extraOf(input: VideoCreate, wire: 'gemini' | 'vertex'): { passed: JsonObject; dropped: readonly string[] } {
  const known = new Set([...PARAMETERS, ...(wire === 'vertex' ? VERTEX_PARAMETERS : [])]);
  const names = Object.keys(input.extra);
  const own = input.shape === 'image-urls' ? names : names.filter((name) => known.has(camel(name)));
  const sorted = sortExtra(input, new Set(own));
  const passed: JsonObject = {};
  const dropped = [...sorted.dropped];
  for (const [name, value] of Object.entries(sorted.passed)) {
    if (NOT_OURS.has(camel(name))) dropped.push(name);
    else passed[camel(name)] = value;
  }
  return { passed, dropped };
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** What is fetched for the body. */
export function imagesToFetch(input: VideoCreate): readonly MediaRequest[] {
  return input.images.flatMap(({ url, param }) => (/^(?:asset|data):/.test(url) ? [] : [{ ...IMAGES, url, param }]));
}

/** An image as bytes in the body: decoded from its data: URL, or fetched through the untrusted fetcher. */
async function inlined(
  { url, param }: VideoInput<string>,
  upstream: Pick<Upstream, 'fetchMedia'>,
): Promise<JsonObject> {
  if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
  const media = readDataUrl(url, param);
  if (media !== undefined) {
    const bytes = Math.floor((media.base64.length * 3) / 4);
    if (bytes > IMAGES.maxBytes) {
      throw new GatewayError(
        'invalid_request',
        `${param}: the image is ${bytes} bytes large; ${IMAGES.maxBytes} are allowed`,
        {
          param,
        },
      );
    }
    return { bytesBase64Encoded: media.base64, mimeType: media.mime };
  }
  const { bytes, mime } = await upstream.fetchMedia(url, { ...IMAGES, param });
  return { bytesBase64Encoded: Buffer.from(bytes).toString('base64'), mimeType: mime };
}
