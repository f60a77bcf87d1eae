/** The printed forms of video tasks: names, types and order are binding (docs/service.md#resources-and-their-fields). */
import type { JsonObject } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { platformOf } from '../../adapters.ts';
import { acknowledgementOf } from './acknowledgement.ts';
import { taskListOf, taskReplyOf, type TaskShown } from './task-record.ts';
import { finishedTask, START, taskWith } from './testing/task.ts';
import { videoListOf, videoOf } from './video.ts';
import { webhookBodyOf } from '../webhooks/body.ts';

const FILM = 'https://vendor.example/1.mp4';
const resultUrl: TaskShown['resultUrl'] = ({ state }) => (state === 'SUCCESS' ? FILM : '');
const shown = { resultUrl, platformOf };
const entries = (value: object) => Object.entries(value);

describe('the acknowledgement', () => {
  it('of families A to E counts seconds', () => {
    expect(entries(acknowledgementOf(taskWith()))).toEqual([
      ['id', 'task_abc'],
      ['task_id', 'task_abc'],
      ['object', 'video'],
      ['model', 'seedance'],
      ['status', 'queued'],
      ['progress', 0],
      ['created_at', START / 1000],
    ]);
  });

  it('of family F counts milliseconds, and has seconds and a size, but no task_id', () => {
    const film = { id: 'video_abc', model: 'film' };
    const asked = { family: 'seconds', duration: 8, size: '1280x720', default_duration: 4 };
    expect(entries(acknowledgementOf(taskWith({ ...film, input: asked })))).toEqual([
      ['id', 'video_abc'],
      ['object', 'video'],
      ['model', 'film'],
      ['status', 'queued'],
      ['progress', 0],
      ['created_at', START],
      ['seconds', '8'],
      ['size', '1280x720'],
    ]);
    const unsized = acknowledgementOf(taskWith({ ...film, input: { family: 'seconds', default_duration: 6 } }));
    expect(unsized).toMatchObject({ seconds: '6', size: '1280x720' });
    const sized = (input: JsonObject) =>
      acknowledgementOf(taskWith({ ...film, input: { family: 'seconds', ...input } }));
    expect(sized({})).toMatchObject({ seconds: '4', size: '1280x720' });
    expect(sized({ ratio: '9:16' })).toMatchObject({ size: '720x1280' });
    expect(sized({ default_size: '1024x1792' })).toMatchObject({ size: '1024x1792' });
  });

  it('says queued whatever has become of the task since', () => {
    expect(acknowledgementOf(finishedTask())).toEqual(acknowledgementOf(taskWith()));
  });
});

describe('the task record', () => {
  it('has all its fields in their order', () => {
    const reply = taskReplyOf(finishedTask(), shown);
    expect(entries({ ...reply, data: null })).toEqual([
      ['code', 'success'],
      ['message', ''],
      ['data', null],
    ]);
    expect(entries(reply['data'] as object)).toEqual([
      ['id', 12],
      ['created_at', START / 1000],
      ['updated_at', START / 1000 + 1],
      ['task_id', 'task_abc'],
      ['platform', '54'],
      ['user_id', 7],
      ['group', 'default'],
      ['channel_id', 1],
      ['quota', 700],
      ['action', 'generate'],
      ['status', 'SUCCESS'],
      ['fail_reason', ''],
      ['result_url', FILM],
      ['submit_time', START / 1000],
      ['start_time', START / 1000 + 5],
      ['finish_time', START / 1000 + 65],
      ['progress', '100%'],
      ['properties', { input: 'A paper boat', upstream_model_name: 'vendor-seedance', origin_model_name: 'seedance' }],
      ['data', { status: 'succeeded' }],
    ]);
  });

  it('has zeros for times that are not known, and null for a payload that never came', () => {
    const { submitTime: _submitTime, ...young } = taskWith();
    expect(taskReplyOf(young, shown)).toMatchObject({
      data: { submit_time: START / 1000, start_time: 0, finish_time: 0, progress: '0%', result_url: '', data: null },
    });
  });

  it('names no channel before a vendor was asked', () => {
    const { ticket: _ticket, ...row } = taskWith({ submitted: false });
    expect(taskReplyOf(row, shown)).toMatchObject({ data: { channel_id: 0 } });
    expect(taskReplyOf({ ...row, submitted: true }, shown)).toMatchObject({ data: { channel_id: 1 } });
  });

  it('says in a list where the next page begins, where there is one', () => {
    const tasks = [taskWith({ id: 'task_2' }), taskWith({ id: 'task_1' })];
    expect(taskListOf({ tasks, hasMore: true }, shown)).toMatchObject({
      code: 'success',
      data: { items: [{ task_id: 'task_2' }, { task_id: 'task_1' }], has_more: true, next_after: 'task_1' },
    });
    expect(taskListOf({ tasks, hasMore: false }, shown)).toMatchObject({ data: { has_more: false, next_after: null } });
  });
});

