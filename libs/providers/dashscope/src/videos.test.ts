import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { dashscope } from './adapter.ts';
import { toDashScopeVideo, chinaTime, fromDashScopeTask } from './videos.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as JsonObject;
const kit = { ...asItIs, now: () => 1_790_000_000_000 };
const refusing = (param: string) =>
  expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) });

describe('own shape', () => {
  it('goes as it came, with the model named by us', () => {
    const body = {
      input: {
        prompt: 'p',
        media: [
          { type: 'video', url: 'https://m.example/v.mp4' },
          { type: 'reference_image', url: 'oss://x', tomorrow: 1 },
        ],
      },
      parameters: { resolution: '720P', watermark: false, audio_setting: 'origin' },
      another: null,
    };
    const asked = videoCreate({ shape: 'input', body: { ...body, model: 'x', callback_url: 'https://c.example' } });
    expect(toDashScopeVideo(asked, 'happyhorse-1.0-video-edit')).toEqual({
      body: { ...body, model: 'happyhorse-1.0-video-edit' },
      dropped: [],
    });
  });

  it.each<[string, string[]]>([
    ['happyhorse-1.0-t2v', []],
    ['happyhorse-1.0-r2v', []],
    ['happyhorse-1.1-i2v', ['parameters.ratio']],
    ['happyhorse-1.0-video-edit', ['parameters.ratio', 'parameters.duration']],
    ['wan2.7-i2v', []],
  ])('%s: what it does not take is taken out and named', (model, dropped) => {
    const parameters = { ratio: '16:9', duration: 5, seed: 0 };
    const made = toDashScopeVideo(videoCreate({ shape: 'input', body: { input: {}, parameters } }), model);
    const kept = Object.entries(parameters).filter(([name]) => !dropped.includes(`parameters.${name}`));
    expect(made).toEqual({ body: { model, input: {}, parameters: Object.fromEntries(kept) }, dropped });
  });

  it('an absent watermark stays absent', () => {
    expect(
      toDashScopeVideo(videoCreate({ shape: 'input', body: { input: { prompt: 'p' } } }), 'happyhorse-1.0-t2v').body,
    ).toEqual({
      model: 'happyhorse-1.0-t2v',
      input: { prompt: 'p' },
    });
  });
});

it.each<[string, Partial<VideoCreate>, JsonObject]>([
  ['pixels', { size: '1280*720', resolution: '720P' }, { resolution: '720P' }],
  ['a class', { size: '720p' }, { resolution: '720P' }],
])('HappyHorse knows no size: %s in its own shape go as the class', (_name, given, parameters) => {
  const body = { input: { prompt: 'p' }, parameters: { size: given.size ?? '' } };
  expect(toDashScopeVideo(videoCreate({ shape: 'input', body, ...given }), 'happyhorse-1.0-t2v').body).toEqual({
    ...{ input: { prompt: 'p' }, parameters, model: 'happyhorse-1.0-t2v' },
  });
  const wan = toDashScopeVideo(videoCreate({ shape: 'input', body, ...given }), 'wan2.6-t2v');
  expect(wan.body['parameters']).toEqual(body.parameters);
});

