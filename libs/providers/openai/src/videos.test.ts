import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, VideoCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { openai } from './openai.ts';
import { fromOpenAiVideo, toOpenAiVideo } from './openai-videos.ts';
import { videos } from './videos.ts';
import { fromXaiVideo, toXaiVideo } from './xai-videos.ts';

const adapter: ProviderAdapter = { ...openai, videos };
const CONTENT = 'https://relay.example/v1/videos/video_abc/content';
const image = (role: 'first_frame' | 'last_frame' | 'reference', url = `https://m.example/${role}.png`) => ({
  role,
  url,
  param: `image-${role}`,
});
const video = (role: 'reference' | 'base' | 'first_clip') => ({
  role,
  url: `https://m.example/${role}.mp4`,
  param: `video-${role}`,
});
const refusing = (param: string) =>
  expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) });

describe('toOpenAiVideo', () => {
  it('forwards its own shape as it came, seconds as text', () => {
    const body = { prompt: 'a kite', size: '1280x720', input_reference: { file_id: 'f1' }, tomorrow: [1] };
    const asked = videoCreate({
      shape: 'seconds',
      body: { ...body, model: 'x', seconds: 8, callback_url: 'https://c.example' },
    });
    expect(toOpenAiVideo(asked, 'sora-2')).toEqual({ body: { ...body, seconds: '8', model: 'sora-2' }, dropped: [] });
  });

  it('takes an address alone for a first frame', () => {
    const asked = videoCreate({ shape: 'seconds', body: { input_reference: 'https://m.example/a.png' } });
    expect(toOpenAiVideo(asked, 'm').body).toEqual({
      model: 'm',
      input_reference: { image_url: 'https://m.example/a.png' },
    });
  });

  const cases: { name: string; input: Partial<VideoCreate>; sends: JsonObject; dropped?: string[] }[] = [
    {
      name: 'words of the form',
      input: { prompt: 'p', duration: 8, resolution: '720p', ratio: '9:16' },
      sends: { prompt: 'p', seconds: '8', size: '720x1280' },
    },
    { name: 'a class alone is landscape', input: { resolution: '1080P' }, sends: { size: '1920x1080' } },
    { name: 'a size in pixels', input: { size: '1024*1792' }, sends: { size: '1024x1792' } },
    { name: 'no size, no field', input: { prompt: 'p' }, sends: { prompt: 'p' } },
    {
      name: 'a first frame',
      input: { images: [image('first_frame')] },
      sends: { input_reference: { image_url: 'https://m.example/first_frame.png' } },
    },
    {
      name: 'what it has no place for',
      input: {
        negativePrompt: 'n',
        seed: 0,
        watermark: true,
        audio: false,
        ratio: 'adaptive',
        extra: { service_tier: 'flex' },
      },
      sends: {},
      dropped: ['negative_prompt', 'seed', 'watermark', 'generate_audio', 'ratio', 'service_tier'],
    },
  ];
  it.each(cases)('other shapes: $name', ({ input, sends, dropped = [] }) => {
    expect(toOpenAiVideo(videoCreate(input), 'm')).toEqual({ body: { model: 'm', ...sends }, dropped });
  });

  it.each<[string, Partial<VideoCreate>, string]>([
    ['a last frame', { images: [image('first_frame'), image('last_frame')] }, 'image-last_frame'],
    ['references', { images: [image('reference')] }, 'image-reference'],
    ['a video', { videos: [video('reference')] }, 'video-reference'],
    ['an audio', { audios: [{ role: 'reference', url: 'u', param: 'a' }] }, 'a'],
    ['a subject', { subjects: ['1'] }, 'subject_infos'],
    ['an asset', { images: [image('first_frame', 'asset://x')] }, 'image-first_frame'],
  ])('refuses %s, naming it', (_name, input, param) => {
    expect(() => toOpenAiVideo(videoCreate(input), 'm')).toThrow(refusing(param));
  });
});

