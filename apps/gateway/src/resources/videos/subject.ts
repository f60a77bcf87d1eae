/** The `Response` envelope of subjects (docs/service.md; docs/wire/tencent-vod.md#subjects). */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { TaskRecord } from '@model-gateway/core';

const SUBJECT_TASK = 'CreateAigcAdvancedCustomElement';
/** ErrCode of an end that the gateway decided: any number but 0 says failure. */
const OUR_ERROR_CODE = 70000;

/** What the POST answers. */
export function subjectAcknowledgementOf(task: Pick<TaskRecord, 'id'>): JsonObject {
  return { Response: { TaskId: task.id, RequestId: uuidOf(task.id) } };
}

/** The subject task as the vendor would tell it, under our id; its state is ours, so that it never contradicts the task. */
export function subjectReplyOf(task: TaskRecord): JsonObject {
  const response = member(task.payload, 'Response');
  const detail = member(response, `${SUBJECT_TASK}Task`);
  const ended = task.state === 'SUCCESS' || task.state === 'FAILURE';
  const failed = task.state === 'FAILURE';
  const status = ended ? 'FINISH' : 'PROCESSING';
  const vendorCode = detail['ErrCode'];
  const errCode = typeof vendorCode === 'number' && vendorCode !== 0 ? vendorCode : OUR_ERROR_CODE;
  return {
    Response: {
      TaskType: SUBJECT_TASK,
      Status: status,
      CreateTime: isoOf(task.createdAt),
      BeginProcessTime: isoOf(task.startTime),
      FinishTime: isoOf(task.finishTime),
      [`${SUBJECT_TASK}Task`]: {
        TaskId: task.id,
        Status: status,
        ErrCode: failed ? errCode : 0,
        ErrCodeExt: failed ? (textOf(detail['ErrCodeExt']) ?? task.failCode) : '',
        Message: failed ? (textOf(detail['Message']) ?? task.failReason) : '',
        Progress: task.progress,
        Input: inputOf(task, detail),
        Output: task.state === 'SUCCESS' && isJsonObject(detail['Output']) ? detail['Output'] : { InfoList: [] },
        SessionId: '',
        SessionContext: '',
      },
      RequestId: uuidOf(task.id),
    },
  };
}

function inputOf(task: TaskRecord, detail: JsonObject): JsonObject {
  const told = member(detail, 'Input');
  return {
    ...told,
    ElementName: task.input['name'] ?? '',
    ElementDescription: task.input['description'] ?? '',
    ReferenceType: task.input['referenceType'] ?? '',
  };
}

function member(value: Json | undefined, name: string): JsonObject {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : {};
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `2026-11-21T01:00:00Z`; empty when it has not happened. */
function isoOf(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** A request id in UUID form that stays the same for a task. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
