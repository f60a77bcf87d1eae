/** Veo on the Gemini API and on Vertex AI: long-running operations (docs/wire/veo.md#gemini-api, #vertex-ai, #states). */
import { GatewayError, isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cleanFault,
  createJob,
  listAt,
  malformedReply,
  numberAt,
  pollJob,
  textAt,
  valueAt,
  type Fault,
  type MediaFile,
  type Upstream,
  type UpstreamReply,
  type UpstreamRequest,
  type VideoAdapter,
  type VideoProgress,
  cannotTake,
  defined,
  fieldOf,
  frameIn,
  namesOfGiven,
  readDataUrl,
  refuseKinds,
  sortExtra,
  type MediaRequest,
  type VideoCreate,
  type VideoInput,
} from '@model-gateway/provider-kit';
import { operationFault, withoutProject } from './fault.ts';

/** Files of the Gemini API live two days (docs/wire/veo.md#gemini-api). */
const FILE_SECONDS = 2 * 86_400;
/** Vertex answers with the videos themselves. */
const MAX_OPERATION_BYTES = 384 * 1024 * 1024;
/** Asks `authorize` for a new token; never sent. */
export const FRESH_TOKEN = 'x-gateway-fresh-token';

export const gemini: VideoAdapter = googleWire('gemini', {
  create: (upstream) => `${geminiPrefix(upstream)}/models/${encodeURIComponent(upstream.model)}:predictLongRunning`,
  poll: (operation, upstream) => ({ method: 'GET', path: `${geminiPrefix(upstream)}/${segments(operation)}` }),
  send: (upstream) => upstream,
});

export const vertex: VideoAdapter = googleWire('vertex', {
  create: (upstream) => `${vertexModel(upstream, upstream.model)}:predictLongRunning`,
  poll: (operation, upstream) => ({
    method: 'POST',
    // The operation names the model it belongs to, which may have left the catalogue since.
    path: `${vertexModel(upstream, /\/models\/([^/]+)\/operations\//.exec(operation)?.[1] ?? upstream.model)}:fetchPredictOperation`,
    json: { operationName: operation },
    maxReplyBytes: MAX_OPERATION_BYTES,
  }),
  send: withFreshToken,
});

interface GoogleWire {
  create(upstream: Upstream): string;
  poll(operation: string, upstream: Upstream): UpstreamRequest;
  send(upstream: Upstream): Upstream;
}

function googleWire(name: 'gemini' | 'vertex', wire: GoogleWire): VideoAdapter {
  return {
    media: imagesToFetch,

    async start(input, upstream) {
      const { body, seconds, dropped } = await toGoogleVideo(input, name, upstream);
      const request: UpstreamRequest = { method: 'POST', path: wire.create(upstream), json: body };
      const { json } = await createJob(wire.send(upstream), request);
      const operation = textAt(json, 'name');
      if (operation === undefined) throw malformedReply('it names no operation');
      return { ticket: { wire: name, operation, seconds }, dropped };
    },

    async check(ticket, upstream) {
      const operation = textAt(ticket, 'operation') ?? '';
      const polled = await pollJob(wire.send(upstream), wire.poll(operation, upstream));
      if ('missing' in polled) return { state: 'missing', payload: payloadWithoutProject(polled.missing) };
      return fromOperation(polled.json, ticket, upstream);
    },
  };
}

/** The Gemini API's version stands in the path; an account may have it in its base already. */
function geminiPrefix({ account }: Pick<Upstream, 'account'>): string {
  return /\/v\d+\w*$/.test(account.baseUrl) ? '' : '/v1beta';
}

function vertexModel({ account }: Pick<Upstream, 'account'>, model: string): string {
  const { settings, baseUrl } = account;
  const project = firstGiven(settings['project'], settings['project_id']);
  if (project === undefined) {
    throw new GatewayError('upstream_rejected_key', 'the account has no project', { taken: 'no' });
  }
  const location = firstGiven(settings['location'], /\/\/([\w-]+)-aiplatform\./.exec(baseUrl)?.[1]) ?? 'us-central1';
  const prefix = /\/v\d+\w*$/.test(baseUrl) ? '' : '/v1';
  return `${prefix}/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}/publishers/google/models/${encodeURIComponent(model)}`;
}

function firstGiven(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== '');
}

