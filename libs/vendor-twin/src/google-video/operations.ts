import { type JsonObject, isJsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { findJob, startJob, videoLink } from '../core/work.ts';
import { sizeFor, textOf } from '../core/values.ts';
import type { Job } from '../core/jobs.ts';
import type { Route } from '../core/vendor.ts';
import { specOfLink } from '../media/media.ts';
import { refuseAsGoogle, badContent } from '../gemini/errors.ts';
import { bracketed, type Problem, type Reader } from '../core/reader.ts';
import type { Refusal } from '../core/refusal.ts';

/** Veo on the Gemini API: the file needs the key, and is a redirect away. */
export const geminiVideoRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1(?:beta)?\/models\/(?<model>[^/:]+):predictLongRunning$/,
    operation: 'create',
    handle: async (exchange) => create(exchange, 'gemini'),
  },
  {
    method: 'GET',
    path: /^\/v1(?:beta)?\/(?<name>models\/[^/:]+\/operations\/[^/:]+)$/,
    operation: 'poll',
    handle: async (exchange) => sendOperation(exchange, exchange.params['name'] ?? '', 'gemini'),
  },
  { method: 'GET', path: /^\/v1(?:beta)?\/files\/(?<id>[^/:]+):download$/, operation: 'content', handle: download },
];

const VERTEX = '(?<project>[^/]+)/locations/(?<location>[^/]+)/publishers/google/models/(?<model>[^/:]+)';

export const vertexVideoRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: new RegExp(`^/v1/projects/${VERTEX}:predictLongRunning$`),
    operation: 'create',
    handle: async (exchange) => create(exchange, 'vertex'),
  },
  {
    method: 'POST',
    path: new RegExp(`^/v1/projects/${VERTEX}:fetchPredictOperation$`),
    operation: 'poll',
    handle: async (exchange) => {
      const name = readOperationName(exchange.json(complainAsGoogle));
      await sendOperation(exchange, name, 'vertex');
    },
  },
];

async function create(exchange: Exchange, wire: Wire): Promise<void> {
  const { stage, params } = exchange;
  const { model = '', project = '', location = '' } = params;
  const video = readGoogleVideo(exchange.json(complainAsGoogle), model, wire);
  const markers = await exchange.obey(video.prompt);
  if (markers.words.has('refuse')) {
    throw refuseAsGoogle(400, {
      message: "The prompt could not be submitted. It contains words that violate the vendor's usage guidelines.",
    });
  }
  const size = sizeFor(video.resolution, video.ratio);
  const operation = stage.newId('op');
  const at = wire === 'gemini' ? '' : `projects/${project}/locations/${location}/publishers/google/`;
  const job = startJob(exchange, markers, {
    id: `${at}models/${model}/operations/${operation}`,
    kind: 'video',
    model,
    prompt: video.prompt,
    usage: { seconds: video.seconds * video.count, videos: video.count },
    details: {
      file: operation,
      count: video.count,
      ...(video.storageUri !== undefined && { storageUri: video.storageUri }),
      url: videoLink(stage, {
        ...size,
        seconds: video.seconds,
        audio: video.audio,
        prompt: video.prompt,
        ...(video.seed !== undefined && { seed: video.seed }),
      }),
    },
  });
  exchange.reply(200, { name: job.id });
}

async function sendOperation(exchange: Exchange, name: string, wire: Wire): Promise<void> {
  const job = findJob(exchange, name);
  if (job === undefined) throw refuseAsGoogle(404, { message: `Operation not found: ${name}` });
  const state = exchange.stage.jobs.stateOf(job);
  if (state === 'queued' || state === 'running') {
    exchange.reply(200, { name });
    return;
  }
  if (state !== 'succeeded' && job.fate !== 'moderation') {
    const error = {
      code: 13,
      message: 'Video generation failed due to an internal server issue. Please try again.',
      details: [],
    };
    exchange.reply(200, { name, done: true, error });
    return;
  }
  const blocked = state !== 'succeeded';
  const response =
    wire === 'gemini' ? geminiResponse(exchange, job, blocked) : await vertexResponse(exchange, job, blocked);
  exchange.reply(200, { name, done: true, response });
}

