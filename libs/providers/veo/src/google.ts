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
} from '@model-gateway/provider-kit';
import { operationFault, withoutProject } from './fault.ts';
import { imagesToFetch, toGoogleVideo } from './google-body.ts';

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
