/** POST /videos, GET /videos/{id}, GET /videos/{id}/content: a protocol more than a vendor (docs/wire/openai-videos.md#the-vendor, #endpoints, #states). */
import { isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  cannotTake,
  cleanFault,
  createJob,
  defined,
  idAt,
  inOnePiece,
  malformedReply,
  namesOfGiven,
  numberAt,
  pixelsIn,
  pollJob,
  proportionOf,
  fieldOf,
  readDataUrl,
  readDialectFault,
  refuseKinds,
  sortExtra,
  textAt,
  valueAt,
  type Fault,
  type FormPart,
  type MediaFile,
  type Upstream,
  type UpstreamRequest,
  type VideoAdapter,
  type VideoCreate,
  type VideoProgress,
  type VideoSource,
} from '@model-gateway/provider-kit';

const VIDEOS = '/videos';

export const openAiVideos: VideoAdapter = {
  async start(input, upstream) {
    const { source } = input;
    const { body, dropped } = source === undefined ? toOpenAiVideo(input, upstream.model) : { body: {}, dropped: [] };
    const request = source === undefined ? { path: VIDEOS, ...encoded(body) } : toChange(input, source);
    const { json } = await createJob(upstream, { method: 'POST', ...request });
    const id = idAt(json, 'id') ?? idAt(json, 'task_id');
    if (id === undefined) throw malformedReply('it names no video');
    return { ticket: { id }, dropped };
  },

  async check(ticket, upstream) {
    const id = textAt(ticket, 'id') ?? '';
    const path = `${VIDEOS}/${encodeURIComponent(id)}`;
    const polled = await pollJob(upstream, { method: 'GET', path, notFound: 'task' });
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    return fromOpenAiVideo(polled.json, `${upstream.account.baseUrl}${path}/content`, upstream);
  },
};

// ---- create --------------------------------------------------------------------------------------------------------

interface OpenAiVideo {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** OpenAI's own shape goes as it came, any other is written anew. */
export function toOpenAiVideo(input: VideoCreate, model: string): OpenAiVideo {
  return input.shape === 'seconds' ? { body: fromOwnShape(input, model), dropped: [] } : fromForm(input, model);
}

function fromOwnShape(input: VideoCreate, model: string): JsonObject {
  const kept = Object.entries(input.body).filter(([name]) => name !== 'callback_url');
  const body: JsonObject = { ...Object.fromEntries(kept), model };
  const { seconds, input_reference: reference } = body;
  if (typeof seconds === 'number') body['seconds'] = String(seconds);
  if (typeof reference === 'string') body['input_reference'] = { image_url: reference };
  return body;
}

function fromForm(input: VideoCreate, model: string): OpenAiVideo {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  for (const { role, param } of input.images) {
    if (role !== 'first_frame') throw cannotTake(param, role === 'reference' ? 'reference images' : 'last frame');
  }
  const first = input.images[0];
  if (first?.url.startsWith('asset:') === true) throw cannotTake(first.param, 'asset:// identifiers');
  const pixels = pixelsIn(input);
  const extra = sortExtra(input, new Set());
  return {
    body: defined({
      model,
      prompt: input.prompt,
      seconds: input.duration === undefined ? undefined : String(input.duration),
      size: pixels === undefined ? undefined : `${pixels.width}x${pixels.height}`,
      input_reference: first === undefined ? undefined : { image_url: first.url },
    }),
    dropped: [
      ...namesOfGiven(input, ['negativePrompt', 'seed', 'watermark', 'audio']),
      ...(input.ratio !== undefined && proportionOf(input.ratio) === undefined ? [fieldOf(input, 'ratio')] : []),
      ...(input.resolution !== undefined && pixels === undefined ? [fieldOf(input, 'resolution')] : []),
      ...extra.dropped,
    ],
  };
}

/** A video of this account made into another one: it is named by its vendor's id (docs/wire/openai-videos.md#endpoints). */
export function toChange(
  { prompt, duration }: Pick<VideoCreate, 'prompt' | 'duration'>,
  { change, ticket }: Pick<VideoSource, 'change' | 'ticket'>,
): Pick<UpstreamRequest, 'path' | 'json'> {
  const id = textAt(ticket, 'id') ?? '';
  const json = defined({ prompt });
  if (change === 'remix') return { path: `${VIDEOS}/${encodeURIComponent(id)}/remix`, json };
  if (change === 'edit') return { path: `${VIDEOS}/edits`, json: { ...json, video: { id } } };
  const seconds = duration === undefined ? {} : { seconds: String(duration) };
  return { path: `${VIDEOS}/extensions`, json: { ...json, ...seconds, video: { id } } };
}

/** JSON; or a form when the first frame is there as content, which this shape takes as a file. */
function encoded(body: JsonObject): Pick<UpstreamRequest, 'json' | 'form'> {
  const address = textAt(body, 'input_reference', 'image_url');
  const media = address === undefined ? undefined : readDataUrl(address, 'input_reference');
  if (media === undefined) return { json: body };
  const parts: FormPart[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'input_reference' || value === null) continue;
    parts.push({ name, value: typeof value === 'string' ? value : JSON.stringify(value) });
  }
  const bytes = Buffer.from(media.base64, 'base64');
  parts.push({
    name: 'input_reference',
    filename: `input_reference.${media.mime.split('/')[1] ?? 'bin'}`,
    contentType: media.mime,
    size: bytes.byteLength,
    open: () => inOnePiece(bytes),
  });
  return { form: parts };
}