/** Done without samples is how a blocked video looks. */
const BLOCKED = {
  raiMediaFilteredCount: 1,
  raiMediaFilteredReasons: [
    "The video was blocked because it violates the vendor's usage guidelines. Support codes: 58061214",
  ],
};

function geminiResponse(exchange: Exchange, job: Job, blocked: boolean): Record<string, unknown> {
  const uri = `${exchange.stage.url}/${exchange.vendor.name}/v1beta/files/${textOf(job.details['file'])}:download?alt=media`;
  return {
    '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
    generateVideoResponse: blocked ? BLOCKED : { generatedSamples: [{ video: { uri } }] },
  };
}

async function vertexResponse(exchange: Exchange, job: Job, blocked: boolean): Promise<Record<string, unknown>> {
  const type = { '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse' };
  if (blocked) return { ...type, ...BLOCKED };
  const count = Number(job.details['count']);
  const { storageUri } = job.details;
  const video =
    typeof storageUri === 'string'
      ? { gcsUri: `${storageUri.replace(/\/$/, '')}/${textOf(job.details['file'])}.mp4` }
      : { bytesBase64Encoded: await bytesOf(exchange, job.details) };
  return {
    ...type,
    raiMediaFilteredCount: 0,
    videos: Array.from({ length: count }, () => ({ ...video, mimeType: 'video/mp4' })),
  };
}

async function bytesOf(exchange: Exchange, details: JsonObject): Promise<string> {
  const url = textOf(details['url']);
  const spec = specOfLink(url);
  if (spec === undefined) throw refuseAsGoogle(500);
  return (await exchange.stage.media.file(spec)).toString('base64');
}

function download(exchange: Exchange): void {
  const id = exchange.params['id'] ?? '';
  const job = exchange.stage.jobs.all(exchange.vendor.name).find((candidate) => candidate.details['file'] === id);
  if (job === undefined || exchange.stage.jobs.stateOf(job) !== 'succeeded') {
    throw refuseAsGoogle(403, { message: `You do not have permission to access the File ${id} or it may not exist.` });
  }
  exchange.reply(302, '', { location: textOf(job.details['url']), 'content-type': 'text/plain' });
}

export type Wire = 'gemini' | 'vertex';

export interface GoogleVideo {
  readonly prompt: string;
  readonly ratio: string;
  readonly resolution: string;
  readonly seconds: number;
  readonly count: number;
  readonly audio: boolean;
  readonly storageUri: string | undefined;
  readonly seed: number | undefined;
}

const INSTANCE = new Set(['prompt', 'image', 'lastFrame', 'referenceImages', 'video']);
const PARAMETERS = new Set([
  'aspectRatio',
  'resolution',
  'durationSeconds',
  'personGeneration',
  'negativePrompt',
  'sampleCount',
  'enhancePrompt',
]);
const VERTEX_PARAMETERS = new Set([
  ...PARAMETERS,
  'storageUri',
  'generateAudio',
  'seed',
  'fps',
  'compressionQuality',
  'resizeMode',
  'pubsubTopic',
]);

