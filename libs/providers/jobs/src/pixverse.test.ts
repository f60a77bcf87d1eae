/** What is PixVerse's own: pictures are uploaded first, bodies have what it needs and nothing dearer, and refusals are 200s. */
import type { JsonObject } from '@model-gateway/contracts';
import { PIXEL, startScriptedVendor, videoCreate } from '@model-gateway/testing';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { expect, it } from 'vitest';
import { pixverse as declared } from './index.ts';
import { PIXVERSE } from './pixverse.ts';

const pixverse = await declared.load();
const TARGET = { model: 'v6', quirks: {} } as never;
const PICTURE = `data:image/png;base64,${PIXEL}`;
const film = (given: Partial<VideoCreate>) =>
  PIXVERSE.videos?.(videoCreate({ shape: 'prompt', prompt: 'a fox', body: {}, ...given }), TARGET);
const first = { role: 'first_frame', url: '41', param: 'first_frame_image' } as const;
const last = { role: 'last_frame', url: '42', param: 'last_frame_image' } as const;

it.each([
  ['a text', {}, { aspect_ratio: '16:9', duration: 5, quality: '720p' }, []],
  [
    'a ratio',
    { ratio: '21:9', resolution: '1080P', duration: 1 },
    { aspect_ratio: '21:9', duration: 1, quality: '1080p' },
    [],
  ],
  ['a size', { size: '720x1280' }, { aspect_ratio: '9:16', quality: '720p', duration: 5 }, []],
  ['sound and a seed', { audio: true, seed: 0 }, { generate_audio_switch: true, seed: 0 }, []],
  ['a quality in its own words', { extra: { quality: '1080p' } }, { quality: '1080p' }, []],
  ['a quality less than usual', { extra: { quality: '360p' } }, { quality: '720p' }, ['quality']],
  ['silence', { audio: false }, { generate_audio_switch: false }, []],
  ['what it does not take', { negativePrompt: 'dogs', watermark: true }, {}, ['negative_prompt', 'aigc_watermark']],
  ['a frame', { images: [first] }, { img_id: 41, quality: '720p' }, []],
  ['two frames', { images: [last, first] }, { first_frame_img: 41, last_frame_img: 42 }, []],
  ['a ratio beside a frame', { images: [first], ratio: '1:1' }, { img_id: 41 }, ['aspect_ratio']],
  ['its own words', { extra: { thinking_type: 'enabled' } }, { thinking_type: 'enabled' }, []],
] as const)('%s', (_name, given, body, dropped) => {
  const asked = film(given);
  expect(asked?.body).toMatchObject({ prompt: 'a fox', ...body });
  expect(asked?.dropped).toEqual(dropped);
  expect('aspect_ratio' in (asked?.body ?? {})).toBe(
    asked?.body['img_id'] === undefined && asked?.body['first_frame_img'] === undefined,
  );
});

it('what costs more than the row says does not reach it', () => {
  const dearer = {
    ...{ webhook_id: 'a', img_id: 1, quality: '8k', model: 'c1', template_id: 3, motion_mode: 'fast' },
    ...{ generate_audio: true, generate_audio_switch: true },
    ...{ generate_multi_clip_switch: true, sound_effect_switch: true, lip_sync_tts_content: 'b' },
  };
  for (const shape of ['prompt', 'seconds'] as const) {
    const asked = film({ shape, extra: dearer });
    expect(asked?.body).toEqual({ prompt: 'a fox', aspect_ratio: '16:9', duration: 5, quality: '720p' });
    expect(asked?.dropped.toSorted()).toEqual(Object.keys(dearer).toSorted());
  }
});

it.each([
  ['a last frame alone', [last]],
  ['a reference', [{ ...first, role: 'reference' } as const]],
])('%s is refused', (_name, images) => {
  expect(() => film({ images })).toThrow();
});

