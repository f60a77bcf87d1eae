import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
});
afterAll(async () => twin.close());

const jwt = (claims: object, secret = 'sk-test', alg = 'HS256'): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const claims = (): Record<string, unknown> => ({ iss: 'ak-test', exp: now / 1000 + 1800, nbf: now / 1000 - 5 });
const call = async (path: string, body?: unknown, token = jwt(claims())): Promise<Heard> =>
  ask(`${twin.baseUrl('kling')}${path}`, {
    ...(body !== undefined && { body }),
    headers: { authorization: `Bearer ${token}` },
  });

const OMNI = '/v1/videos/omni-video';
const video = {
  model_name: 'kling-v3-omni',
  prompt: 'a wave',
  aspect_ratio: '16:9',
  duration: '4',
  mode: 'pro',
  sound: 'on',
};

describe('tokens', () => {
  it('agree with the reference vector', async () => {
    const token =
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJhay10ZXN0IiwiZXhwIjoxNzkwMDAxODAwLCJuYmYiOjE3ODk5OTk5OTV9.0NAdQ8PB_L5-9Xx3H1DQB_7RWezVNnXV6wN7m0qhe0s';
    expect(jwt({ iss: 'ak-test', exp: 1_790_001_800, nbf: 1_789_999_995 })).toBe(token);
    expect(await call(OMNI, undefined, token)).toMatchObject({ status: 200 });
  });

  it.each<[string, () => string, number]>([
    ['another secret', () => jwt(claims(), 'other'), 1002],
    ['another issuer', () => jwt({ ...claims(), iss: 'x' }), 1002],
    ['no algorithm', () => jwt(claims(), 'sk-test', 'none'), 1002],
    ['the future', () => jwt({ ...claims(), nbf: now / 1000 + 60 }), 1003],
    ['the past', () => jwt({ ...claims(), exp: now / 1000 - 1 }), 1004],
    ['a day-long life', () => jwt({ ...claims(), exp: now / 1000 + 86_400 }), 1002],
  ])('fail for %s', async (_, token, code) => {
    expect(await call(OMNI, undefined, token())).toMatchObject({ status: 401, json: { code } });
  });
});

describe('videos', () => {
  it('are submitted, processed, and succeed once per external id', async () => {
    const created = await call(OMNI, { ...video, external_task_id: 'mine-1' });
    const id = created.json.data.task_id as string;
    expect(created.json).toMatchObject({
      code: 0,
      message: 'SUCCEED',
      data: { task_status: 'submitted', created_at: now },
    });
    expect(created.json.data).not.toHaveProperty('task_result');
    now += 2000;
    expect((await call(`${OMNI}/${id}`)).json.data.task_status).toBe('processing');
    now += 3000;
    const done = (await call(`${OMNI}/mine-1`)).json.data;
    expect(done).toMatchObject({
      task_id: id,
      task_status: 'succeed',
      task_info: { external_task_id: 'mine-1' },
      task_result: { videos: [{ duration: '4' }] },
    });
    expect(await call(OMNI, { ...video, external_task_id: 'mine-1' })).toMatchObject({
      status: 400,
      json: { code: 1201, message: expect.stringContaining('external_task_id') },
    });
    expect((await call(`${OMNI}?pageNum=1&pageSize=1`)).json.data).toHaveLength(1);
    expect(await call(`/v1/videos/text2video/${id}`)).toMatchObject({ status: 404, json: { code: 1203 } });
  });

  it('fail with a reason', async () => {
    const { json } = await call(OMNI, { ...video, prompt: '[[twin:moderation]]' });
    now += 10_000;
    const task = await call(`${OMNI}/${json.data.task_id as string}`);
    expect(task.json).toMatchObject({
      code: 0,
      data: { task_status: 'failed', task_status_msg: expect.stringContaining('risk control') },
    });
  });

  it.each<[string, string, object]>([
    ['seconds as a number', OMNI, { ...video, duration: 5 }],
    ['sixteen seconds', OMNI, { ...video, duration: '16' }],
    ['no ratio without a frame', OMNI, { ...video, aspect_ratio: undefined }],
    [
      'an end without a beginning',
      OMNI,
      { ...video, image_list: [{ image_url: 'https://a.b/c.png', type: 'end_frame' }] },
    ],
    ['sound over a video', OMNI, { ...video, video_list: [{ video_url: 'https://a.b/c.mp4', refer_type: 'base' }] }],
    ['a data URL', OMNI, { ...video, image_list: [{ image_url: 'data:image/png;base64,AAAA' }] }],
    [
      'eight images',
      OMNI,
      { ...video, image_list: Array.from({ length: 8 }, () => ({ image_url: 'https://a.b/c.png' })) },
    ],
    ['an omni model elsewhere', '/v1/videos/text2video', { model_name: 'kling-v3-omni', prompt: 'a' }],
    ['an image for text', '/v1/videos/text2video', { model_name: 'kling-v3', prompt: 'a', image: 'https://a.b/c.png' }],
    ['no image', '/v1/videos/image2video', { model_name: 'kling-v3', prompt: 'a' }],
  ])('refuse %s', async (_, path, body) => {
    expect(await call(path, body)).toMatchObject({ status: 400, json: { code: 1201 } });
  });
});

describe('elements', () => {
  const element = {
    element_name: 'Mira',
    element_description: 'red coat',
    reference_type: 'image_refer',
    element_image_list: { frontal_image: 'https://a.b/1.png', refer_images: [{ image_url: 'https://a.b/2.png' }] },
    tag_list: [{ tag_id: 'o_102' }],
  };

  it('have ids that no double holds, and want them back to the last digit', async () => {
    const path = '/v1/general/advanced-custom-elements';
    const { json } = await call(path, element);
    now += 5000;
    const { text } = await call(`${path}/${json.data.task_id as string}`);
    const id = /"element_id":(\d{18})[,}]/.exec(text)?.[1] ?? '';
    expect(String(Number(id))).not.toBe(id);
    const withElement = (given: string): string =>
      JSON.stringify({ ...video, element_list: [{ element_id: '#' }] }).replace('"#"', given);
    expect((await call(OMNI, withElement(id))).status).toBe(200);
    expect(await call(OMNI, withElement(String(Number(id))))).toMatchObject({ status: 400, json: { code: 1201 } });
    expect((await call('/v1/general/delete-elements', `{"element_id":${id}}`)).status).toBe(200);
  });
});
