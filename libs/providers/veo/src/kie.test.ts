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
import { veo } from './adapter.ts';
import { fromKieRecord, toKieVideo } from './kie.ts';

const done = JSON.parse(
  readFileSync(new URL('../fixtures/kie-check.success.200.json', import.meta.url), 'utf8'),
) as JsonObject;
const image = (role: 'first_frame' | 'last_frame' | 'reference') => ({
  role,
  url: `https://m.example/${role}.png`,
  param: `image-${role}`,
});

describe('toKieVideo', () => {
  const cases: {
    name: string;
    input: Partial<VideoCreate>;
    sends: JsonObject;
    upgrade?: string;
    dropped?: string[];
  }[] = [
    { name: 'a prompt alone', input: { prompt: 'p' }, sends: { prompt: 'p' } },
    {
      name: 'frames by address, in order',
      input: { images: [image('first_frame'), image('last_frame')] },
      sends: { imageUrls: ['https://m.example/first_frame.png', 'https://m.example/last_frame.png'] },
    },
    {
      name: 'references are said to be some',
      input: { images: [image('reference')] },
      sends: { imageUrls: ['https://m.example/reference.png'], generationType: 'REFERENCE_2_VIDEO' },
    },
    {
      name: 'the better classes are a call of their own',
      input: { resolution: '1080p', ratio: '9:16' },
      sends: { aspect_ratio: '9:16' },
      upgrade: '1080p',
    },
    { name: '4k too', input: { resolution: '4K', ratio: 'adaptive' }, sends: { aspect_ratio: 'Auto' }, upgrade: '4k' },
    { name: '720p is what it makes', input: { resolution: '720p', duration: 8, audio: true }, sends: {} },
    { name: 'a seed it takes', input: { seed: 12345 }, sends: { seeds: 12345 } },
    {
      name: 'what it has not',
      input: { seed: 0, duration: 4, negativePrompt: 'n', watermark: false, audio: false },
      sends: {},
      dropped: ['negative_prompt', 'duration', 'seed', 'watermark', 'generate_audio'],
    },
    {
      name: 'own and new fields pass, callbacks do not',
      input: { extra: { watermark: 'mine', tomorrow: 1, callBackUrl: 'https://c.example' } },
      sends: { watermark: 'mine', tomorrow: 1 },
      dropped: ['callBackUrl'],
    },
  ];
  it.each(cases)('$name', ({ input, sends, upgrade, dropped = [] }) => {
    expect(toKieVideo(videoCreate({ shape: 'image-urls', ...input }), 'veo3_fast')).toEqual({
      body: { ...sends, model: 'veo3_fast' },
      ...(upgrade !== undefined && { upgrade }),
      dropped,
    });
  });

  it('takes addresses only, and says which image is none', () => {
    const images = [{ role: 'first_frame' as const, url: 'data:image/png;base64,AAAA', param: 'imageUrls[0]' }];
    expect(() => toKieVideo(videoCreate({ images }), 'm')).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param: 'imageUrls[0]' }) }),
    );
  });
});

