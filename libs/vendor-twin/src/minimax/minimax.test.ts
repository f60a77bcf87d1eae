import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { asker, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const call = asker(() => twin, 'minimax');

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
});
afterAll(async () => twin.close());

const create = async (body: object): Promise<Heard> => call('/video_generation', { body });
const TEXT = { model: 'MiniMax-Hailuo-2.3', prompt: 'a lantern' };

describe('minimax videos', () => {
  it('queue, run, and succeed with a file of its own', async () => {
    const { json } = await create({ ...TEXT, duration: 10 });
    expect(json).toEqual({
      task_id: expect.stringMatching(/^\d{16}$/),
      base_resp: { status_code: 0, status_msg: 'success' },
    });
    const path = `/query/video_generation?task_id=${json.task_id as string}`;
    expect((await call(path)).json.status).toBe('Queueing');
    now += 2000;
    expect((await call(path)).json.status).toBe('Processing');
    now += 3000;
    const done = (await call(path)).json;
    expect(done).toMatchObject({ status: 'Success', video_width: 1366, video_height: 768 });
    // Text in one reply, a number too long for a double in the next.
    const file = await call(`/files/retrieve?file_id=${done.file_id as string}`);
    expect(file.text).toContain(`"file_id":${done.file_id as string},`);
    expect(String(file.json.file.file_id)).not.toBe(done.file_id);
    expect(
      (await call(`/files/retrieve_content?file_id=${done.file_id as string}`)).bytes.subarray(4, 8).toString(),
    ).toBe('ftyp');
    expect(twin.ledger.jobs('minimax')).toMatchObject([{ billed: { seconds: 10, videos: 1 } }]);
  });

  it.each([
    ['[[twin:moderation]]', 1027],
    ['[[twin:fail]]', 1000],
  ])('%s fails on a 200', async (mark, status_code) => {
    const { json } = await create({ ...TEXT, prompt: mark });
    now += 10_000;
    const reply = await call(`/query/video_generation?task_id=${json.task_id as string}`);
    expect(reply).toMatchObject({ status: 200, json: { status: 'Fail', base_resp: { status_code } } });
  });

  it.each<[string, object, number]>([
    ['an unknown model', { model: 'Hailuo' }, 2013],
    ['ten seconds in 1080P', { ...TEXT, duration: 10, resolution: '1080P' }, 2013],
    ['seven seconds', { ...TEXT, duration: 7 }, 2013],
    ['small letters', { ...TEXT, resolution: '768p' }, 2013],
    ['text for a model of images', { ...TEXT, model: 'MiniMax-Hailuo-2.3-Fast' }, 2013],
    [
      'a last frame for 2.3',
      { ...TEXT, first_frame_image: 'https://a.b/c.png', last_frame_image: 'https://a.b/d.png' },
      2013,
    ],
    [
      'two subjects',
      {
        model: 'S2V-01',
        prompt: 'a',
        subject_reference: [{ type: 'character', image: ['https://a.b/1.png', 'https://a.b/2.png'] }],
      },
      2013,
    ],
    ['no prompt', { model: 'MiniMax-Hailuo-2.3' }, 2013],
    ['what offends', { ...TEXT, prompt: '[[twin:refuse]]' }, 1026],
  ])('refuse %s on a 200', async (_, body, status_code) => {
    expect(await create(body)).toMatchObject({ status: 200, json: { base_resp: { status_code } } });
  });

  it('tell a missing key from a wrong one', async () => {
    const wrong = await call('/files/retrieve?file_id=1', { headers: { authorization: 'Bearer x' } });
    expect(wrong.json.base_resp.status_code).toBe(2049);
    const missing = await call('/files/retrieve?file_id=1', { headers: { authorization: '' } });
    expect(missing.json.base_resp.status_code).toBe(1004);
  });
});
