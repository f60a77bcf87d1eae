/** Reusable subjects: CreateAigcAdvancedCustomElement (docs/wire/tencent-vod.md#subjects). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  defined,
  idAt,
  listAt,
  numberAt,
  textAt,
  type SubjectAdapter,
  type SubjectCreate,
  type SubjectProgress,
  type Upstream,
} from '@model-gateway/provider-kit';
import { aroundSubmission, describeTask, findTask, slotFault, startTask } from './vod.ts';

const SLOT = 'CreateAigcAdvancedCustomElementTask';

export const subjects: SubjectAdapter = {
  async start(input, upstream) {
    const body = { ...toVodElement(input), SessionId: input.dedupeKey };
    return { ticket: await startTask('CreateAigcAdvancedCustomElement', body, upstream) };
  },

  async check(ticket, upstream) {
    const detail = await describeTask(ticket, upstream);
    if ('missing' in detail) return { state: 'missing', payload: detail.missing };
    return fromVodElement(detail.response, upstream);
  },

  reconcile: ({ dedupeKey, submittedAt }, upstream) => findTask(dedupeKey, aroundSubmission(submittedAt), upstream),
};

/** The lists travel as JSON text. */
export function toVodElement(input: SubjectCreate): JsonObject {
  const hasImages = input.frontalImage !== undefined || input.referImages.length > 0;
  const images = {
    ...defined({ frontal_image: input.frontalImage }),
    refer_images: input.referImages.map((url) => ({ image_url: url })),
  };
  const videos = { refer_videos: input.referVideos.map((url) => ({ video_url: url })) };
  const added = Object.entries(input.extra).filter(([name]) => VENDOR_FIELD.test(name) && !OURS.has(name));
  return {
    ...Object.fromEntries(added),
    ElementName: input.name,
    ElementDescription: input.description,
    ReferenceType: input.referenceType,
    ...(hasImages && { ElementImageList: JSON.stringify(images) }),
    ...(input.referVideos.length > 0 && { ElementVideoList: JSON.stringify(videos) }),
    ...(input.voiceId !== undefined && { ElementVoiceId: input.voiceId }),
    ...(input.tags.length > 0 && { TagList: JSON.stringify(input.tags.map((tag) => ({ tag_id: tag }))) }),
  };
}

/** Vendor parameters of tomorrow are written in the vendor's own way. */
const VENDOR_FIELD = /^[A-Z]\w*$/;
const OURS = new Set(['SubAppId', 'SessionId']);

/** A task detail as progress; the caller knows only PROCESSING and FINISH (docs/service.md#subject-task-video-subject-creation). */
export function fromVodElement(response: JsonObject, upstream: Pick<Upstream, 'scrub' | 'storable'>): SubjectProgress {
  const status = textAt(response, 'Status') ?? '';
  const slot: JsonObject = isJsonObject(response[SLOT]) ? response[SLOT] : {};
  const shown = (word: string, changes: JsonObject = {}): Json =>
    upstream.storable({
      Response: { ...response, Status: word, [SLOT]: { ...slot, Status: word, ...changes } },
    });
  switch (status) {
    case 'WAITING':
    case 'PROCESSING': {
      const percent = numberAt(slot, 'Progress');
      return {
        state: 'running',
        ...(percent !== undefined && { percent: Math.max(0, Math.min(99, Math.trunc(percent))) }),
        payload: shown('PROCESSING'),
      };
    }
    case 'FINISH': {
      const subjectIds = listAt(slot, 'Output', 'InfoList').flatMap((info) => idAt(info, 'ElementId') ?? []);
      if (numberAt(slot, 'ErrCode') === 0 && subjectIds.length > 0) {
        return { state: 'succeeded', subjectIds, payload: shown('FINISH') };
      }
      const changes = numberAt(slot, 'ErrCode') === 0 ? { ErrCode: 1, Message: 'no subject was made' } : {};
      return {
        state: 'failed',
        fault: slotFault({ ...slot, ...changes }, upstream),
        payload: shown('FINISH', changes),
      };
    }
    case 'ABORTED': {
      const changes = { ErrCode: 1, ErrCodeExt: 'Aborted', Message: 'task aborted' };
      const fault = { code: 'conflict', message: 'task aborted' } as const;
      return { state: 'failed', fault, payload: shown('FINISH', changes) };
    }
    default:
      return { state: 'unknown', word: status, payload: shown('PROCESSING') };
  }
}