function segments(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

/**
 * A token can be revoked before it ends: a refusal is tried once more with a new one (docs/wire/veo.md#errors-of-google). Nothing
 * was done under the old one.
 */
function withFreshToken(upstream: Upstream): Upstream {
  return {
    ...upstream,
    async send(request): Promise<UpstreamReply> {
      try {
        return await upstream.send(request);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.code !== 'upstream_rejected_key') throw error;
        return upstream.send({ ...request, headers: { ...request.headers, [FRESH_TOKEN]: '1' } });
      }
    },
  };
}

/** An operation as progress. Done without a video is a failure: refused by the safety filter, or in error. */
export function fromOperation(
  operation: Json,
  ticket: JsonObject,
  upstream: Pick<Upstream, 'scrub' | 'storable' | 'now'>,
): VideoProgress {
  if (!isJsonObject(operation) || textAt(operation, 'name') === undefined) {
    throw malformedReply('an operation without a name');
  }
  const payload = payloadWithoutProject(upstream.storable(operation));
  if (operation['done'] !== true) return { state: 'running', payload };
  const failed = (fault: Fault): VideoProgress => ({
    state: 'failed',
    fault: cleanFault(fault, (text) => withoutProject(upstream.scrub(text))),
    payload,
  });
  const error = operation['error'];
  if (isJsonObject(error)) return failed(operationFault(error));
  const response = operation['response'];
  const files = filesOf(response, upstream);
  if (files.length > 0) return { state: 'succeeded', files, usage: usageOf(files, ticket), payload };
  return failed(filteredFault(response) ?? { code: 'upstream_unavailable', message: 'it ended without a video' });
}

/** Vertex names operations by the operator's project, which is nobody's business. */
function payloadWithoutProject(payload: Json): Json {
  return JSON.parse(JSON.stringify(payload), (_name, value: Json) =>
    typeof value === 'string' ? withoutProject(value) : value,
  ) as Json;
}

function filesOf(response: Json | undefined, upstream: Pick<Upstream, 'now'>): MediaFile[] {
  const samples = listAt(response, 'generateVideoResponse', 'generatedSamples').map((sample) =>
    valueAt(sample, 'video'),
  );
  const expiresAt = Math.floor(upstream.now() / 1000) + FILE_SECONDS;
  return [...samples, ...listAt(response, 'videos')].flatMap((video): MediaFile[] => {
    const mime = textAt(video, 'mimeType') ?? 'video/mp4';
    const bytes = textAt(video, 'bytesBase64Encoded') ?? textAt(video, 'encodedVideo');
    if (bytes !== undefined) return [{ bytes: Buffer.from(bytes, 'base64'), mime }];
    const uri = textAt(video, 'uri');
    // The link wants the account's key.
    if (uri !== undefined) return [{ url: uri, mime, credentialed: true, expiresAt }];
    const object = /^gs:\/\/(.+)$/.exec(textAt(video, 'gcsUri') ?? '')?.[1];
    return object === undefined ? [] : [{ url: `https://storage.googleapis.com/${object}`, mime }];
  });
}

function filteredFault(response: Json | undefined): Fault | undefined {
  const inner = valueAt(response, 'generateVideoResponse') ?? response;
  const count = numberAt(inner, 'raiMediaFilteredCount') ?? 0;
  const reason = textAt(inner, 'raiMediaFilteredReasons', 0);
  if (count === 0 && reason === undefined) return undefined;
  return { code: 'content_refused', message: reason ?? 'the video was filtered by the vendor’s safety rules' };
}

function usageOf(files: readonly MediaFile[], ticket: JsonObject): Usage {
  const seconds = numberAt(ticket, 'seconds');
  return { videos: files.length, ...(seconds !== undefined && { seconds: seconds * files.length }) };
}

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

/** The family's own shapes pass new parameters, as the OpenAI shape does; they may be written snake_case. */
function extraOf(input: VideoCreate, wire: 'gemini' | 'vertex'): { passed: JsonObject; dropped: readonly string[] } {
  const known = new Set([...PARAMETERS, ...(wire === 'vertex' ? VERTEX_PARAMETERS : [])]);
  const { parameters } = input.extra;
  const names = [...Object.keys(input.extra), ...(isJsonObject(parameters) ? Object.keys(parameters) : [])];
  const isOwn = input.shape === 'image-urls' || input.shape === 'instances';
  const own = isOwn ? names : names.filter((name) => known.has(camel(name)));
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
