import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { SubjectCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { tencentVod } from './adapter.ts';
import { signTc3 } from './sign.ts';
import { fromVodElement, toVodElement } from './subjects.ts';
import { fromVodVideo } from './videos.ts';

const fixture = (name: string): JsonObject => {
  const body = JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as JsonObject;
  return body['Response'] as JsonObject;
};
const subject = (given: Partial<SubjectCreate> = {}): SubjectCreate => ({
  name: 'Mira',
  description: 'young woman, red coat',
  referenceType: 'image_refer',
  referImages: [],
  referVideos: [],
  tags: [],
  dedupeKey: 'subject-1',
  extra: {},
  ...given,
});

describe('fromVodVideo', () => {
  it('waiting', () => {
    expect(fromVodVideo(fixture('videos-check.waiting.200.json'), asItIs)).toMatchObject({ state: 'queued' });
  });

  it('processing, with the percentage', () => {
    expect(fromVodVideo(fixture('videos-check.processing.200.json'), asItIs)).toMatchObject({
      state: 'running',
      percent: 42,
    });
  });

  it('finished: file, life, size, seconds', () => {
    const response = fixture('videos-check.finish.200.json');
    expect(fromVodVideo(response, asItIs)).toEqual({
      state: 'succeeded',
      files: [
        {
          url: 'https://vod.example/o.mp4',
          mime: 'video/mp4',
          expiresAt: Date.UTC(2026, 10, 28, 1, 2, 40) / 1000,
          width: 1920,
          height: 1080,
        },
      ],
      usage: { videos: 1, seconds: 5 },
      payload: { Response: response },
    });
  });

  it('finished, but refused', () => {
    expect(fromVodVideo(fixture('videos-check.moderation.200.json'), asItIs)).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused', vendorCode: 'InvalidParameter.VoilationContent', message: 'prompt refused' },
    });
  });

  it.each<[string, JsonObject, object]>([
    ['a backlog', { ErrCode: 1, ErrCodeExt: 'FailedOperation', Message: 'm' }, { code: 'upstream_unavailable' }],
    [
      'concurrency',
      { ErrCode: 1, ErrCodeExt: 'RequestLimitExceeded', Message: 'm' },
      { code: 'upstream_rate_limited' },
    ],
    ['a value', { ErrCode: 1, ErrCodeExt: 'InvalidParameterValue', Message: 'm' }, { code: 'invalid_request' }],
    [
      'an input that is not there',
      { ErrCode: 1, ErrCodeExt: 'ResourceNotFound', Message: 'm' },
      { code: 'invalid_request' },
    ],
    [
      'a number alone',
      { ErrCode: 70000, ErrCodeExt: '', Message: '' },
      { code: 'upstream_unavailable', message: 'the vendor gave no reason' },
    ],
    ['success without a file', { ErrCode: 0, Output: { FileInfos: [] } }, { code: 'upstream_unavailable' }],
  ])('finished, but failed: %s', (_name, slot, fault) => {
    expect(fromVodVideo({ Status: 'FINISH', AigcVideoTask: slot }, asItIs)).toMatchObject({ state: 'failed', fault });
  });

  it('aborted, and a word nobody knows', () => {
    expect(fromVodVideo({ Status: 'ABORTED' }, asItIs)).toMatchObject({
      state: 'failed',
      fault: { message: 'task cancelled' },
    });
    expect(fromVodVideo({ Status: 'PONDERING' }, asItIs)).toMatchObject({ state: 'unknown', word: 'PONDERING' });
  });
});

