import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '@model-gateway/contracts';
import { parseVendorJson, type SubjectCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { kling } from './adapter.ts';
import { fromKlingElement, toKlingElement } from './subjects.ts';
import { fromKlingTask } from './videos.ts';

const text = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const kit = { ...asItIs, now: () => 1_790_000_000_000 };
const task = (task_status: string, task_status_msg = ''): Json => ({
  code: 0,
  data: { task_id: 't', task_status, task_status_msg },
});
const subject: SubjectCreate = {
  name: 'Mira',
  description: 'young woman, red coat',
  referenceType: 'image_refer',
  frontalImage: 'https://m.example/f.png',
  referImages: ['https://m.example/l.png'],
  referVideos: [],
  tags: ['o_102'],
  dedupeKey: 'subject-1',
  extra: {},
};

describe('fromKlingTask', () => {
  it.each([
    ['submitted', 'queued'],
    ['processing', 'running'],
  ])('%s is %s', (status, state) => {
    expect(fromKlingTask(task(status), kit)).toEqual({ state, payload: task(status) });
  });

  it('succeed: link for thirty days, seconds as the vendor counts them', () => {
    const done = JSON.parse(text('videos-check.succeed.200.json')) as Json;
    expect(fromKlingTask(done, kit)).toEqual({
      state: 'succeeded',
      files: [{ url: 'https://cdn.example/o.mp4', mime: 'video/mp4', expiresAt: 1790000120 + 30 * 86_400 }],
      usage: { videos: 1, seconds: 5.1 },
      payload: done,
    });
  });

  it('knows the newer API’s success word', () => {
    const done = JSON.parse(text('videos-check.succeed.200.json').replace('"succeed"', '"succeeded"')) as Json;
    expect(fromKlingTask(done, kit).state).toBe('succeeded');
  });

  it('failed, with and without a reason', () => {
    expect(fromKlingTask(task('failed', 'content violates policy'), kit)).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused', message: 'content violates policy' },
    });
    expect(fromKlingTask(task('failed'), kit)).toMatchObject({
      state: 'failed',
      fault: { code: 'upstream_unavailable' },
    });
  });

  it('keeps a word it does not know; a body without one, or success without a video, makes no sense', () => {
    expect(fromKlingTask(task('pondering'), kit)).toMatchObject({ state: 'unknown', word: 'pondering' });
    for (const senseless of [{ code: 0 }, task('succeed')]) {
      expect(() => fromKlingTask(senseless, kit)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
    }
  });
});

