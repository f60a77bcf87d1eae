import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { ark } from './adapter.ts';
import { fromArkTask, toArkTask } from './videos.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as JsonObject;

describe('toArkTask, own shape', () => {
  it('forwards every field as it came, names the model and keeps callbacks for us', () => {
    const body = {
      model: 'doubao-seedance-2-0-fast',
      content: [
        { type: 'text', text: 'a boat' },
        { type: 'image_url', image_url: { url: 'asset://a-1' }, role: 'reference_image' },
      ],
      duration: 0,
      watermark: false,
      seed: 0,
      tomorrows_parameter: { deep: [1, null] },
    };
    const asked = videoCreate({ body: { ...body, callback_url: 'https://caller.example/hook' } });
    expect(toArkTask(asked, 'ep-1')).toEqual({ body: { ...body, model: 'ep-1' }, dropped: [] });
  });
});

describe('toArkTask, other shapes', () => {
  const cases: { name: string; input: Partial<VideoCreate>; sends: JsonObject; dropped?: string[] }[] = [
    { name: 'a prompt alone sends nothing else', input: { prompt: 'a cat' }, sends: {} },
    {
      name: 'zero and false are values',
      input: { seed: 0, watermark: false, audio: false },
      sends: { seed: 0, watermark: false, generate_audio: false },
    },
    { name: 'a size in pixels', input: { size: '1280x720' }, sends: { resolution: '720p', ratio: '16:9' } },
    {
      name: 'an upright size, near a ratio',
      input: { size: '1024x1792' },
      sends: { resolution: '1080p', ratio: '9:16' },
    },
    {
      name: 'a class in capitals',
      input: { resolution: '720P', ratio: '9:16' },
      sends: { resolution: '720p', ratio: '9:16' },
    },
    { name: 'a class Ark has not', input: { resolution: '768P' }, sends: {}, dropped: ['resolution'] },
    { name: 'a ratio Ark has not', input: { ratio: '5:4' }, sends: {}, dropped: ['aspect_ratio'] },
    { name: 'auto is adaptive', input: { ratio: 'Auto' }, sends: { ratio: 'adaptive' } },
    {
      name: 'a negative prompt has no place',
      input: { negativePrompt: 'rain' },
      sends: {},
      dropped: ['negative_prompt'],
    },
    {
      name: 'the OpenAI shape may add anything',
      input: { shape: 'seconds', duration: 8, extra: { return_last_frame: true, tomorrow: 1 } },
      sends: { duration: 8, return_last_frame: true, tomorrow: 1 },
    },
    {
      name: 'a foreign family’s own words are named',
      input: { shape: 'prompt', extra: { prompt_optimizer: true, service_tier: 'flex' } },
      sends: { service_tier: 'flex' },
      dropped: ['prompt_optimizer'],
    },
    {
      name: 'nested parameters are found',
      input: { shape: 'input', duration: 4, extra: { parameters: { audio_setting: 'origin', camera_fixed: true } } },
      sends: { duration: 4, camera_fixed: true },
      dropped: ['parameters.audio_setting'],
    },
    {
      name: 'an extra model or callback never gets through',
      input: {
        shape: 'seconds',
        extra: { model: 'other', metadata: { model: 'other', callback_url: 'https://x.example' } },
      },
      sends: {},
      dropped: ['model', 'metadata.model', 'metadata.callback_url'],
    },
  ];
  it.each(cases)('$name', ({ input, sends, dropped = [] }) => {
    const made = toArkTask(videoCreate({ shape: 'image-urls', ...input }), 'm');
    const content: Json[] = input.prompt === undefined ? [] : [{ type: 'text', text: input.prompt }];
    expect(made).toEqual({ body: { model: 'm', content, ...sends }, dropped });
  });

  it('gives every medium its role, in order', () => {
    const { body } = toArkTask(
      videoCreate({
        shape: 'input',
        prompt: 'p',
        images: [
          { role: 'first_frame', url: 'https://m.example/1.png', param: 'input.media[0].url' },
          { role: 'last_frame', url: 'data:image/png;base64,AAAA', param: 'input.media[1].url' },
          { role: 'reference', url: 'asset://x', param: 'input.media[2].url' },
        ],
        videos: [{ role: 'base', url: 'https://m.example/v.mp4', param: 'input.media[3].url' }],
        audios: [{ role: 'driving', url: 'https://m.example/a.mp3', param: 'input.media[4].url' }],
      }),
      'm',
    );
    expect(body['content']).toEqual([
      { type: 'text', text: 'p' },
      { type: 'image_url', image_url: { url: 'https://m.example/1.png' }, role: 'first_frame' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, role: 'last_frame' },
      { type: 'image_url', image_url: { url: 'asset://x' }, role: 'reference_image' },
      { type: 'video_url', video_url: { url: 'https://m.example/v.mp4' }, role: 'reference_video' },
      { type: 'audio_url', audio_url: { url: 'https://m.example/a.mp3' }, role: 'reference_audio' },
    ]);
  });

  it('refuses subjects instead of making another video', () => {
    expect(() => toArkTask(videoCreate({ shape: 'omni', subjects: ['860000000000000123'] }), 'm')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: expect.objectContaining({ param: 'subject_infos' }),
      }),
    );
  });
});