describe('subjects', () => {
  it('sends its lists as JSON text', () => {
    expect(
      toVodElement(
        subject({
          frontalImage: 'https://m.example/f.png',
          referImages: ['https://m.example/l.png'],
          tags: ['o_102'],
          extra: { DisableModeration: 'True', SubAppId: 1, callback_url: 'x' },
        }),
      ),
    ).toEqual({
      ElementName: 'Mira',
      ElementDescription: 'young woman, red coat',
      ReferenceType: 'image_refer',
      ElementImageList:
        '{"frontal_image":"https://m.example/f.png","refer_images":[{"image_url":"https://m.example/l.png"}]}',
      TagList: '[{"tag_id":"o_102"}]',
      DisableModeration: 'True',
    });
    expect(
      toVodElement(subject({ referenceType: 'video_refer', referVideos: ['https://m.example/v.mp4'], voiceId: 'v1' })),
    ).toEqual({
      ElementName: 'Mira',
      ElementDescription: 'young woman, red coat',
      ReferenceType: 'video_refer',
      ElementVideoList: '{"refer_videos":[{"video_url":"https://m.example/v.mp4"}]}',
      ElementVoiceId: 'v1',
    });
  });

  it('succeeds with ids as text and the detail as payload', () => {
    const response = fixture('subjects-check.finish.200.json');
    expect(fromVodElement(response, asItIs)).toEqual({
      state: 'succeeded',
      subjectIds: ['860000000000000123'],
      payload: { Response: response },
    });
  });

  it('shows only PROCESSING and FINISH', () => {
    const shown = (response: JsonObject): unknown => {
      const { payload } = fromVodElement(response, asItIs);
      return isJsonObject(payload) ? payload['Response'] : undefined;
    };
    expect(shown({ Status: 'WAITING', CreateAigcAdvancedCustomElementTask: { Progress: 0 } })).toMatchObject({
      Status: 'PROCESSING',
      CreateAigcAdvancedCustomElementTask: { Status: 'PROCESSING' },
    });
    expect(shown({ Status: 'ABORTED' })).toMatchObject({
      Status: 'FINISH',
      CreateAigcAdvancedCustomElementTask: { Status: 'FINISH', ErrCode: 1, Message: 'task aborted' },
    });
  });

  it('fails with the slot’s reason', () => {
    const slot = { ErrCode: 7, ErrCodeExt: 'InvalidParameter.ViolationContent', Message: 'refused' };
    expect(fromVodElement({ Status: 'FINISH', CreateAigcAdvancedCustomElementTask: slot }, asItIs)).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused', message: 'refused' },
    });
    expect(
      fromVodElement({ Status: 'FINISH', CreateAigcAdvancedCustomElementTask: { ErrCode: 0 } }, asItIs),
    ).toMatchObject({ state: 'failed' });
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let answers: Record<string, ScriptedReply | ((body: JsonObject) => ScriptedReply)> = {};
  const said = (Response: object): ScriptedReply => ({ json: { Response: { RequestId: 'r', ...Response } } });
  const refused = (Code: string): ScriptedReply => said({ Error: { Code, Message: 'said' } });
  const calls = (): string[] => vendor.requests.map(({ headers }) => String(headers['x-tc-action']));
  const credentials = { secret_id: 'AKIDtest', secret_key: 'secret-key', sub_app_id: '1500000001' };
  const open = () => vendor.upstream(tencentVod, { credentials, model: 'Kling/3.0-Omni' });

  beforeAll(async () => {
    vendor = await startScriptedVendor(({ headers, json }) => {
      const answer = answers[String(headers['x-tc-action'])] ?? said({});
      return typeof answer === 'function' ? answer(json as JsonObject) : answer;
    });
  });
  beforeEach(() => {
    vendor.requests.length = 0;
    answers = {};
  });
  afterAll(() => vendor.close());

  it('signs exactly what it sends, names account and session', async () => {
    answers = { CreateAigcVideoTask: said({ TaskId: 't-1' }) };
    const { ticket } = await tencentVod.videos!.start(
      videoCreate({ shape: 'omni', body: { prompt: 'p' }, dedupeKey: 'key-1' }),
      open(),
    );
    expect(ticket).toEqual({ taskId: 't-1' });
    const request = vendor.requests[0]!;
    expect(request).toMatchObject({ method: 'POST', path: '/' });
    expect(request.json).toEqual({
      SubAppId: 1500000001,
      ModelName: 'Kling',
      ModelVersion: '3.0-Omni',
      Prompt: 'p',
      SessionId: 'key-1',
    });
    expect(request.headers).toMatchObject({ 'x-tc-version': '2018-07-17', 'x-tc-timestamp': '1790000000' });
    expect(request.headers).not.toHaveProperty('x-tc-token');
    expect(request.headers.authorization).toBe(
      signTc3({
        secretId: 'AKIDtest',
        secretKey: 'secret-key',
        host: new URL(vendor.url).host,
        contentType: 'application/json',
        body: request.body,
        timestamp: 1790000000,
      }),
    );
  });

  it('an account without sub_app_id is off, not the caller’s mistake', async () => {
    const upstream = vendor.upstream(tencentVod, {
      credentials: { secret_id: 'a', secret_key: 'b' },
      model: 'Kling/3.0',
    });
    await expect(tencentVod.videos!.start(videoCreate({ shape: 'omni' }), upstream)).rejects.toMatchObject({
      code: 'upstream_rejected_key',
    });
    expect(vendor.requests).toEqual([]);
  });

  it('a duplicate session is looked up, not started again', async () => {
    answers = {
      CreateAigcVideoTask: refused('InvalidParameterValue.SessionId'),
      DescribeTasks: ({ Status }) =>
        said({
          TaskSet:
            Status === 'PROCESSING'
              ? [
                  { TaskId: 'other', SessionId: 'x' },
                  { TaskId: 't-9', SessionId: 'key-1' },
                ]
              : [],
        }),
    };
    const { ticket } = await tencentVod.videos!.start(videoCreate({ shape: 'omni', dedupeKey: 'key-1' }), open());
    expect(ticket).toEqual({ taskId: 't-9' });
    expect(calls()).toEqual(['CreateAigcVideoTask', 'DescribeTasks', 'DescribeTasks']);
  });

  it('a duplicate nobody finds stays unknown', async () => {
    answers = { CreateAigcVideoTask: refused('InvalidParameterValue.SessionId'), DescribeTasks: said({ TaskSet: [] }) };
    await expect(tencentVod.videos!.start(videoCreate({ shape: 'omni' }), open())).rejects.toMatchObject({
      details: { taken: 'unknown' },
    });
  });

  it('reconciles through every page of every state', async () => {
    answers = {
      DescribeTasks: ({ Status, ScrollToken }) => {
        if (Status !== 'FINISH') return said({ TaskSet: [] });
        if (ScrollToken === undefined)
          return said({ TaskSet: [{ TaskId: 'a', SessionId: 'other' }], ScrollToken: 'next' });
        return said({ TaskSet: [{ TaskId: 't-2', SessionId: 'key-1' }], ScrollToken: 'more' });
      },
    };
    const submittedAt = Date.UTC(2026, 10, 21, 9, 0, 0);
    const found = await tencentVod.videos!.reconcile!({ dedupeKey: 'key-1', submittedAt }, open());
    expect(found).toEqual({ taskId: 't-2' });
    expect(vendor.requests[0]?.json).toMatchObject({
      SubAppId: 1500000001,
      Limit: 100,
      CreateTime: { After: '2026-11-21T08:50:00Z', Before: '2026-11-21T09:30:00Z' },
    });
  });

  it('says none only after every state was searched', async () => {
    answers = { DescribeTasks: said({ TaskSet: [] }) };
    expect(await tencentVod.subjects!.reconcile!({ dedupeKey: 'key-1', submittedAt: 0 }, open())).toBeUndefined();
    expect(vendor.requests.map(({ json }) => isJsonObject(json) && json['Status'])).toEqual([
      'WAITING',
      'PROCESSING',
      'FINISH',
      'ABORTED',
    ]);
  });

  it('does not take a refused list for an empty one', async () => {
    answers = { DescribeTasks: refused('RequestLimitExceeded') };
    await expect(tencentVod.videos!.reconcile!({ dedupeKey: 'k', submittedAt: 0 }, open())).rejects.toMatchObject({
      code: 'upstream_rate_limited',
    });
    answers = { DescribeTasks: { json: {} } };
    await expect(tencentVod.videos!.reconcile!({ dedupeKey: 'k', submittedAt: 0 }, open())).rejects.toMatchObject({
      code: 'upstream_malformed',
    });
  });

  it('polls without foreign slots, and knows a task that is gone', async () => {
    answers = {
      DescribeTaskDetail: {
        json: JSON.parse(readFileSync(new URL('../fixtures/videos-check.waiting.200.json', import.meta.url), 'utf8')),
      },
    };
    const progress = await tencentVod.videos!.check({ taskId: 't-1' }, open());
    expect(progress.state).toBe('queued');
    expect(JSON.stringify(progress.payload)).not.toContain('ProcedureTask');
    expect(vendor.requests[0]?.json).toEqual({ SubAppId: 1500000001, TaskId: 't-1' });
    answers = { DescribeTaskDetail: refused('ResourceNotFound') };
    expect(await tencentVod.videos!.check({ taskId: 't-1' }, open())).toMatchObject({ state: 'missing' });
    expect(await tencentVod.subjects!.check({ taskId: 't-1' }, open())).toMatchObject({ state: 'missing' });
  });

  it('a refused poll is a poll’s fault', async () => {
    answers = { DescribeTaskDetail: refused('InternalError') };
    await expect(tencentVod.videos!.check({ taskId: 't-1' }, open())).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it('aborts what waits; a refusal means too late, a bad key does not', async () => {
    await tencentVod.videos!.cancel!({ taskId: 't-1' }, open());
    expect(vendor.requests[0]?.json).toEqual({ SubAppId: 1500000001, TaskId: 't-1', OperationType: 'Abort' });
    answers = { ManageTask: refused('FailedOperation') };
    await expect(tencentVod.videos!.cancel!({ taskId: 't-1' }, open())).rejects.toMatchObject({ code: 'conflict' });
    answers = { ManageTask: refused('AuthFailure.SignatureFailure') };
    await expect(tencentVod.videos!.cancel!({ taskId: 't-1' }, open())).rejects.toMatchObject({
      code: 'upstream_rejected_key',
    });
  });

  it('a missing input at create is the caller’s mistake', async () => {
    answers = { CreateAigcVideoTask: refused('ResourceNotFound') };
    await expect(tencentVod.videos!.start(videoCreate({ shape: 'omni' }), open())).rejects.toMatchObject({
      code: 'invalid_request',
      details: { taken: 'no' },
    });
  });
});