/** Answers an upload, then a create. */
async function started(
  images: VideoCreate['images'],
  replies: (path: string) => { status?: number; json: JsonObject },
) {
  const vendor = await startScriptedVendor(({ path }) => replies(path));
  const start = pixverse.videos?.start(
    videoCreate({ shape: 'prompt', prompt: 'a fox', body: {}, images }),
    vendor.upstream(pixverse, { model: 'v6' }),
  );
  const result = await start?.then(
    ({ ticket }) => ({ ticket }),
    (error: unknown) => ({ error }),
  );
  await vendor.close();
  return { requests: vendor.requests, ...result };
}
const ok = (resp: JsonObject) => ({ json: { ErrCode: 0, ErrMsg: 'success', Resp: resp } });

it('frames are uploaded as bytes or as addresses, each request with a trace of its own', async () => {
  const images = [
    { role: 'first_frame', url: PICTURE, param: 'first_frame_image' },
    { role: 'last_frame', url: 'https://a.b/c.png', param: 'last_frame_image' },
  ] as const;
  let id = 40;
  const { requests, ticket } = (await started(images, (path) =>
    ok(path.includes('upload') ? { img_id: ++id } : { video_id: 386, credit: 60 }),
  )) as Awaited<ReturnType<typeof started>> & { ticket: JsonObject };
  expect(requests.map(({ path }) => path)).toEqual(['/image/upload', '/image/upload', '/video/transition/generate']);
  const forms = requests.slice(0, 2).map(({ text }) => text);
  expect(forms.find((form) => form.includes('name="image_url"'))).toContain('https://a.b/c.png');
  expect(forms.find((form) => form.includes('name="image"'))).toContain('filename="image.png"');
  expect(requests.at(-1)?.json).toMatchObject({
    first_frame_img: expect.any(Number),
    last_frame_img: expect.any(Number),
  });
  expect(new Set(requests.map(({ headers }) => headers['ai-trace-id'])).size).toBe(3);
  expect(ticket).toEqual({ id: '386', model: 'v6', credit: 60 });
});

it.each([
  [200, { ErrCode: 400017, ErrMsg: 'Invalid parameter' }, 'invalid_request', 'no'],
  [200, { ErrCode: 400017, ErrMsg: 'The prompt is not compliant' }, 'content_refused', 'no'],
  [200, { ErrCode: 500063, ErrMsg: 'Not compliant' }, 'content_refused', 'no'],
  [500, { err_code: 500052, err_msg: 'the picture' }, 'content_refused', 'no'],
  [200, { ErrCode: 400012, ErrMsg: 'Invalid account' }, 'upstream_rejected_key', 'no'],
  [200, { ErrCode: 500090, ErrMsg: 'Insufficient balance' }, 'upstream_rejected_key', 'no'],
  [200, { ErrCode: 500044, ErrMsg: 'Reached the limit' }, 'upstream_rate_limited', 'no'],
  [200, { ErrCode: 99999, ErrMsg: 'Unknown' }, 'upstream_unavailable', 'unknown'],
  [500, { ErrCode: 0, ErrMsg: 'success' }, 'upstream_unavailable', 'unknown'],
] as const)('%i %j of a create is %s', async (status, json, code, taken) => {
  const { error } = (await started([], () => ({ status, json }))) as unknown as {
    error: { code: string; details: object };
  };
  expect(error).toMatchObject({ code, details: { taken } });
});

it('what it refuses is refused before a frame is uploaded', async () => {
  const images = [
    { role: 'first_frame', url: PICTURE, param: 'first_frame_image' },
    { role: 'reference', url: PICTURE, param: 'references[0]' },
  ] as const;
  const { error, requests } = (await started(images, () => ok({ img_id: 41 }))) as unknown as {
    error: object;
    requests: object[];
  };
  expect(error).toMatchObject({ code: 'invalid_request', details: { param: 'references[0]' } });
  expect(requests).toEqual([]);
});

it('a picture that it cannot take makes no job, whatever the fault', async () => {
  const image = [{ role: 'first_frame', url: PICTURE, param: 'first_frame_image' }] as const;
  const { error, requests } = (await started(image, () => ({ status: 503, json: {} }))) as unknown as {
    error: object;
    requests: object[];
  };
  expect(error).toMatchObject({ code: 'upstream_unavailable', details: { taken: 'no' } });
  expect(requests).toHaveLength(1);
});