describe('other shapes', () => {
  const image = (role: 'first_frame' | 'last_frame' | 'reference', name = role) => ({
    role,
    url: `https://m.example/${name}.png`,
    param: `image-${name}`,
  });
  const video = (role: 'reference' | 'base' | 'first_clip') => ({
    role,
    url: `https://m.example/${role}.mp4`,
    param: `video-${role}`,
  });
  const audio = (role: 'reference' | 'driving') => ({
    role,
    url: `https://m.example/${role}.mp3`,
    param: `audio-${role}`,
  });

  const cases: { name: string; model: string; input: Partial<VideoCreate>; sends: JsonObject; dropped?: string[] }[] = [
    { name: 'text alone', model: 'happyhorse-1.0-t2v', input: { prompt: 'p' }, sends: { input: { prompt: 'p' } } },
    {
      name: 'every word it has',
      model: 'happyhorse-1.0-t2v',
      input: {
        shape: 'seconds',
        prompt: 'p',
        duration: 4,
        size: '1280x720',
        seed: 0,
        watermark: false,
        extra: { prompt_extend: true, multi_shot: true },
      },
      sends: {
        input: { prompt: 'p', multi_shot: true },
        parameters: { prompt_extend: true, duration: 4, seed: 0, watermark: false, resolution: '720P', ratio: '16:9' },
      },
    },
    {
      name: 'words it lacks',
      model: 'happyhorse-1.0-t2v',
      input: { negativePrompt: 'n', audio: true, ratio: '21:9', resolution: '480p' },
      sends: { input: {} },
      dropped: ['negative_prompt', 'generate_audio', 'resolution', 'ratio'],
    },
    {
      name: '1.1 knows more ratios',
      model: 'happyhorse-1.1-t2v',
      input: { ratio: '21:9' },
      sends: { input: {}, parameters: { ratio: '21:9' } },
    },
    {
      name: 'a first frame decides the ratio',
      model: 'happyhorse-1.0-i2v',
      input: { images: [image('first_frame')], ratio: '16:9', duration: 5 },
      sends: {
        input: { media: [{ type: 'first_frame', url: 'https://m.example/first_frame.png' }] },
        parameters: { duration: 5 },
      },
      dropped: ['ratio'],
    },
    {
      name: 'references',
      model: 'happyhorse-1.0-r2v',
      input: { images: [image('reference')] },
      sends: { input: { media: [{ type: 'reference_image', url: 'https://m.example/reference.png' }] } },
    },
    {
      name: 'editing: the video first, no duration',
      model: 'happyhorse-1.0-video-edit',
      input: { images: [image('reference')], videos: [video('reference')], duration: 5 },
      sends: {
        input: {
          media: [
            { type: 'video', url: 'https://m.example/reference.mp4' },
            { type: 'reference_image', url: 'https://m.example/reference.png' },
          ],
        },
      },
      dropped: ['duration'],
    },
    {
      name: 'Wan 2.7: every medium has a type',
      model: 'wan2.7-i2v',
      input: {
        negativePrompt: 'n',
        images: [image('first_frame'), image('last_frame'), image('reference')],
        videos: [video('first_clip'), video('base'), video('reference')],
        audios: [audio('driving')],
      },
      sends: {
        input: {
          negative_prompt: 'n',
          media: [
            { type: 'first_frame', url: 'https://m.example/first_frame.png' },
            { type: 'last_frame', url: 'https://m.example/last_frame.png' },
            { type: 'reference_image', url: 'https://m.example/reference.png' },
            { type: 'first_clip', url: 'https://m.example/first_clip.mp4' },
            { type: 'video', url: 'https://m.example/base.mp4' },
            { type: 'reference_video', url: 'https://m.example/reference.mp4' },
            { type: 'driving_audio', url: 'https://m.example/driving.mp3' },
          ],
        },
      },
    },
    {
      name: 'Wan 2.6: sizes in pixels from class and ratio',
      model: 'wan2.6-t2v',
      input: { resolution: '1080p', ratio: '9:16', audio: true },
      sends: { input: {}, parameters: { size: '1080*1920', audio: true } },
    },
    {
      name: 'Wan 2.6: a picture, a sound and the class',
      model: 'wan2.6-i2v',
      input: { images: [image('first_frame')], audios: [audio('driving')], resolution: '720p' },
      sends: {
        input: { img_url: 'https://m.example/first_frame.png', audio_url: 'https://m.example/driving.mp3' },
        parameters: { resolution: '720P' },
      },
    },
    {
      name: 'Wan 2.6: references in one list',
      model: 'wan2.6-r2v',
      input: { images: [image('reference')], videos: [video('reference')] },
      sends: { input: { reference_urls: ['https://m.example/reference.png', 'https://m.example/reference.mp4'] } },
    },
    {
      name: 'Kling on DashScope',
      model: 'kling-v3-omni-video-generation',
      input: {
        images: [image('first_frame'), image('reference')],
        videos: [video('base')],
        resolution: '1080p',
        ratio: '1:1',
        audio: false,
        seed: 3,
      },
      sends: {
        input: {
          media: [
            { type: 'first_frame', url: 'https://m.example/first_frame.png' },
            { type: 'refer', url: 'https://m.example/reference.png' },
            { type: 'base', url: 'https://m.example/base.mp4' },
          ],
        },
        parameters: { mode: 'pro', aspect_ratio: '1:1', audio: false },
      },
      dropped: ['seed'],
    },
  ];
  it.each(cases)('$name', ({ model, input, sends, dropped = [] }) => {
    expect(toDashScopeVideo(videoCreate(input), model)).toEqual({ body: { model, ...sends }, dropped });
  });

  it.each<[string, string, Partial<VideoCreate>, string]>([
    ['a picture for text to video', 'happyhorse-1.0-t2v', { images: [image('first_frame')] }, 'image-first_frame'],
    ['a last frame', 'happyhorse-1.0-i2v', { images: [image('first_frame'), image('last_frame')] }, 'image-last_frame'],
    ['a reference where a frame is wanted', 'happyhorse-1.0-i2v', { images: [image('reference')] }, 'image-reference'],
    [
      'a frame where references are wanted',
      'happyhorse-1.0-r2v',
      { images: [image('first_frame')] },
      'image-first_frame',
    ],
    ['a video for references', 'happyhorse-1.0-r2v', { videos: [video('reference')] }, 'video-reference'],
    ['a clip to continue', 'happyhorse-1.0-video-edit', { videos: [video('first_clip')] }, 'video-first_clip'],
    ['sound', 'happyhorse-1.0-t2v', { audios: [audio('driving')] }, 'audio-driving'],
    ['a reference sound', 'wan2.7-i2v', { audios: [audio('reference')] }, 'audio-reference'],
    ['an old Wan’s last frame', 'wan2.6-i2v', { images: [image('last_frame')] }, 'image-last_frame'],
    ['subjects', 'wan2.7-i2v', { subjects: ['1'] }, 'subject_infos'],
  ])('refuses %s, naming it', (_name, model, input, param) => {
    expect(() => toDashScopeVideo(videoCreate(input), model)).toThrow(refusing(param));
  });
});

