/** CreateAigcVideoTask and DescribeTaskDetail (docs/wire/tencent-vod.md#create, #query, #states, #what-is-passed-on). */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  listAt,
  numberAt,
  textAt,
  type MediaFile,
  type Upstream,
  type VideoAdapter,
  type VideoProgress,
} from '@model-gateway/provider-kit';
import { vodModel, toVodVideo } from './video-body.ts';
import { abortTask, aroundSubmission, describeTask, findTask, slotFault, startTask } from './vod.ts';

export const videos: VideoAdapter = {
  async start(input, upstream) {
    const model = vodModel(upstream.model, upstream.quirks);
    const { body, dropped } = toVodVideo(input, model);
    const region = upstream.account.settings['input_region'];
    const withRegion = region === undefined ? body : { InputRegion: region, ...body };
    const named = { ...withRegion, SessionId: input.dedupeKey };
    return { ticket: await startTask('CreateAigcVideoTask', named, upstream), dropped };
  },

  async check(ticket, upstream) {
    const detail = await describeTask(ticket, upstream);
    if ('missing' in detail) return { state: 'missing', payload: detail.missing };
    return fromVodVideo(detail.response, upstream);
  },

  cancel: abortTask,

  reconcile: ({ dedupeKey, submittedAt }, upstream) => findTask(dedupeKey, aroundSubmission(submittedAt), upstream),
};

/** A task detail as progress. A finished task may have failed: only its slot's ErrCode says. */
export function fromVodVideo(response: JsonObject, upstream: Pick<Upstream, 'scrub' | 'storable'>): VideoProgress {
  const payload = upstream.storable({ Response: response });
  const status = textAt(response, 'Status') ?? '';
  const slot = isJsonObject(response['AigcVideoTask']) ? response['AigcVideoTask'] : {};
  switch (status) {
    case 'WAITING':
      return { state: 'queued', payload };
    case 'PROCESSING': {
      const percent = numberAt(slot, 'Progress');
      const said = percent === undefined ? {} : { percent: Math.max(0, Math.min(99, Math.trunc(percent))) };
      return { state: 'running', ...said, payload };
    }
    case 'FINISH': {
      const files = filesOf(slot);
      if (numberAt(slot, 'ErrCode') === 0 && files.length > 0) {
        return { state: 'succeeded', files, usage: usageOf(slot), payload };
      }
      return { state: 'failed', fault: slotFault(slot, upstream), payload };
    }
    case 'ABORTED':
      // The same words as when the cancel itself ends the task: a process may die between the two.
      return { state: 'failed', fault: { code: 'conflict', message: 'task cancelled' }, payload };
    default:
      return { state: 'unknown', word: status, payload };
  }
}

function filesOf(slot: JsonObject): MediaFile[] {
  return listAt(slot, 'Output', 'FileInfos').flatMap((file) => {
    const url = textAt(file, 'FileUrl');
    if (url === undefined) return [];
    const expiresAt = Date.parse(textAt(file, 'ExpireTime') ?? '');
    const width = numberAt(file, 'MetaData', 'Width');
    const height = numberAt(file, 'MetaData', 'Height');
    return [
      {
        url,
        mime: `video/${(textAt(file, 'FileType') ?? 'mp4').toLowerCase()}`,
        ...(Number.isFinite(expiresAt) && { expiresAt: expiresAt / 1000 }),
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
      },
    ];
  });
}

function usageOf(slot: JsonObject): Usage {
  const billed = numberAt(slot, 'Output', 'Usage', 'OutputSeconds');
  const seconds = billed ?? numberAt(slot, 'Output', 'FileInfos', 0, 'MetaData', 'Duration');
  return { videos: 1, ...(seconds !== undefined && { seconds }) };
}
