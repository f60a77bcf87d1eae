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
import { minimax } from './adapter.ts';
import { toHailuoVideo, fromHailuoTask } from './videos.ts';

const text = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const fixture = (name: string): JsonObject => JSON.parse(text(name)) as JsonObject;

describe('toHailuoVideo', () => {
  it('forwards its own shape as it came', () => {
    const body = {
      prompt: 'a lantern [Push in]',
      first_frame_image: 'data:image/png;base64,AAAA',
      duration: 10,
      prompt_optimizer: false,
      tomorrows_parameter: null,
    };
    const asked = videoCreate({
      shape: 'prompt',
      body: { ...body, model: 'x', resolution: '768p', callback_url: 'https://c.example' },
    });
    expect(toHailuoVideo(asked, 'MiniMax-Hailuo-2.3')).toEqual({
      body: { ...body, resolution: '768P', model: 'MiniMax-Hailuo-2.3' },
      dropped: [],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['image', { image: 'https://m.example/a.png' }, { first_frame_image: 'https://m.example/a.png' }],
    ['imageUrls', { imageUrls: ['https://m.example/a.png'] }, { first_frame_image: 'https://m.example/a.png' }],
    [
      'its own name first',
      { image: 'https://m.example/b.png', first_frame_image: 'https://m.example/a.png' },
      { first_frame_image: 'https://m.example/a.png' },
    ],
    ['size as the class', { size: '1080p' }, { resolution: '1080P' }],
  ])('knows other names: %s', (_name, body, sends) => {
    expect(toHailuoVideo(videoCreate({ shape: 'prompt', body }), 'm').body).toEqual({ ...sends, model: 'm' });
  });

  it('a size in pixels is the class that its row has for it', () => {
    const input = videoCreate({ shape: 'prompt', body: { size: '1920x1088' }, size: '1920x1088', resolution: '1080P' });
    expect(toHailuoVideo(input, 'm').body).toEqual({ resolution: '1080P', model: 'm' });
  });

  const cases: { name: string; model?: string; input: Partial<VideoCreate>; sends: JsonObject; dropped?: string[] }[] =
    [
      { name: 'a prompt alone', input: { prompt: 'p' }, sends: { prompt: 'p' } },
      {
        name: 'frames',
        input: {
          images: [
            { role: 'first_frame', url: 'https://m.example/1.png', param: 'a' },
            { role: 'last_frame', url: 'https://m.example/2.png', param: 'b' },
          ],
        },
        sends: { first_frame_image: 'https://m.example/1.png', last_frame_image: 'https://m.example/2.png' },
      },
      {
        name: 'seconds of the OpenAI shape, its size and its own words',
        input: {
          shape: 'seconds',
          duration: 6,
          size: '1920x1080',
          watermark: false,
          extra: { prompt_optimizer: false },
        },
        sends: { duration: 6, resolution: '1080P', aigc_watermark: false, prompt_optimizer: false },
        dropped: ['size'],
      },
      {
        name: 'what it has no place for',
        input: { negativePrompt: 'n', seed: 0, audio: false, ratio: '16:9', resolution: '480p' },
        sends: {},
        dropped: ['negative_prompt', 'seed', 'generate_audio', 'resolution', 'ratio'],
      },
      {
        name: 'classes differ by model',
        model: 'T2V-01',
        input: { resolution: '720p' },
        sends: { resolution: '720P' },
      },
      {
        name: 'a person, on the model that takes one',
        model: 'S2V-01',
        input: { images: [{ role: 'reference', url: 'https://m.example/p.png', param: 'a' }] },
        sends: { subject_reference: [{ type: 'character', image: ['https://m.example/p.png'] }] },
      },
    ];
  it.each(cases)('other shapes: $name', ({ model = 'MiniMax-Hailuo-2.3', input, sends, dropped = [] }) => {
    expect(toHailuoVideo(videoCreate(input), model)).toEqual({ body: { ...sends, model }, dropped });
  });

  it.each<[string, string, Partial<VideoCreate>, string]>([
    [
      'a reference image',
      'MiniMax-Hailuo-02',
      { images: [{ role: 'reference', url: 'u', param: 'imageUrls[2]' }] },
      'imageUrls[2]',
    ],
    [
      'a second person',
      'S2V-01',
      {
        images: [
          { role: 'reference', url: 'u', param: 'a' },
          { role: 'reference', url: 'u', param: 'b' },
        ],
      },
      'b',
    ],
    ['a video', 'MiniMax-Hailuo-02', { videos: [{ role: 'reference', url: 'u', param: 'v' }] }, 'v'],
    ['an audio', 'MiniMax-Hailuo-02', { audios: [{ role: 'reference', url: 'u', param: 's' }] }, 's'],
    ['a subject', 'MiniMax-Hailuo-02', { subjects: ['1'] }, 'subject_infos'],
  ])('refuses %s, naming it', (_name, model, input, param) => {
    expect(() => toHailuoVideo(videoCreate(input), model)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) }),
    );
  });
});