describe('fromOpenAiVideo', () => {
  const words: Record<string, string[]> = {
    queued: ['queued', 'pending', 'submitted', 'preparing', 'not_start', 'created', 'starting', 'unknown', 'QUEUED'],
    running: ['in_progress', 'processing', 'running', 'generating', 'IN_PROGRESS'],
    succeeded: ['completed', 'complete', 'succeeded', 'success', 'finished'],
    failed: ['failed', 'failure', 'fail', 'error', 'cancelled', 'canceled', 'expired'],
  };
  it.each(Object.entries(words).flatMap(([state, list]) => list.map((word) => [word, state])))(
    '%s is %s',
    (status, state) => {
      expect(fromOpenAiVideo({ id: 'v', status }, CONTENT, asItIs).state).toBe(state);
    },
  );

  it('tells a word it does not know', () => {
    expect(fromOpenAiVideo({ status: 'Pondering' }, CONTENT, asItIs)).toMatchObject({
      state: 'unknown',
      word: 'Pondering',
    });
    expect(fromOpenAiVideo({ status: 'constructor' }, CONTENT, asItIs)).toMatchObject({ state: 'unknown' });
    expect(() => fromOpenAiVideo({ id: 'v' }, CONTENT, asItIs)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
  });

  it.each([
    [0, 0],
    [33, 33],
    [100, 99],
    ['45', 45],
  ])('progress %j is %i per cent', (progress, percent) => {
    expect(fromOpenAiVideo({ status: 'in_progress', progress }, CONTENT, asItIs)).toMatchObject({ percent });
  });

  it('a video without a link is bytes behind the key', () => {
    const done = { id: 'video_abc', status: 'completed', seconds: '8', expires_at: 1790003600 };
    expect(fromOpenAiVideo(done, CONTENT, asItIs)).toMatchObject({
      files: [{ url: CONTENT, mime: 'video/mp4', credentialed: true, expiresAt: 1790003600 }],
      usage: { videos: 1, seconds: 8 },
    });
  });

  it.each<[string, JsonObject]>([
    ['url', { url: 'https://cdn.example/o.mp4' }],
    ['video_url', { video_url: 'https://cdn.example/o.mp4' }],
    ['metadata.url', { metadata: { url: 'https://cdn.example/o.mp4' } }],
  ])('a relay’s %s is anybody’s', (_name, link) => {
    const progress = fromOpenAiVideo({ status: 'completed', ...link }, CONTENT, asItIs);
    expect(progress).toMatchObject({ files: [{ url: 'https://cdn.example/o.mp4' }] });
    expect(JSON.stringify(progress)).not.toContain('credentialed');
  });

  it('a link on the relay itself wants the key; a link that is none is not used', () => {
    expect(
      fromOpenAiVideo({ status: 'completed', url: 'https://relay.example/files/1' }, CONTENT, asItIs),
    ).toMatchObject({ files: [{ credentialed: true }] });
    expect(fromOpenAiVideo({ status: 'completed', url: 'file:///etc/passwd' }, CONTENT, asItIs)).toMatchObject({
      files: [{ url: CONTENT }],
    });
  });

  it.each<[JsonObject, object]>([
    [
      { status: 'failed', error: { code: 'moderation_blocked', message: 'no' } },
      { code: 'content_refused', message: 'no', vendorCode: 'moderation_blocked' },
    ],
    [
      { status: 'failed', error: { code: 'video_generation_failed', message: 'oops' } },
      { code: 'upstream_unavailable', message: 'oops', vendorCode: 'video_generation_failed' },
    ],
    [
      { status: 'failed', error: 'plain words' },
      { code: 'upstream_unavailable', message: 'plain words' },
    ],
    [
      { status: 'failed', error: null },
      { code: 'upstream_unavailable', message: 'task failed' },
    ],
    [{ status: 'expired' }, { code: 'upstream_timeout', message: 'task expired' }],
    [{ status: 'canceled' }, { code: 'conflict', message: 'task cancelled' }],
  ])('%j', (body, fault) => {
    expect(fromOpenAiVideo(body, CONTENT, asItIs)).toMatchObject({ state: 'failed', fault });
  });
});

describe('xAI', () => {
  const cases: { name: string; input: Partial<VideoCreate>; path?: string; sends: JsonObject; dropped?: string[] }[] = [
    {
      name: 'text',
      input: { shape: 'seconds', prompt: 'p', duration: 6, size: '1280x720', extra: { tomorrow: 1 } },
      sends: { tomorrow: 1, prompt: 'p', duration: 6, resolution: '720p', aspect_ratio: '16:9' },
    },
    {
      name: 'a first frame',
      input: { images: [image('first_frame')] },
      sends: { image: { url: 'https://m.example/first_frame.png' } },
    },
    {
      name: 'references',
      input: { images: [image('reference')] },
      sends: { reference_images: [{ url: 'https://m.example/reference.png' }] },
    },
    {
      name: 'a video to edit',
      input: { prompt: 'p', videos: [video('base')], duration: 5, ratio: '16:9' },
      path: '/videos/edits',
      sends: { prompt: 'p', video: { url: 'https://m.example/base.mp4' } },
      dropped: ['duration', 'ratio'],
    },
    {
      name: 'a video to continue',
      input: { videos: [video('first_clip')], duration: 5 },
      path: '/videos/extensions',
      sends: { video: { url: 'https://m.example/first_clip.mp4' }, duration: 5 },
    },
    {
      name: 'what it has no place for',
      input: { seed: 0, audio: true, watermark: false, negativePrompt: 'n', ratio: '21:9' },
      sends: {},
      dropped: ['negative_prompt', 'seed', 'watermark', 'generate_audio', 'ratio'],
    },
  ];
  it.each(cases)('$name', ({ input, path = '/videos/generations', sends, dropped = [] }) => {
    expect(toXaiVideo(videoCreate(input), 'grok-imagine-video')).toEqual({
      path,
      body: { ...sends, model: 'grok-imagine-video' },
      dropped,
    });
  });

  it.each<[string, Partial<VideoCreate>, string]>([
    ['a last frame', { images: [image('first_frame'), image('last_frame')] }, 'image-last_frame'],
    ['two videos', { videos: [video('base'), video('reference')] }, 'video-reference'],
    ['images beside a video', { images: [image('reference')], videos: [video('base')] }, 'image-reference'],
    ['an audio', { audios: [{ role: 'reference', url: 'u', param: 'a' }] }, 'a'],
    ['an asset', { images: [image('first_frame', 'asset://x')] }, 'image-first_frame'],
  ])('refuses %s, naming it', (_name, input, param) => {
    expect(() => toXaiVideo(videoCreate(input), 'm')).toThrow(refusing(param));
  });

  it('202 runs, with a body or without', () => {
    expect(fromXaiVideo({ status: 202, json: undefined }, asItIs)).toMatchObject({ state: 'running' });
    expect(fromXaiVideo({ status: 202, json: { status: 'pending', progress: 40 } }, asItIs)).toMatchObject({
      state: 'running',
      percent: 40,
    });
  });

  it.each<[Json, object]>([
    [
      { status: 'done', video: { url: 'https://x.example/v.mp4', duration: 6, respect_moderation: true } },
      { state: 'succeeded', files: [{ url: 'https://x.example/v.mp4' }], usage: { videos: 1, seconds: 6 } },
    ],
    [
      { status: 'done', video: { url: '', duration: 6, respect_moderation: false } },
      { state: 'failed', fault: { code: 'content_refused' } },
    ],
    [
      { status: 'failed', error: { code: 'internal_error', message: 'oops' } },
      { state: 'failed', fault: { code: 'upstream_unavailable', message: 'oops' } },
    ],
    [{ status: 'failed' }, { state: 'failed', fault: { message: 'task failed' } }],
    [{ status: 'expired' }, { state: 'failed', fault: { code: 'upstream_timeout' } }],
    [{ status: 'pondering' }, { state: 'unknown', word: 'pondering' }],
  ])('%j', (json, progress) => {
    expect(fromXaiVideo({ status: 200, json }, asItIs)).toMatchObject(progress);
  });

  it.each<[Json | undefined]>([[undefined], [{}], [{ status: 'done' }]])('200 with %j makes no sense', (json) => {
    expect(() => fromXaiVideo({ status: 200, json }, asItIs)).toThrow(
      expect.objectContaining({ code: 'upstream_malformed' }),
    );
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
  const open = (settings: Record<string, string> = {}) =>
    vendor.upstream(adapter, { basePath: '/v1', model: 'sora-2', settings });

  it('sends JSON, and finds the bytes by the account’s own address', async () => {
    next = { json: { id: 'video_abc', object: 'video', status: 'queued' } };
    const { ticket } = await videos.start(videoCreate({ shape: 'seconds', body: { prompt: 'p' } }), open());
    expect(ticket).toEqual({ id: 'video_abc' });
    expect(vendor.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/videos',
      json: { prompt: 'p', model: 'sora-2' },
    });
    next = { json: { id: 'video_abc', status: 'completed' } };
    expect(await videos.check(ticket, open())).toMatchObject({
      files: [{ url: `${vendor.url}/v1/videos/video_abc/content`, credentialed: true }],
    });
    expect(vendor.requests[1]).toMatchObject({ method: 'GET', path: '/v1/videos/video_abc' });
  });

  it('sends a first frame given as content as a file of a form', async () => {
    next = { json: { id: 'video_abc' } };
    const body = {
      prompt: 'p',
      seconds: 8,
      metadata: { a: 1 },
      input_reference: { image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    };
    await videos.start(videoCreate({ shape: 'seconds', body }), open());
    const [request] = vendor.requests;
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(request?.headers['content-type'] ?? '')?.[1] ?? '';
    const parts = (request?.body.toString('latin1') ?? '').split(`--${boundary}`).slice(1, -1);
    expect(parts.map((part) => part.trim().replaceAll('\r\n', '|'))).toEqual([
      'content-disposition: form-data; name="prompt"||p',
      'content-disposition: form-data; name="seconds"||8',
      'content-disposition: form-data; name="metadata"||{"a":1}',
      'content-disposition: form-data; name="model"||sora-2',
      expect.stringMatching(
        /^content-disposition: form-data; name="input_reference"; filename="input_reference.png"\|content-type: image\/png\|\|/,
      ),
    ]);
    expect(request?.body.includes(Buffer.from('iVBORw0KGgo=', 'base64'))).toBe(true);
    expect(Number(request?.headers['content-length'])).toBe(request?.body.byteLength);
  });

  it('a failed video on HTTP 200 is a failed task, not a failed poll', async () => {
    next = {
      json: { id: 'v', object: 'video', status: 'failed', error: { code: 'moderation_blocked', message: 'no' } },
    };
    expect(await videos.check({ id: 'v' }, open())).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused' },
    });
  });

  it('an error without a status is a failed poll, not a failed task', async () => {
    next = { json: { error: { code: 'server_error', message: 'oops' } } };
    await expect(videos.check({ id: 'v' }, open())).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it.each([undefined, 'xai'])(
    '404 on a poll is a missing task, on a create a missing model (wire %s)',
    async (wire) => {
      next = {
        status: 404,
        json: { error: { message: 'no such thing', type: 'invalid_request_error', param: null, code: null } },
      };
      const settings = wire === undefined ? {} : { wire };
      expect(await videos.check({ id: 'v', requestId: 'v', ...settings }, open(settings))).toMatchObject({
        state: 'missing',
      });
      await expect(videos.start(videoCreate({ shape: 'seconds' }), open(settings))).rejects.toMatchObject({
        code: 'upstream_unavailable',
        details: { taken: 'no' },
      });
    },
  );

  it('insufficient quota is the operator’s trouble, a rate limit passes', async () => {
    next = { status: 429, json: { error: { code: 'insufficient_quota', message: 'x' } } };
    await expect(videos.start(videoCreate({ shape: 'seconds' }), open())).rejects.toMatchObject({
      code: 'upstream_rejected_key',
    });
    next = {
      status: 429,
      headers: { 'retry-after': '3' },
      json: { error: { code: 'rate_limit_exceeded', message: 'x' } },
    };
    await expect(videos.start(videoCreate({ shape: 'seconds' }), open())).rejects.toMatchObject({
      code: 'upstream_rate_limited',
      details: { retryAfterSeconds: 3 },
    });
  });

  it('speaks xAI by the account’s setting, and keeps to it for a task', async () => {
    next = { json: { request_id: 'r-1' } };
    const { ticket } = await videos.start(videoCreate({ shape: 'seconds', prompt: 'p' }), open({ wire: 'xai' }));
    expect(ticket).toEqual({ wire: 'xai', requestId: 'r-1' });
    next = { status: 202 };
    expect(await videos.check(ticket, open())).toMatchObject({ state: 'running' });
    expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/videos/generations',
      'GET /v1/videos/r-1',
    ]);
  });
});
