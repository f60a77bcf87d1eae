/** Veo through kie.ai (docs/wire/veo.md#through-kieai): generate, ask, and fetch the better class by a call of its own. */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  cleanFault,
  createJob,
  defined,
  fieldOf,
  frameIn,
  listAt,
  malformedReply,
  namesOfGiven,
  numberAt,
  pollJob,
  refuseKinds,
  sortExtra,
  textAt,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoCreate,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { kieCode } from './fault.ts';

const BASE = '/api/v1/veo';
/** Every clip takes eight seconds. */
const CLIP_SECONDS = 8;
/** The upgrades take minutes; asked again at the pace the vendor advises. */
const UPGRADE_AGAIN_MS: Readonly<Record<string, number>> = { '1080p': 20_000, '4k': 30_000 };
/** How an upgrade says "still processing". */
const NOT_READY = new Set(['400', '404', '422']);
const FIELDS = new Set(['generationType', 'seeds', 'watermark', 'enableTranslation', 'enableFallback']);

export const kie: VideoAdapter = {
  async start(input, upstream) {
    const { body, upgrade, dropped } = toKieVideo(input, upstream.model);
    const { json } = await createJob(upstream, { method: 'POST', path: `${BASE}/generate`, json: body });
    const taskId = textAt(json, 'data', 'taskId');
    if (taskId === undefined) throw malformedReply('it names no task');
    return { ticket: { wire: 'kie', taskId, ...defined({ upgrade }) }, dropped };
  },

  async check(ticket, upstream) {
    const taskId = textAt(ticket, 'taskId') ?? '';
    const polled = await pollJob(upstream, {
      method: 'GET',
      path: `${BASE}/record-info?taskId=${encodeURIComponent(taskId)}`,
    }).catch(missingRecord);
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    const progress = fromKieRecord(polled.json, upstream);
    const upgrade = textAt(ticket, 'upgrade');
    if (progress.state !== 'succeeded' || upgrade === undefined) return progress;
    return upgraded(progress, { taskId, upgrade }, upstream);
  },
};

/** The id is the only parameter of the query: a refused one is an unknown one. */
function missingRecord(error: unknown): { readonly missing: Json } {
  if (error instanceof GatewayError && error.code === 'invalid_request') {
    return { missing: { code: error.details.vendorCode ?? '', msg: error.message } };
  }
  throw error;
}

interface KieVideo {
  readonly body: JsonObject;
  readonly upgrade?: string;
  readonly dropped: readonly string[];
}

export function toKieVideo(input: VideoCreate, model: string): KieVideo {
  refuseKinds(input, { videos: 'video inputs', audios: 'audio inputs', subjects: 'subjects' });
  for (const { url, param } of input.images) {
    if (!/^https?:/i.test(url)) throw cannotTake(param, 'embedded image on this account; give its address');
  }
  const frame = frameIn(input, { resolutions: ['720p', '1080p', '4k'], ratios: ['16:9', '9:16', 'Auto'] });
  const upgrade = frame.resolution === '1080p' || frame.resolution === '4k' ? frame.resolution : undefined;
  const seedFits = input.seed !== undefined && input.seed >= 10_000 && input.seed <= 99_999;
  const own = input.shape === 'image-urls' ? Object.keys(input.extra) : [...FIELDS];
  const extra = sortExtra(input, new Set(own.filter((name) => !/^call_?back_?url$/i.test(name))));
  const isReference = input.images.some(({ role }) => role === 'reference');
  const lacking = namesOfGiven(input, [
    'negativePrompt',
    ...(input.duration === CLIP_SECONDS ? [] : (['duration'] as const)),
    ...(seedFits ? [] : (['seed'] as const)),
    // Here a watermark is a text; on and off are not to be had.
    'watermark',
  ]);
  return {
    body: {
      ...extra.passed,
      ...defined({
        prompt: input.prompt,
        imageUrls: input.images.length > 0 ? input.images.map(({ url }) => url) : undefined,
        // One or two references would be taken for frames.
        generationType: isReference ? 'REFERENCE_2_VIDEO' : undefined,
        aspect_ratio: frame.ratio,
        seeds: seedFits ? input.seed : undefined,
      }),
      model,
    },
    ...(upgrade !== undefined && { upgrade }),
    dropped: [
      ...lacking,
      ...(input.audio === false ? [fieldOf(input, 'audio')] : []),
      ...frame.dropped,
      ...extra.dropped,
    ],
  };
}

/** A record as progress. Success here may still want its upgrade. */
export function fromKieRecord(record: Json, upstream: Pick<Upstream, 'scrub' | 'storable'>): VideoProgress {
  const flag = numberAt(record, 'data', 'successFlag');
  if (flag === undefined) throw malformedReply('a record without a successFlag');
  const payload = upstream.storable(record);
  switch (flag) {
    case 0:
      return { state: 'running', payload };
    case 1: {
      const files = filesOf(listAt(record, 'data', 'response', 'resultUrls'));
      if (files.length === 0) throw malformedReply('a finished record without resultUrls');
      const usage = { videos: files.length, seconds: CLIP_SECONDS * files.length };
      return { state: 'succeeded', files, usage, payload };
    }
    case 2:
    case 3: {
      const message = textAt(record, 'data', 'errorMessage') ?? 'the vendor gave no reason';
      const number = numberAt(record, 'data', 'errorCode');
      const code = kieCode(number ?? 501, message);
      const vendorCode = number === undefined ? {} : { vendorCode: String(number) };
      const fault = cleanFault({ code, message, ...vendorCode }, (text) => upstream.scrub(text));
      return { state: 'failed', fault, payload };
    }
    default:
      return { state: 'unknown', word: `successFlag ${flag}`, payload };
  }
}

function filesOf(urls: readonly Json[]): MediaFile[] {
  return urls.flatMap((url) => (typeof url === 'string' && url !== '' ? [{ url, mime: 'video/mp4' }] : []));
}

/**
 * The better class of a finished clip; running until the vendor has it. Asking again for a 4k that is being made is answered with 422 and
 * makes no second one (docs.kie.ai, get-veo-3-4k-video).
 */
async function upgraded(
  base: Extract<VideoProgress, { state: 'succeeded' }>,
  { taskId, upgrade }: { readonly taskId: string; readonly upgrade: string },
  upstream: Upstream,
): Promise<VideoProgress> {
  const again = { state: 'running', checkAfterMs: UPGRADE_AGAIN_MS[upgrade] ?? 30_000, payload: base.payload } as const;
  try {
    const { json } =
      upgrade === '4k'
        ? await upstream.send({ method: 'POST', path: `${BASE}/get-4k-video`, json: { taskId, index: 0 } })
        : await upstream.send({
            method: 'GET',
            path: `${BASE}/get-1080p-video?taskId=${encodeURIComponent(taskId)}&index=0`,
          });
    const single = textAt(json, 'data', 'resultUrl');
    const files = filesOf(single === undefined ? listAt(json, 'data', 'resultUrls') : [single]);
    return files.length > 0 ? { ...base, files } : again;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { vendorCode } = error.details;
    if (NOT_READY.has(vendorCode ?? '') || error.code === 'task_not_exist') return again;
    // The vendor's final word on an upgrade, in a sentence of its own.
    if (vendorCode === '500' && /version .*unavailable/i.test(error.message)) {
      return {
        state: 'failed',
        fault: { code: 'upstream_unavailable', message: error.message, vendorCode },
        payload: base.payload,
      };
    }
    throw error;
  }
}