describe('fromKieRecord', () => {
  const record = (data: JsonObject) => ({ code: 200, msg: 'success', data });
  it('0 runs, 1 has succeeded', () => {
    expect(fromKieRecord(record({ successFlag: 0 }), asItIs).state).toBe('running');
    expect(fromKieRecord(done, asItIs)).toEqual({
      state: 'succeeded',
      files: [{ url: 'https://cdn.example/o.mp4', mime: 'video/mp4' }],
      usage: { videos: 1, seconds: 8 },
      payload: done,
    });
  });

  it.each<[number, JsonObject, string]>([
    [2, { errorCode: 400, errorMessage: 'flagged by our content policies' }, 'content_refused'],
    [3, { errorCode: 501, errorMessage: 'generation failed' }, 'upstream_unavailable'],
    [3, { errorCode: null, errorMessage: 'blocked by the safety system' }, 'content_refused'],
    [3, { errorCode: null, errorMessage: '' }, 'upstream_unavailable'],
  ])('%i with %j has failed as %s', (successFlag, about, code) => {
    expect(fromKieRecord(record({ successFlag, ...about }), asItIs)).toMatchObject({
      state: 'failed',
      fault: { code },
    });
  });

  it('keeps a flag it does not know; a record without one makes no sense', () => {
    expect(fromKieRecord(record({ successFlag: 9 }), asItIs)).toMatchObject({
      state: 'unknown',
      word: 'successFlag 9',
    });
    expect(() => fromKieRecord(record({}), asItIs)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
    expect(() => fromKieRecord(record({ successFlag: 1, response: {} }), asItIs)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let answer: (call: string) => ScriptedReply = () => ({ json: {} });
  const calls = () => vendor.requests.map(({ method, path }) => `${method} ${path}`);
  const open = () => vendor.upstream(veo, { model: 'veo3', settings: { wire: 'kie' } });
  const videos = veo.videos!;
  const upgradeAnswer = (reply: ScriptedReply) => (call: string) =>
    call.includes('record-info') ? { json: done } : reply;
  beforeAll(async () => {
    vendor = await startScriptedVendor(({ method, path }) => answer(`${method} ${path}`));
  });
  beforeEach(() => {
    vendor.requests.length = 0;
  });
  afterAll(() => vendor.close());

  it('starts with a bearer key, and asks by id', async () => {
    answer = () => ({ json: { code: 200, msg: 'success', data: { taskId: 'veo_task_1', successFlag: 0 } } });
    const { ticket } = await videos.start(
      videoCreate({ shape: 'image-urls', prompt: 'p', resolution: '1080p' }),
      open(),
    );
    expect(ticket).toEqual({ wire: 'kie', taskId: 'veo_task_1', upgrade: '1080p' });
    expect(vendor.requests[0]?.headers.authorization).toBe('Bearer vendor-key-0123456789');
    expect(await videos.check(ticket, open())).toMatchObject({ state: 'running' });
    expect(calls()).toEqual(['POST /api/v1/veo/generate', 'GET /api/v1/veo/record-info?taskId=veo_task_1']);
  });

  it.each([404, 422])('%i on HTTP 200 is a task it does not know', async (code) => {
    answer = () => ({ json: { code, msg: 'recordInfo is null', data: null } });
    expect(await videos.check({ wire: 'kie', taskId: 't' }, open())).toMatchObject({ state: 'missing' });
  });

  it('a refused poll is a poll’s fault', async () => {
    answer = () => ({ json: { code: 455, msg: 'maintenance', data: null } });
    await expect(videos.check({ wire: 'kie', taskId: 't' }, open())).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it('fetches the 1080p version once it is there', async () => {
    answer = upgradeAnswer({ json: { code: 200, msg: 'success', data: { resultUrl: 'https://cdn.example/hd.mp4' } } });
    expect(await videos.check({ wire: 'kie', taskId: 't', upgrade: '1080p' }, open())).toMatchObject({
      state: 'succeeded',
      files: [{ url: 'https://cdn.example/hd.mp4' }],
    });
    expect(calls().at(-1)).toBe('GET /api/v1/veo/get-1080p-video?taskId=t&index=0');
  });

  it('fetches the 4k version by a POST', async () => {
    answer = upgradeAnswer({
      json: { code: 200, msg: 'success', data: { taskId: 't', resultUrls: ['https://cdn.example/4k.mp4'] } },
    });
    expect(await videos.check({ wire: 'kie', taskId: 't', upgrade: '4k' }, open())).toMatchObject({
      state: 'succeeded',
      files: [{ url: 'https://cdn.example/4k.mp4' }],
    });
    expect(vendor.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/v1/veo/get-4k-video',
      json: { taskId: 't', index: 0 },
    });
  });

  it.each<[string, string, number, ScriptedReply]>([
    ['still processing', '1080p', 20_000, { status: 400, json: { code: 400, msg: '1080P is processing', data: null } }],
    ['not ready', '1080p', 20_000, { json: { code: 422, msg: 'not ready', data: null } }],
    [
      'being made',
      '4k',
      30_000,
      { json: { code: 422, msg: '4k is processing. It should be ready in 5-10 minutes.', data: { resultUrls: null } } },
    ],
    ['just ordered', '4k', 30_000, { json: { code: 200, msg: 'success', data: { taskId: 't', resultUrls: null } } }],
  ])('an upgrade that is %s keeps the task running', async (_name, upgrade, checkAfterMs, reply) => {
    answer = upgradeAnswer(reply);
    expect(await videos.check({ wire: 'kie', taskId: 't', upgrade }, open())).toMatchObject({
      state: 'running',
      checkAfterMs,
    });
  });

  it('an upgrade the vendor cannot make ends the task; trouble does not', async () => {
    answer = upgradeAnswer({
      json: {
        code: 500,
        msg: 'The 4K version of this video is unavailable. Please try a different video.',
        data: null,
      },
    });
    expect(await videos.check({ wire: 'kie', taskId: 't', upgrade: '4k' }, open())).toMatchObject({ state: 'failed' });
    answer = upgradeAnswer({ json: { code: 500, msg: 'server error', data: null } });
    await expect(videos.check({ wire: 'kie', taskId: 't', upgrade: '4k' }, open())).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it('asks no upgrade for a clip that is not there', async () => {
    answer = () => ({ json: { code: 200, msg: 'success', data: { successFlag: 0 } } });
    await videos.check({ wire: 'kie', taskId: 't', upgrade: '4k' }, open());
    expect(calls()).toHaveLength(1);
  });
});