describe('fromHailuoTask', () => {
  it.each([
    ['Preparing', 'queued'],
    ['Queueing', 'queued'],
    ['Processing', 'running'],
  ])('%s is %s', (status, state) => {
    const task = { ...fixture('videos-check.queueing.200.json'), status };
    expect(fromHailuoTask(task, asItIs)).toEqual({ state, payload: task });
  });

  it('Fail says why', () => {
    expect(fromHailuoTask(fixture('videos-check.fail.200.json'), asItIs)).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused', message: 'output sensitive', vendorCode: '1027' },
    });
    expect(fromHailuoTask({ status: 'Fail' }, asItIs)).toMatchObject({
      state: 'failed',
      fault: { code: 'upstream_unavailable' },
    });
  });

  it('keeps a word it does not know; a task without one makes no sense', () => {
    expect(fromHailuoTask({ status: 'success' }, asItIs)).toMatchObject({ state: 'unknown', word: 'success' });
    expect(() => fromHailuoTask({ base_resp: {} }, asItIs)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let answers: Record<string, ScriptedReply> = {};
  beforeAll(async () => {
    vendor = await startScriptedVendor(({ path }) => answers[path.split('?')[0] ?? ''] ?? { status: 404, json: {} });
  });
  beforeEach(() => {
    vendor.requests.length = 0;
    answers = {};
  });
  afterAll(() => vendor.close());
  const videos = minimax.videos!;
  const open = () => vendor.upstream(minimax, { basePath: '/v1', model: 'MiniMax-Hailuo-2.3' });
  const paths = () => vendor.requests.map(({ path }) => path);

  it('starts, and remembers how long the video will be', async () => {
    answers = { '/v1/video_generation': { text: text('videos-start.200.json') } };
    const start = (body: JsonObject) => videos.start(videoCreate({ shape: 'prompt', body }), open());
    expect(await start({ prompt: 'p' })).toEqual({ ticket: { taskId: '300000000000001', seconds: 6 }, dropped: [] });
    expect(await start({ prompt: 'p', duration: 10 })).toMatchObject({ ticket: { seconds: 10 } });
    expect(vendor.requests[0]?.headers.authorization).toBe('Bearer vendor-key-0123456789');
  });

  it('a refusal on 200 is no task', async () => {
    answers = {
      '/v1/video_generation': {
        json: { task_id: '', base_resp: { status_code: 1026, status_msg: 'input sensitive' } },
      },
    };
    await expect(videos.start(videoCreate({ shape: 'prompt' }), open())).rejects.toMatchObject({
      code: 'content_refused',
      details: { taken: 'no' },
    });
  });

  it('merges the file into a finished task, the id as text', async () => {
    answers = {
      '/v1/query/video_generation': { text: text('videos-check.success.200.json') },
      '/v1/files/retrieve': { text: text('files-retrieve.200.json') },
    };
    expect(await videos.check({ taskId: '300000000000001', seconds: 6 }, open())).toEqual({
      state: 'succeeded',
      files: [{ url: 'https://cdn.example/o.mp4', mime: 'video/mp4', expiresAt: 1790003600, width: 1366, height: 768 }],
      usage: { videos: 1, seconds: 6 },
      payload: {
        ...fixture('videos-check.success.200.json'),
        file: { ...(fixture('files-retrieve.200.json')['file'] as JsonObject), file_id: '400000000000002' },
        download_url: 'https://cdn.example/o.mp4',
        video_url: 'https://cdn.example/o.mp4',
      },
    });
    expect(paths()).toEqual([
      '/v1/query/video_generation?task_id=300000000000001',
      '/v1/files/retrieve?file_id=400000000000002',
    ]);
  });

  it('keeps every digit of a file id beyond 2^53', async () => {
    answers = {
      '/v1/query/video_generation': {
        text: '{"status":"Success","file_id":900719925474099312,"base_resp":{"status_code":0}}',
      },
      '/v1/files/retrieve': {
        text: '{"file":{"file_id":900719925474099312,"download_url":"https://cdn.example/o.mp4"},"base_resp":{"status_code":0}}',
      },
    };
    expect(await videos.check({ taskId: '1' }, open())).toMatchObject({
      payload: { file_id: '900719925474099312', file: { file_id: '900719925474099312' } },
    });
    expect(paths().at(-1)).toBe('/v1/files/retrieve?file_id=900719925474099312');
  });

  it.each<[string, ScriptedReply, number]>([
    ['refused', { json: { base_resp: { status_code: 1000, status_msg: 'unknown' } } }, 5000],
    [
      'rate-limited',
      { status: 429, headers: { 'retry-after': '30' }, json: { base_resp: { status_code: 1002, status_msg: 'slow' } } },
      30000,
    ],
    ['cut off', 'hang-up', 5000],
    ['without a link', { json: { file: {}, base_resp: { status_code: 0 } } }, 5000],
  ])('stays running while the file is %s', async (_name, reply, checkAfterMs) => {
    answers = {
      '/v1/query/video_generation': { text: text('videos-check.success.200.json') },
      '/v1/files/retrieve': reply,
    };
    expect(await videos.check({ taskId: '1' }, open())).toMatchObject({
      state: 'running',
      checkAfterMs,
      payload: { status: 'Success' },
    });
  });

  it('a refused query is a poll’s fault; a wrong id is a missing task', async () => {
    answers = { '/v1/query/video_generation': { json: { base_resp: { status_code: 1000, status_msg: 'x' } } } };
    await expect(videos.check({ taskId: '1' }, open())).rejects.toMatchObject({ code: 'upstream_unavailable' });
    answers = {
      '/v1/query/video_generation': { json: { base_resp: { status_code: 2013, status_msg: 'invalid task_id' } } },
    };
    expect(await videos.check({ taskId: '1' }, open())).toMatchObject({ state: 'missing' });
  });

  it('fetches a fresh link', async () => {
    answers = {
      '/v1/query/video_generation': { text: text('videos-check.success.200.json') },
      '/v1/files/retrieve': { text: text('files-retrieve.200.json').replace('o.mp4', 'fresh.mp4') },
    };
    expect(await videos.refresh!({ taskId: '1' }, open())).toMatchObject([
      { url: 'https://cdn.example/fresh.mp4', expiresAt: 1790003600 },
    ]);
  });
});