describe('the platform of a record', () => {
  it.each([
    ['openai', '55'],
    ['openai-compatible', '55'],
    ['ark', '54'],
    ['dashscope', '17'],
    ['veo', '41'],
    ['gemini', '24'],
    ['tencent-vod', '23'],
    ['kling', '50'],
    ['minimax', '35'],
    ['mimo', '0'],
    ['a vendor of yesterday', '0'],
  ])('of %s is %s', (vendor, platform) => {
    expect(taskReplyOf(taskWith({ vendor }), shown)).toMatchObject({ data: { platform } });
  });
});

describe("OpenAI's video object", () => {
  const input = { family: 'seconds', prompt: 'A kite', duration: 8, size: '1280x720' };

  it('of a young task', () => {
    expect(entries(videoOf(taskWith({ input }), resultUrl))).toEqual([
      ['id', 'task_abc'],
      ['object', 'video'],
      ['model', 'seedance'],
      ['status', 'queued'],
      ['progress', 0],
      ['created_at', START / 1000],
      ['completed_at', null],
      ['expires_at', null],
      ['prompt', 'A kite'],
      ['seconds', '8'],
      ['size', '1280x720'],
      ['remixed_from_video_id', null],
      ['error', null],
    ]);
  });

  it('of a finished one', () => {
    expect(videoOf(finishedTask({ input }), resultUrl)).toMatchObject({
      status: 'completed',
      progress: 100,
      completed_at: START / 1000 + 65,
      expires_at: 1_790_086_400,
      error: null,
      metadata: { url: FILM },
    });
  });

  it('of a failed one', () => {
    const failed = taskWith({ state: 'FAILURE', failCode: 'content_refused', failReason: 'a face', progress: 100 });
    const video = videoOf(failed, resultUrl);
    expect(video).toMatchObject({ status: 'failed', error: { code: 'content_refused', message: 'a face' } });
    expect(video).toMatchObject({ completed_at: null });
    expect(video).not.toHaveProperty('metadata');
  });

  it('in a list', () => {
    const tasks = [taskWith({ id: 'video_2' }), taskWith({ id: 'video_1' })];
    expect(videoListOf({ tasks, hasMore: false }, resultUrl)).toMatchObject({
      object: 'list',
      data: [{ id: 'video_2' }, { id: 'video_1' }],
      first_id: 'video_2',
      last_id: 'video_1',
      has_more: false,
    });
    expect(videoListOf({ tasks: [], hasMore: false }, resultUrl)).toMatchObject({ first_id: null, last_id: null });
  });
});

describe('the webhook of an ended task', () => {
  it('carries the record of the GET under the name of its event', () => {
    const task = finishedTask();
    const body: unknown = JSON.parse(webhookBodyOf({ task, resultUrl: FILM, at: START + 999 }, { platformOf }));
    expect(body).toEqual({
      type: 'video.task.succeeded',
      timestamp: new Date(START).toISOString().replace('.000Z', 'Z'),
      data: taskReplyOf(task, shown)['data'],
    });
  });

  it('tells of a failure too', () => {
    const task = taskWith({ state: 'FAILURE', failReason: 'refused', quota: 0 });
    expect(JSON.parse(webhookBodyOf({ task, resultUrl: '', at: START }, { platformOf }))).toMatchObject({
      type: 'video.task.failed',
      data: { status: 'FAILURE', fail_reason: 'refused', quota: 0, result_url: '' },
    });
  });
});
