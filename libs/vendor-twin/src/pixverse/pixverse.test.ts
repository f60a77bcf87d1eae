/** PixVerse has no client of its own: the calls of its documentation, by hand (docs/wire/pixverse.md). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask, type Asking, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
});
afterAll(async () => twin.close());

const call = (path: string, asking: Asking = {}): Promise<Heard> =>
  ask(twin.baseUrl('pixverse') + path, {
    ...asking,
    headers: {
      'api-key': TWIN_CREDENTIALS.pixverse['api_key'] ?? '',
      'ai-trace-id': randomUUID(),
      ...(asking.body !== undefined && !(asking.body instanceof FormData) && { 'content-type': 'application/json' }),
      ...asking.headers,
    },
  });
const TEXT = { model: 'v6', prompt: 'a fox', aspect_ratio: '16:9', duration: 5, quality: '540p' };
const generate = (body: object, way = 'text'): Promise<Heard> => call(`/video/${way}/generate`, { body });

async function picture(): Promise<number> {
  const form = new FormData();
  form.set('image', new Blob(['picture'], { type: 'image/png' }), 'a.png');
  const { json } = await call('/image/upload', { body: form });
  return json.Resp.img_id as number;
}

it('a text becomes a video, and says what it costs', async () => {
  const made = await generate({ ...TEXT, duration: 15, generate_audio_switch: true });
  expect(made.json).toMatchObject({ ErrCode: 0, Resp: { video_id: expect.any(Number), credit: 135 } });
  const id = String(made.json.Resp.video_id);
  expect((await call(`/video/result/${id}`)).json).toMatchObject({ ErrCode: 0, Resp: { status: 5, url: '' } });
  now += 4000;
  const { json } = await call(`/video/result/${id}`);
  expect(json).toMatchObject({ Resp: { status: 1, url: expect.stringMatching(/^http/), outputHeight: 540 } });
});

it('so do a picture, and two', async () => {
  const { aspect_ratio: _shape, ...rest } = TEXT;
  const [one, two] = [await picture(), await picture()];
  expect((await generate({ ...rest, img_id: one }, 'img')).json.ErrCode).toBe(0);
  const frames = { first_frame_img: one, last_frame_img: two };
  expect((await generate({ ...rest, ...frames }, 'transition')).json.ErrCode).toBe(0);
  expect((await generate({ ...rest, img_id: 12 }, 'img')).json.ErrCode).toBe(400032);
});

it.each([
  [{ ...TEXT, prompt: undefined }, 400011],
  [{ ...TEXT, duration: 16 }, 400017],
  [{ ...TEXT, model: 'v5.6', duration: 10, quality: '1080p' }, 400017],
  [{ ...TEXT, model: 'v5', duration: 10 }, 400017],
  [{ ...TEXT, quality: '4k' }, 400017],
  [{ ...TEXT, negative_prompt: 'dogs' }, 400017],
  [{ ...TEXT, prompt: 'a fox [[twin:refuse]]' }, 500063],
])('refuses %j with a 200 and the code %i', async (body, code) => {
  const { status, json } = await generate(body);
  expect({ status, code: json.ErrCode as number }).toEqual({ status: 200, code });
});

it('a trace is of one request', async () => {
  const headers = { 'ai-trace-id': randomUUID() };
  expect((await call('/account/balance', { headers })).json.ErrCode).toBe(0);
  expect((await call('/account/balance', { headers })).json.ErrCode).toBe(400013);
  expect((await call('/account/balance', { headers: { 'ai-trace-id': 'one' } })).json.ErrCode).toBe(400013);
});