// ---- poll ----------------------------------------------------------------------------------------------------------

/** The words relays use, lower case (docs/wire/openai-videos.md#states). */
const STATES: Readonly<Record<string, 'queued' | 'running' | 'succeeded' | 'failed'>> = {
  queued: 'queued',
  pending: 'queued',
  submitted: 'queued',
  preparing: 'queued',
  not_start: 'queued',
  created: 'queued',
  starting: 'queued',
  unknown: 'queued',
  in_progress: 'running',
  processing: 'running',
  running: 'running',
  generating: 'running',
  completed: 'succeeded',
  complete: 'succeeded',
  succeeded: 'succeeded',
  success: 'succeeded',
  finished: 'succeeded',
  failed: 'failed',
  failure: 'failed',
  fail: 'failed',
  error: 'failed',
  cancelled: 'failed',
  canceled: 'failed',
  expired: 'failed',
};

/** A video object as progress; `content` is where its bytes are when it says no link. */
export function fromOpenAiVideo(
  video: Json,
  content: string,
  upstream: Pick<Upstream, 'scrub' | 'storable'>,
): VideoProgress {
  const status = textAt(video, 'status');
  if (status === undefined) throw malformedReply('a video without a status');
  const payload = upstream.storable(video);
  const word = status.toLowerCase();
  const state = Object.hasOwn(STATES, word) ? STATES[word] : undefined;
  switch (state) {
    case undefined:
      return { state: 'unknown', word: status, payload };
    case 'queued':
    case 'running': {
      const percent = numberAt(video, 'progress');
      const said = percent !== undefined && percent >= 0 ? { percent: Math.min(99, Math.trunc(percent)) } : {};
      return { state, ...said, payload };
    }
    case 'succeeded':
      return { state, files: [fileOf(video, content)], usage: usageOf(video), payload };
    case 'failed':
      return { state, fault: faultOf(video, word, upstream), payload };
  }
}

/** A relay's link where it gives one; else the bytes behind the key. */
function fileOf(video: Json, content: string): MediaFile {
  const link = textAt(video, 'url') ?? textAt(video, 'video_url') ?? textAt(video, 'metadata', 'url');
  const url = link !== undefined && /^https?:\/\//i.test(link) ? link : content;
  const credentialed = url === content || (URL.canParse(url) && new URL(url).origin === new URL(content).origin);
  const expiresAt = numberAt(video, 'expires_at');
  return {
    url,
    mime: 'video/mp4',
    ...(credentialed && { credentialed: true }),
    ...(expiresAt !== undefined && expiresAt > 0 && { expiresAt: unixSeconds(expiresAt) }),
  };
}

/** Some relays write milliseconds. */
function unixSeconds(time: number): number {
  return time > 100_000_000_000 ? Math.floor(time / 1000) : time;
}

function usageOf(video: Json): Usage {
  const seconds = numberAt(video, 'seconds');
  const outputTokens = numberAt(video, 'usage', 'completion_tokens') ?? numberAt(video, 'usage', 'total_tokens');
  return {
    videos: 1,
    ...(seconds !== undefined && { seconds }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

function faultOf(video: Json, word: string, upstream: Pick<Upstream, 'scrub'>): Fault {
  if (word === 'cancelled' || word === 'canceled') return { code: 'conflict', message: 'task cancelled' };
  const error = valueAt(video, 'error');
  const told = isJsonObject(error) ? errorFault(error) : undefined;
  const sentence = typeof error === 'string' && error !== '' ? error : undefined;
  if (told === undefined) {
    const expired = word === 'expired';
    return {
      code: expired ? 'upstream_timeout' : 'upstream_unavailable',
      message: upstream.scrub(sentence ?? (expired ? 'task expired' : 'task failed')),
    };
  }
  return cleanFault(told, (text) => upstream.scrub(text));
}

/** The same words as in a refusal, read from a job's error. */
export function errorFault(error: JsonObject): Fault | undefined {
  if (Object.keys(error).length === 0) return undefined;
  const fault = readDialectFault({ status: 500, headers: {}, body: new Uint8Array(), json: { error } });
  if (fault === undefined) return undefined;
  const { code, vendorCode } = fault;
  const message = textAt(error, 'message') ?? 'task failed';
  return { code, message, ...(vendorCode !== undefined && { vendorCode }) };
}
