/** Reusable subjects, in Kling's words elements (docs/wire/kling.md#elements); shown in the envelope of the service document. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  defined,
  idAt,
  listAt,
  malformedReply,
  numberAt,
  textAt,
  writeVendorJson,
  type Fault,
  type SubjectAdapter,
  type SubjectCreate,
  type SubjectProgress,
  type Upstream,
} from '@model-gateway/provider-kit';
import { codeOfSentence } from './fault.ts';
import { findTask, queryTask, startTask } from './tasks.ts';

const PATH = '/v1/general/advanced-custom-elements';
const TYPE = 'CreateAigcAdvancedCustomElement';
const ELEMENT_ID = new Set(['element_id']);
/** The ticket carries what Kling does not say again. */
type Asked = Pick<SubjectCreate, 'name' | 'description' | 'referenceType'>;

export const subjects: SubjectAdapter = {
  async start(input, upstream) {
    const body = { ...toKlingElement(input), external_task_id: input.dedupeKey };
    const taskId = await startTask(PATH, body, upstream);
    const { name, description, referenceType } = input;
    return { ticket: { taskId, name, description, referenceType } };
  },

  async check(ticket, upstream) {
    const polled = await queryTask(PATH, textAt(ticket, 'taskId') ?? '', upstream);
    if ('missing' in polled) return { state: 'missing', payload: polled.missing };
    return fromKlingElement(polled.json, ticket, upstream);
  },

  async reconcile({ dedupeKey }, upstream) {
    const taskId = await findTask(PATH, dedupeKey, upstream);
    return taskId === undefined ? undefined : { taskId };
  },
};

export function toKlingElement(input: SubjectCreate): JsonObject {
  const hasImages = input.frontalImage !== undefined || input.referImages.length > 0;
  return defined({
    element_name: input.name,
    element_description: input.description,
    reference_type: input.referenceType,
    element_image_list: hasImages
      ? {
          ...defined({ frontal_image: input.frontalImage }),
          refer_images: input.referImages.map((url) => ({ image_url: url })),
        }
      : undefined,
    element_video_list:
      input.referVideos.length > 0 ? { refer_videos: input.referVideos.map((url) => ({ video_url: url })) } : undefined,
    element_voice_id: input.voiceId,
    tag_list: input.tags.length > 0 ? input.tags.map((tag) => ({ tag_id: tag })) : undefined,
  });
}

export function fromKlingElement(
  task: Json,
  ticket: JsonObject,
  upstream: Pick<Upstream, 'scrub' | 'storable'>,
): SubjectProgress {
  const status = textAt(task, 'data', 'task_status');
  if (status === undefined) throw malformedReply('a task without a task_status');
  const shown = (how: Shown): Json => upstream.storable(envelope(task, ticket, how));
  switch (status) {
    case 'submitted':
    case 'processing':
      return { state: 'running', payload: shown({ done: false }) };
    case 'succeed':
    case 'succeeded': {
      const elements = listAt(task, 'data', 'task_result', 'elements');
      const subjectIds = elements.flatMap((element) => idAt(element, 'element_id') ?? []);
      if (subjectIds.length > 0) return { state: 'succeeded', subjectIds, payload: shown({ done: true, elements }) };
      return failed('no subject was made');
    }
    case 'failed':
      return failed(textAt(task, 'data', 'task_status_msg') ?? 'the vendor gave no reason');
    default:
      return { state: 'unknown', word: status, payload: shown({ done: false }) };
  }

  function failed(reason: string): SubjectProgress {
    const fault: Fault = { code: codeOfSentence(reason), message: upstream.scrub(reason) };
    return { state: 'failed', fault, payload: shown({ done: true, fault }) };
  }
}

interface Shown {
  readonly done: boolean;
  readonly elements?: readonly Json[];
  readonly fault?: Fault;
}

/** Kling's task as docs/service.md shows a subject task. */
function envelope(task: Json, ticket: JsonObject, { done, elements, fault }: Shown): JsonObject {
  const asked: Asked = {
    name: textAt(ticket, 'name') ?? textAt(elements?.[0], 'element_name') ?? '',
    description: textAt(ticket, 'description') ?? textAt(elements?.[0], 'element_description') ?? '',
    referenceType: textAt(ticket, 'referenceType') ?? textAt(elements?.[0], 'reference_type') ?? '',
  };
  const status = done ? 'FINISH' : 'PROCESSING';
  return {
    Response: {
      TaskType: TYPE,
      Status: status,
      CreateTime: isoTime(numberAt(task, 'data', 'created_at')),
      FinishTime: done ? isoTime(numberAt(task, 'data', 'updated_at')) : '',
      RequestId: textAt(task, 'request_id') ?? '',
      [`${TYPE}Task`]: {
        TaskId: idAt(task, 'data', 'task_id') ?? '',
        Status: status,
        ErrCode: fault === undefined ? 0 : 1,
        ErrCodeExt: fault === undefined ? '' : fault.code === 'content_refused' ? 'ContentRefused' : 'Failed',
        Message: fault?.message ?? '',
        Progress: done ? 100 : 0,
        Input: {
          ElementName: asked.name,
          ElementDescription: asked.description,
          ReferenceType: asked.referenceType,
        },
        Output: { InfoList: (elements ?? []).map(infoOf) },
        SessionId: '',
      },
    },
  };
}

function infoOf(element: Json): JsonObject {
  const id = idAt(element, 'element_id') ?? '';
  const info = {
    element_id: id,
    element_name: textAt(element, 'element_name') ?? '',
    element_type: textAt(element, 'element_type') ?? textAt(element, 'reference_type') ?? '',
    status: textAt(element, 'status') ?? '',
  };
  return { ElementId: id, ElementInfo: writeVendorJson(info, ELEMENT_ID) };
}

function isoTime(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
