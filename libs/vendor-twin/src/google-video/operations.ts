import type { JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { sizeFor } from '../core/geometry.ts';
import type { Job } from '../core/jobs.ts';
import { textOf } from '../core/text.ts';
import type { Route } from '../core/vendor.ts';
import { findJob, startJob, videoLink } from '../core/work.ts';
import { specOfLink } from '../media/links.ts';
import { refuseAsGoogle } from '../gemini/errors.ts';
import { complainAsGoogle, readGoogleVideo, readOperationName, type Wire } from './request.ts';

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