export function complainAsGoogle({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  if (kind === 'unknown')
    return badContent(
      `\`${String(path.at(-1))}\` isn't supported by this model. Please remove it or refer to the Gemini API documentation.`,
    );
  return badContent(`${at}: expected ${want}.`);
}

/** Reads `:predictLongRunning` of Veo (docs/wire/veo.md#gemini-api, #vertex-ai). */
export function readGoogleVideo(body: Reader, model: string, wire: Wire): GoogleVideo {
  if (/^(no-such|unknown|missing)-/.test(model) || (wire === 'gemini' && model.endsWith('-preview'))) {
    throw refuseAsGoogle(404, { message: `models/${model} is not found or no longer available.` });
  }
  const instances = body.objects('instances');
  const [instance] = instances;
  if (instance === undefined || instances.length > 1) return body.fail('instances', 'exactly one instance', 'missing');
  instance.only(INSTANCE);
  const extended = instance.has('video');
  const mode = readImages(instance, wire);
  const prompt = instance.optionalString('prompt') ?? '';
  if (prompt === '' && !instance.has('image')) instance.fail('prompt', 'a string, since there is no image', 'missing');
  const parameters = body.optionalObject('parameters');
  parameters?.only(wire === 'vertex' ? VERTEX_PARAMETERS : PARAMETERS);
  const resolution = parameters?.optionalOneOf('resolution', ['720p', '1080p', '4k'] as const) ?? '720p';
  const seconds = parameters?.optionalOneOf('durationSeconds', [4, 6, 8] as const) ?? 8;
  if (seconds !== 8 && (resolution !== '720p' || mode !== 'plain')) {
    throw badContent('`durationSeconds` must be 8 with 1080p, 4k, reference images or a last frame.');
  }
  if (resolution === '4k' && model.includes('lite'))
    throw badContent('`resolution` 4k is not supported by this model.');
  if (extended && resolution !== '720p') throw badContent('Extension supports 720p only.');
  checkPersons(parameters, instance.has('image') || mode !== 'plain');
  return {
    prompt,
    ratio: parameters?.optionalOneOf('aspectRatio', ['16:9', '9:16'] as const) ?? '16:9',
    resolution,
    seconds: extended ? 7 : seconds,
    count: parameters?.optionalInteger('sampleCount', 1, wire === 'vertex' ? 4 : 1) ?? 1,
    audio: parameters?.optionalBoolean('generateAudio') ?? true,
    storageUri: parameters?.optionalString('storageUri'),
    seed: parameters?.optionalInteger('seed', 0, 2 ** 32 - 1),
  };
}

function readImages(instance: Reader, wire: Wire): 'plain' | 'last' | 'references' {
  for (const name of ['image', 'lastFrame'] as const) {
    if (instance.has(name)) checkImage(instance.object(name), wire);
  }
  if (instance.has('lastFrame') && !instance.has('image')) throw badContent('`lastFrame` needs an `image`.');
  const references = instance.objects('referenceImages');
  if (references.length > 3) throw badContent('At most 3 reference images are supported.');
  for (const reference of references) {
    checkImage(reference.object('image'), wire);
    reference.oneOf('referenceType', ['asset', 'style'] as const);
  }
  if (references.length > 0) return 'references';
  return instance.has('lastFrame') ? 'last' : 'plain';
}

/** Bytes, or on Vertex a file in a bucket: never an address on the web. */
function checkImage(image: Reader, wire: Wire): void {
  image.only(new Set(['bytesBase64Encoded', 'mimeType', ...(wire === 'vertex' ? ['gcsUri'] : [])]));
  image.oneOf('mimeType', ['image/png', 'image/jpeg', 'image/webp'] as const);
  if (image.has('gcsUri')) {
    if (!image.string('gcsUri').startsWith('gs://')) image.fail('gcsUri', 'gs://…');
    return;
  }
  const data = image.string('bytesBase64Encoded');
  if (!/^[A-Za-z0-9+/]+=*$/.test(data.slice(0, 1024))) image.fail('bytesBase64Encoded', 'base64');
}

function checkPersons(parameters: Reader | undefined, withImage: boolean): void {
  const allowed = parameters?.optionalString('personGeneration');
  if (allowed === undefined || allowed === (withImage ? 'allow_adult' : 'allow_all') || allowed === 'allow_adult')
    return;
  throw badContent(`\`personGeneration\` ${allowed} is not supported for this input.`);
}

/** The name of an operation in a poll's body. */
export function readOperationName(body: Reader): string {
  const { operationName } = body.value;
  if (!isJsonObject(body.value) || typeof operationName !== 'string')
    return body.fail('operationName', 'a string', 'missing');
  return operationName;
}
