/** The `Response` envelope of subjects (docs/wire/tencent-vod.md#subjects). */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { subjectAcknowledgementOf, subjectReplyOf } from './subject.ts';
import { finishedTask, START, taskWith } from './testing/task.ts';

const subject = {
  kind: 'subject',
  vendor: 'tencent-vod',
  input: { family: 'subject', name: 'Mira', description: 'young woman, red coat', referenceType: 'image_refer' },
} as const;
const detail = (answer: JsonObject): JsonObject => ({ Response: { CreateAigcAdvancedCustomElementTask: answer } });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the envelope of a subject', () => {
  it('acknowledges under our own id; the request id stays the same', () => {
    expect(subjectAcknowledgementOf({ id: 'task_abc' })).toEqual({
      Response: { TaskId: 'task_abc', RequestId: expect.stringMatching(UUID) },
    });
    expect(subjectAcknowledgementOf({ id: 'task_abc' })).toEqual(subjectAcknowledgementOf({ id: 'task_abc' }));
  });

  it('says PROCESSING while the task is open', () => {
    expect(subjectReplyOf(taskWith({ ...subject, progress: 40, state: 'IN_PROGRESS' }))).toEqual({
      Response: {
        TaskType: 'CreateAigcAdvancedCustomElement',
        Status: 'PROCESSING',
        CreateTime: new Date(START).toISOString().replace('.000Z', 'Z'),
        BeginProcessTime: '',
        FinishTime: '',
        CreateAigcAdvancedCustomElementTask: {
          TaskId: 'task_abc',
          Status: 'PROCESSING',
          ErrCode: 0,
          ErrCodeExt: '',
          Message: '',
          Progress: 40,
          Input: { ElementName: 'Mira', ElementDescription: 'young woman, red coat', ReferenceType: 'image_refer' },
          Output: { InfoList: [] },
          SessionId: '',
          SessionContext: '',
        },
        RequestId: expect.stringMatching(UUID),
      },
    });
  });

  it('says FINISH with what the vendor made, under our own id', () => {
    const info = { ElementId: '860000000000000123', ElementInfo: '{}' };
    const payload = detail({ TaskId: 'vendor-id', Output: { InfoList: [info] } });
    expect(subjectReplyOf(finishedTask({ ...subject, payload }))).toMatchObject({
      Response: {
        Status: 'FINISH',
        FinishTime: expect.stringMatching(/:\d\dZ$/),
        CreateAigcAdvancedCustomElementTask: {
          TaskId: 'task_abc',
          Status: 'FINISH',
          ErrCode: 0,
          Progress: 100,
          Output: { InfoList: [info] },
        },
      },
    });
  });

  it.each([
    {
      name: 'the vendor’s number and words where it gave some',
      payload: detail({ ErrCode: 4711, ErrCodeExt: 'Face', Message: 'no face' }),
      told: { ErrCode: 4711, ErrCodeExt: 'Face', Message: 'no face' },
    },
    {
      name: 'a number that is not zero and our words where it gave none',
      payload: detail({ ErrCode: 0, ErrCodeExt: '', Message: '' }),
      told: { ErrCode: 70000, ErrCodeExt: 'content_refused', Message: 'a face was refused' },
    },
  ])('fails with $name', ({ payload, told }) => {
    const failure = { state: 'FAILURE', failCode: 'content_refused', failReason: 'a face was refused' } as const;
    expect(subjectReplyOf(taskWith({ ...subject, ...failure, payload }))).toMatchObject({
      Response: { Status: 'FINISH', CreateAigcAdvancedCustomElementTask: { ...told, Output: { InfoList: [] } } },
    });
  });
});