describe('elements', () => {
  it('are written with lists as objects', () => {
    expect(toKlingElement(subject)).toEqual({
      element_name: 'Mira',
      element_description: 'young woman, red coat',
      reference_type: 'image_refer',
      element_image_list: {
        frontal_image: 'https://m.example/f.png',
        refer_images: [{ image_url: 'https://m.example/l.png' }],
      },
      tag_list: [{ tag_id: 'o_102' }],
    });
    expect(
      toKlingElement({
        ...subject,
        referenceType: 'video_refer',
        referImages: [],
        referVideos: ['https://m.example/v.mp4'],
        voiceId: 'v',
        tags: [],
      }),
    ).toMatchObject({
      element_video_list: { refer_videos: [{ video_url: 'https://m.example/v.mp4' }] },
      element_voice_id: 'v',
    });
  });

  it('are shown in the envelope of the service document, every digit kept', () => {
    const done = parseVendorJson(text('subjects-check.succeed.200.json'))!;
    expect(fromKlingElement(done, { name: 'Mira', description: 'd', referenceType: 'image_refer' }, asItIs)).toEqual({
      state: 'succeeded',
      subjectIds: ['860000000000000123'],
      payload: {
        Response: {
          TaskType: 'CreateAigcAdvancedCustomElement',
          Status: 'FINISH',
          CreateTime: '2026-09-21T14:13:20Z',
          FinishTime: '2026-09-21T14:13:29Z',
          RequestId: 'r',
          CreateAigcAdvancedCustomElementTask: {
            TaskId: 't',
            Status: 'FINISH',
            ErrCode: 0,
            ErrCodeExt: '',
            Message: '',
            Progress: 100,
            Input: { ElementName: 'Mira', ElementDescription: 'd', ReferenceType: 'image_refer' },
            Output: {
              InfoList: [
                {
                  ElementId: '860000000000000123',
                  ElementInfo:
                    '{"element_id":860000000000000123,"element_name":"Mira","element_type":"image_refer","status":"succeed"}',
                },
              ],
            },
            SessionId: '',
          },
        },
      },
    });
  });

  it('running and failed, in the same envelope', () => {
    expect(fromKlingElement(task('submitted'), {}, asItIs)).toMatchObject({
      state: 'running',
      payload: { Response: { Status: 'PROCESSING', CreateAigcAdvancedCustomElementTask: { ErrCode: 0, Progress: 0 } } },
    });
    expect(fromKlingElement(task('failed', 'face not found'), {}, asItIs)).toMatchObject({
      state: 'failed',
      fault: { message: 'face not found' },
      payload: {
        Response: { Status: 'FINISH', CreateAigcAdvancedCustomElementTask: { ErrCode: 1, Message: 'face not found' } },
      },
    });
    expect(fromKlingElement(task('succeed'), {}, asItIs)).toMatchObject({ state: 'failed' });
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let answer: (call: string) => ScriptedReply = () => ({ json: {} });
  const refused = (status: number, code: number, message = 'said'): ScriptedReply => ({
    status,
    json: { code, message, request_id: 'r' },
  });
  const started: ScriptedReply = { json: { code: 0, data: { task_id: 't-1', task_status: 'submitted' } } };
  const calls = () => vendor.requests.map(({ method, path }) => `${method} ${path}`);
  const open = (model = 'kling-v3-omni') =>
    vendor.upstream(kling, { model, credentials: { access_key: 'ak-test', secret_key: 'sk-test' } });
  const videos = kling.videos!;
  beforeAll(async () => {
    vendor = await startScriptedVendor(({ method, path }) => answer(`${method} ${path}`));
  });
  beforeEach(() => {
    vendor.requests.length = 0;
  });
  afterAll(() => vendor.close());

  it('sends element ids as integers with every digit, under the task’s own external id', async () => {
    answer = () => started;
    const { ticket } = await videos.start(
      videoCreate({ shape: 'omni', prompt: '"element_id":"1"', subjects: ['860000000000000123'], dedupeKey: 'key-1' }),
      open(),
    );
    expect(ticket).toEqual({ endpoint: 'omni-video', taskId: 't-1' });
    expect(calls()).toEqual(['POST /v1/videos/omni-video']);
    expect(vendor.requests[0]?.text).toContain('"element_list":[{"element_id":860000000000000123}]');
    expect(vendor.requests[0]?.json).toMatchObject({
      external_task_id: 'key-1',
      model_name: 'kling-v3-omni',
      prompt: '"element_id":"1"',
    });
    expect(vendor.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('polls where it started', async () => {
    answer = () => ({ text: text('videos-check.succeed.200.json') });
    expect(await videos.check({ endpoint: 'image2video', taskId: 't/1' }, open())).toMatchObject({
      state: 'succeeded',
    });
    expect(calls()).toEqual(['GET /v1/videos/image2video/t%2F1']);
  });

  it.each([
    [404, 1203],
    [400, 1201],
  ])('an unknown task (%i, %i) is missing; a refused poll is not', async (status, code) => {
    answer = () => refused(status, code);
    expect(await videos.check({ endpoint: 'omni-video', taskId: 't' }, open())).toMatchObject({ state: 'missing' });
    answer = () => refused(429, 1303);
    await expect(videos.check({ endpoint: 'omni-video', taskId: 't' }, open())).rejects.toMatchObject({
      code: 'upstream_rate_limited',
    });
  });

  it('an external id used twice is looked up, never started again', async () => {
    answer = (call) => (call.startsWith('POST') ? refused(400, 1201, 'external_task_id already exists') : started);
    const { ticket } = await videos.start(videoCreate({ shape: 'omni', dedupeKey: 'key-1' }), open());
    expect(ticket).toEqual({ endpoint: 'omni-video', taskId: 't-1' });
    expect(calls()).toEqual(['POST /v1/videos/omni-video', 'GET /v1/videos/omni-video/key-1']);
    answer = (call) =>
      call.startsWith('POST') ? refused(400, 1201, 'external_task_id already exists') : refused(404, 1203);
    await expect(videos.start(videoCreate({ shape: 'omni' }), open())).rejects.toMatchObject({
      details: { taken: 'unknown' },
    });
  });

  it('another parameter error is the caller’s', async () => {
    answer = () => refused(400, 1201, 'duration is invalid');
    await expect(videos.start(videoCreate({ shape: 'omni' }), open())).rejects.toMatchObject({
      code: 'invalid_request',
      details: { taken: 'no' },
    });
    expect(calls()).toHaveLength(1);
  });

  it('a model it has not is no missing task', async () => {
    answer = () => refused(404, 1203);
    await expect(videos.start(videoCreate({ shape: 'omni' }), open())).rejects.toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'no' },
    });
  });

  it('reconciles by the external id at every endpoint the model could have used', async () => {
    answer = (call) => (call.includes('multi-image2video') ? started : refused(404, 1203));
    expect(await videos.reconcile!({ dedupeKey: 'key-1', submittedAt: 0 }, open('kling-v3'))).toEqual({
      endpoint: 'multi-image2video',
      taskId: 't-1',
    });
    expect(calls()).toEqual([
      'GET /v1/videos/text2video/key-1',
      'GET /v1/videos/image2video/key-1',
      'GET /v1/videos/multi-image2video/key-1',
    ]);
    answer = () => refused(404, 1203);
    expect(await videos.reconcile!({ dedupeKey: 'key-1', submittedAt: 0 }, open())).toBeUndefined();
  });

  it('does not take trouble for “none”', async () => {
    answer = () => refused(500, 5000);
    await expect(videos.reconcile!({ dedupeKey: 'k', submittedAt: 0 }, open())).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it('makes subjects, and remembers what the vendor does not repeat', async () => {
    answer = () => started;
    expect(await kling.subjects!.start(subject, open())).toEqual({
      ticket: { taskId: 't-1', name: 'Mira', description: 'young woman, red coat', referenceType: 'image_refer' },
    });
    expect(vendor.requests[0]).toMatchObject({
      path: '/v1/general/advanced-custom-elements',
      json: { external_task_id: 'subject-1' },
    });
    expect(await kling.subjects!.reconcile!({ dedupeKey: 'subject-1', submittedAt: 0 }, open())).toEqual({
      taskId: 't-1',
    });
  });
});