describe('fromDashScopeTask', () => {
  it.each([
    ['PENDING', 'queued'],
    ['RUNNING', 'running'],
    ['SUSPENDED', 'running'],
  ])('%s is %s', (task_status, state) => {
    const task = { output: { task_status } };
    expect(fromDashScopeTask(task, 0, kit)).toEqual({ state, payload: task });
  });

  it('succeeded: the link lives a day from the end, on China’s clock', () => {
    const task = fixture('videos-check.succeeded.200.json');
    expect(fromDashScopeTask(task, 0, kit)).toEqual({
      state: 'succeeded',
      files: [
        {
          url: 'https://oss.example/x.mp4?Expires=1',
          mime: 'video/mp4',
          expiresAt: Date.UTC(2026, 10, 22, 1, 1, 20) / 1000,
        },
      ],
      usage: { videos: 1, seconds: 5 },
      payload: task,
    });
  });

  it('bills what editing reads and makes', () => {
    const task = {
      ...fixture('videos-check.succeeded.200.json'),
      usage: { duration: 13, output_video_duration: 5, video_count: 1 },
    };
    expect(fromDashScopeTask(task, 0, kit)).toMatchObject({ usage: { seconds: 13 } });
  });

  it('failed, canceled', () => {
    expect(fromDashScopeTask(fixture('videos-check.failed.200.json'), 0, kit)).toMatchObject({
      state: 'failed',
      fault: {
        code: 'content_refused',
        vendorCode: 'DataInspectionFailed',
        message: 'input refused by the content check',
      },
    });
    expect(fromDashScopeTask({ output: { task_status: 'CANCELED' } }, 0, kit)).toMatchObject({
      state: 'failed',
      fault: { message: 'task canceled' },
    });
  });

  it('a task that ends over the gateway’s own account says nothing of it', () => {
    const task = { output: { task_status: 'FAILED', code: 'Arrearage', message: 'account acme is overdue' } };
    const progress = fromDashScopeTask(task, 0, kit);
    expect(progress).toMatchObject({ state: 'failed', fault: { code: 'upstream_rejected_key' } });
    expect(progress.state === 'failed' && JSON.stringify(progress.fault)).not.toMatch(/acme|Arrearage/);
  });

  it('UNKNOWN is borne while the task is fresh, then it is missing', () => {
    const task = fixture('videos-check.unknown.200.json');
    expect(fromDashScopeTask(task, 59_999, kit).state).toBe('queued');
    expect(fromDashScopeTask(task, 60_000, kit).state).toBe('missing');
  });

  it('keeps a word it does not know; a body without one makes no sense', () => {
    expect(fromDashScopeTask({ output: { task_status: 'PONDERING' } }, 0, kit)).toMatchObject({
      state: 'unknown',
      word: 'PONDERING',
    });
    expect(() => fromDashScopeTask({ code: 'x' }, 0, kit)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
    expect(() => fromDashScopeTask({ output: { task_status: 'SUCCEEDED' } }, 0, kit)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
  });

  it('reads only times', () => {
    expect(chinaTime('2026-11-21 09:00:00')).toBe(Date.UTC(2026, 10, 21, 1));
    expect(chinaTime('soon')).toBeUndefined();
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let next: ScriptedReply = {};
  beforeAll(async () => {
    vendor = await startScriptedVendor(() => next);
  });
  beforeEach(() => {
    vendor.requests.length = 0;
  });
  afterAll(() => vendor.close());
  const videos = dashscope.videos!;
  const open = (settings: Record<string, string> = {}) =>
    vendor.upstream(dashscope, { basePath: '/api/v1', model: 'happyhorse-1.0-t2v', settings });

  it('asks asynchronously, and remembers when', async () => {
    next = { json: fixture('videos-start.200.json') };
    const started = await videos.start(videoCreate({ shape: 'input', body: { input: { prompt: 'p' } } }), open());
    expect(started.ticket).toEqual({ taskId: '0b6a1c1e-demo', startedAt: 1_790_000_000_000 });
    expect(vendor.requests[0]?.path).toBe('/api/v1/services/aigc/video-generation/video-synthesis');
    expect(vendor.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer vendor-key-0123456789',
      'x-dashscope-async': 'enable',
    });
    expect(vendor.requests[0]?.headers).not.toHaveProperty('x-dashscope-ossresourceresolve');
    expect(vendor.requests[0]?.headers).not.toHaveProperty('x-dashscope-workspace');
  });

  it('names the workspace, and has the vendor’s own addresses resolved', async () => {
    next = { json: fixture('videos-start.200.json') };
    const body = { input: { media: [{ type: 'first_frame', url: 'oss://bucket/x.png' }] } };
    await videos.start(videoCreate({ shape: 'input', body }), open({ workspace: 'ws-1' }));
    expect(vendor.requests[0]?.headers).toMatchObject({
      'x-dashscope-ossresourceresolve': 'enable',
      'x-dashscope-workspace': 'ws-1',
    });
  });

  it('polls and cancels by id', async () => {
    next = { json: fixture('videos-check.pending.200.json') };
    expect(await videos.check({ taskId: 't/1', startedAt: 0 }, open())).toMatchObject({ state: 'queued' });
    next = { json: { request_id: 'r' } };
    await videos.cancel!({ taskId: 't/1' }, open());
    expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/tasks/t%2F1',
      'POST /api/v1/tasks/t%2F1/cancel',
    ]);
  });

  it('too late to cancel is a conflict, a bad key is not', async () => {
    next = { status: 400, json: { code: 'UnsupportedOperation', message: 'not pending' } };
    await expect(videos.cancel!({ taskId: 't' }, open())).rejects.toMatchObject({ code: 'conflict' });
    next = { status: 401, json: { code: 'InvalidApiKey', message: 'no' } };
    await expect(videos.cancel!({ taskId: 't' }, open())).rejects.toMatchObject({ code: 'upstream_rejected_key' });
  });
});
