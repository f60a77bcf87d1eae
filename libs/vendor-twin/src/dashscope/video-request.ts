import type { Reader } from '../core/reader.ts';
import { dashScopeRefusal, refuseUnknownDashScopeModel } from './errors.ts';

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
