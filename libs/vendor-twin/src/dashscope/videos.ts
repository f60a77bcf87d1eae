import type { Exchange } from '../core/exchange.ts';
import { startJob, videoLink } from '../core/work.ts';
import { sizeFor } from '../core/values.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { complainAsDashScope, dashScopeRefusal, refuseUnknownDashScopeModel } from './errors.ts';
import { requireAsync } from './tasks.ts';
import type { Reader } from '../core/reader.ts';

/** The twin cannot look into a client's video: every one of them is this long. */
const INPUT_SECONDS = 5;

export const videoRoute: Route = {
  method: 'POST',
  path: '/api/v1/services/aigc/video-generation/video-synthesis',
  operation: 'create',
  handle: create,
};

async function create(exchange: Exchange): Promise<void> {
  requireAsync(exchange);
  const video = readDashScopeVideo(exchange.json(complainAsDashScope));
  const markers = await exchange.obey(video.prompt);
  if (markers.words.has('refuse')) {
    throw dashScopeRefusal(400, 'DataInspectionFailed', 'Input data may contain inappropriate content.');
  }
  const { stage } = exchange;
  const size = sizeFor(video.resolution, video.ratio);
  const seconds = video.isEdit ? INPUT_SECONDS : video.duration;
  const input = video.isEdit ? INPUT_SECONDS : 0;
  const job = startJob(exchange, markers, {
    id: stage.newId('0b6a1c1e-'),
    kind: 'video',
    model: video.model,
    prompt: video.prompt,
    usage: { seconds: seconds + input, videos: 1 },
    details: {
      output: {
        orig_prompt: withoutMarkers(video.prompt),
        video_url: videoLink(stage, {
          ...size,
          seconds,
          audio: true,
          prompt: video.prompt,
          ...(video.seed !== undefined && { seed: video.seed }),
        }),
      },
      usage: {
        duration: seconds + input,
        input_video_duration: input,
        output_video_duration: seconds,
        video_count: 1,
        SR: Number.parseInt(video.resolution, 10),
        ratio: video.ratio,
      },
    },
  });
  exchange.reply(200, { output: { task_status: 'PENDING', task_id: job.id }, request_id: stage.newId('') });
}

export interface DashScopeVideo {
  readonly model: string;
  readonly prompt: string;
  readonly resolution: string;
  readonly ratio: string;
  readonly duration: number;
  readonly isEdit: boolean;
  readonly seed: number | undefined;
}

type Mode = 't2v' | 'i2v' | 'r2v' | 'video-edit';
const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4'];
const NEWER_RATIOS = [...RATIOS, '4:5', '5:4', '21:9', '9:21'];
/** Least and most of each kind of media, by mode. */
const MEDIA: Readonly<Record<Mode, Readonly<Record<string, readonly [number, number]>>>> = {
  t2v: {},
  i2v: { first_frame: [1, 1] },
  r2v: { reference_image: [1, 9] },
  'video-edit': { video: [1, 1], reference_image: [0, 5] },
};

/** Reads `POST …/video-synthesis`. HappyHorse is read to the letter; Wan and Kling by their common part. */
export function readDashScopeVideo(body: Reader): DashScopeVideo {
  const model = body.string('model');
  refuseUnknownDashScopeModel(model);
  const input = body.object('input');
  const parameters = body.optionalObject('parameters');
  const [, version = '1.0', kind = ''] = /^happyhorse-(1\.\d)-(t2v|i2v|r2v|video-edit)$/.exec(model) ?? [];
  const mode = kind === '' ? undefined : (kind as Mode);
  const isEdit = mode === 'video-edit' || model.includes('edit');
  const prompt =
    (mode === 'i2v' ? input.optionalString('prompt') : undefined) ?? (mode === 'i2v' ? '' : input.string('prompt'));
  if (mode !== undefined) checkMedia(input, mode);
  const ratio = parameters?.optionalString('ratio');
  if (mode !== undefined) checkRatio(ratio, mode, version === '1.0' ? RATIOS : NEWER_RATIOS);
  if (mode === 'video-edit' && parameters?.has('duration') === true)
    refuse('parameters.duration is not supported by this model');
  parameters?.optionalBoolean('watermark');
  parameters?.optionalOneOf('audio_setting', ['auto', 'origin'] as const);
  return {
    model,
    prompt,
    resolution: parameters?.optionalOneOf('resolution', ['480P', '720P', '1080P'] as const) ?? '1080P',
    ratio: ratio ?? '16:9',
    duration: parameters?.optionalInteger('duration', mode === undefined ? 2 : 3, 15) ?? 5,
    isEdit,
    seed: parameters?.optionalInteger('seed', 0, 2_147_483_647),
  };
}

function refuse(message: string): never {
  throw dashScopeRefusal(400, 'InvalidParameter', `The request is invalid: ${message}.`);
}

function checkMedia(input: Reader, mode: Mode): void {
  const limits = MEDIA[mode];
  const counts: Record<string, number> = {};
  for (const item of input.objects('media')) {
    const type = item.string('type');
    if (limits[type] === undefined) refuse(`media of type ${type} is not supported by this model`);
    if (!/^(https?|oss):\/\/|^data:image\//.test(item.string('url'))) item.fail('url', 'an http(s) or oss URL');
    counts[type] = (counts[type] ?? 0) + 1;
  }
  for (const [type, [least, most]] of Object.entries(limits)) {
    const count = counts[type] ?? 0;
    if (count < least || count > most)
      refuse(`input.media needs ${least} to ${most} items of type ${type}, not ${count}`);
  }
}

function checkRatio(ratio: string | undefined, mode: Mode, allowed: readonly string[]): void {
  if (ratio === undefined) return;
  if (mode === 'i2v' || mode === 'video-edit') refuse('parameters.ratio is not supported by this model');
  if (!allowed.includes(ratio)) refuse(`parameters.ratio must be one of ${allowed.join(', ')}`);
}