describe('fromArkTask', () => {
  it.each(['queued', 'running'])('%s', (status) => {
    const task = fixture(`videos-check.${status}.200.json`);
    expect(fromArkTask(task, asItIs)).toEqual({ state: status, payload: task });
  });

  it('succeeded: both files with their life, tokens and seconds', () => {
    const task = fixture('videos-check.succeeded.200.json');
    expect(fromArkTask(task, asItIs)).toEqual({
      state: 'succeeded',
      files: [
        { url: 'https://tos.example/out.mp4?sig=1', mime: 'video/mp4', expiresAt: 1790086540 },
        { url: 'https://tos.example/last.png?sig=1', mime: 'image/png', expiresAt: 1790086540 },
      ],
      usage: { videos: 1, outputTokens: 101250, seconds: 5 },
      payload: task,
    });
  });

  it('counts frames where no duration is said', () => {
    const task = { ...fixture('videos-check.succeeded.200.json'), duration: null, frames: 121 };
    expect(fromArkTask(task, asItIs)).toMatchObject({ usage: { seconds: 121 / 24 } });
  });

  it.each<{ name: string; task: JsonObject; fault: object }>([
    {
      name: 'output moderation',
      task: fixture('videos-check.failed.200.json'),
      fault: { code: 'content_refused', message: 'output refused', vendorCode: 'OutputVideoSensitiveContentDetected' },
    },
    {
      name: 'server trouble',
      task: { status: 'failed', error: { code: 'InternalServiceError', message: 'oops' } },
      fault: { code: 'upstream_unavailable', message: 'oops', vendorCode: 'InternalServiceError' },
    },
    {
      name: 'no reason at all',
      task: { status: 'failed', error: null },
      fault: { code: 'upstream_unavailable', message: 'the vendor gave no reason' },
    },
    { name: 'cancelled', task: { status: 'cancelled' }, fault: { code: 'conflict', message: 'task cancelled' } },
    { name: 'expired', task: { status: 'expired' }, fault: { code: 'upstream_timeout', message: 'task expired' } },
  ])('failed: $name', ({ task, fault }) => {
    expect(fromArkTask(task, asItIs)).toEqual({ state: 'failed', fault, payload: task });
  });

  it('keeps a word it does not know', () => {
    expect(fromArkTask({ status: 'pondering' }, asItIs)).toMatchObject({ state: 'unknown', word: 'pondering' });
  });

  it.each<{ name: string; task: Json }>([
    { name: 'no status', task: { id: 'x' } },
    { name: 'an error body on a 200', task: { error: { code: 'x' } } },
    { name: 'a list', task: [] },
    { name: 'finished without a file', task: { status: 'succeeded', content: {} } },
  ])('is a poll fault, not a task state: $name', ({ task }) => {
    expect(() => fromArkTask(task, asItIs)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let next: ScriptedReply = {};
  beforeAll(async () => {
    vendor = await startScriptedVendor(() => next);
  });
  afterAll(() => vendor.close());
  const videos = ark.videos!;

  it('signs with the key and keeps the ticket', async () => {
    next = { json: { id: 'cgt-1' } };
    const upstream = vendor.upstream(ark, { basePath: '/api/v3', model: 'ep-1' });
    expect(await videos.start(videoCreate({ body: { content: [] } }), upstream)).toEqual({
      ticket: { id: 'cgt-1' },
      dropped: [],
    });
    const request = vendor.requests.at(-1);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/v3/contents/generations/tasks',
      json: { model: 'ep-1', content: [] },
    });
    expect(request?.headers.authorization).toBe('Bearer vendor-key-0123456789');
  });

  it('a create answered without an id may have been taken', async () => {
    next = { json: {} };
    await expect(videos.start(videoCreate(), vendor.upstream(ark))).rejects.toMatchObject({
      code: 'upstream_malformed',
      details: { taken: 'unknown' },
    });
  });

  it('an unknown task is missing, an unknown model is not', async () => {
    next = { status: 404, json: { error: { code: 'ResourceNotFound', message: 'no such task' } } };
    expect(await videos.check({ id: 'cgt-1' }, vendor.upstream(ark))).toMatchObject({ state: 'missing' });
    await expect(videos.start(videoCreate(), vendor.upstream(ark))).rejects.toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'no' },
    });
    next = {
      status: 404,
      json: { error: { code: 'InvalidEndpointOrModel.NotFound', message: 'ep-secret does not exist' } },
    };
    await expect(videos.check({ id: 'cgt-1' }, vendor.upstream(ark))).rejects.toMatchObject({
      code: 'upstream_rejected_model',
    });
  });

  it('an identifier from a ticket cannot leave its path', async () => {
    next = { json: { status: 'queued' } };
    await videos.check({ id: '../x?y' }, vendor.upstream(ark));
    expect(vendor.requests.at(-1)?.path).toBe('/contents/generations/tasks/..%2Fx%3Fy');
  });

  it.each(['running', 'succeeded', 'failed', 'cancelled', 'expired'])(
    'never deletes a task that is %s',
    async (status) => {
      next = { json: { status, content: { video_url: 'https://x.example/v.mp4' } } };
      const before = vendor.requests.length;
      await expect(videos.cancel!({ id: 'cgt-1' }, vendor.upstream(ark))).rejects.toMatchObject({ code: 'conflict' });
      expect(vendor.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
    },
  );

  it('deletes a queued one', async () => {
    next = { json: { status: 'queued' } };
    await videos.cancel!({ id: 'cgt-1' }, vendor.upstream(ark));
    expect(vendor.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/contents/generations/tasks/cgt-1' });
  });
});
