import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, asker } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const call = asker(() => twin, 'kie');
const BASE = '/api/v1/veo';

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
});
afterAll(async () => twin.close());

describe('kie.ai', () => {
  it('generates, then upgrades, saying so in numbers of its own', async () => {
    const { json } = await call(`${BASE}/generate`, {
      body: { prompt: 'waves', model: 'veo3_fast', aspect_ratio: '9:16' },
    });
    const taskId = json.data.taskId as string;
    expect((await call(`${BASE}/record-info?taskId=${taskId}`)).json.data).toMatchObject({
      successFlag: 0,
      response: null,
    });
    now += 4000;
    const record = (await call(`${BASE}/record-info?taskId=${taskId}`)).json;
    expect(record).toMatchObject({ code: 200, data: { successFlag: 1, response: { hasAudioList: [true] } } });
    expect((await ask(record.data.response.resultUrls[0] as string)).status).toBe(200);
    expect((await call(`${BASE}/get-1080p-video?taskId=${taskId}&index=0`)).json.code).toBe(400);
    expect((await call(`${BASE}/get-4k-video`, { body: { taskId, index: 0 } })).json.code).toBe(422);
    now += 3000;
    expect((await call(`${BASE}/get-1080p-video?taskId=${taskId}&index=0`)).json.data.resultUrl).toMatch(/^http/);
    expect((await call(`${BASE}/get-4k-video`, { body: { taskId, index: 0 } })).json.data.resultUrls).toHaveLength(1);
    expect((await call(`${BASE}/extend`, { body: { taskId, prompt: 'more' } })).json.code).toBe(200);
  });

  it('fails with a flag', async () => {
    const { json } = await call(`${BASE}/generate`, { body: { prompt: '[[twin:moderation]]' } });
    now += 10_000;
    const record = await call(`${BASE}/record-info?taskId=${json.data.taskId as string}`);
    expect(record).toMatchObject({ status: 200, json: { code: 200, data: { successFlag: 3, errorCode: 400 } } });
  });

  it.each<[string, object, number]>([
    ['no prompt', {}, 422],
    ['an unknown model', { prompt: 'a', model: 'veo9' }, 422],
    ['a data URL', { prompt: 'a', imageUrls: ['data:image/png;base64,AA'] }, 422],
    [
      'references for the best model',
      { prompt: 'a', model: 'veo3', generationType: 'REFERENCE_2_VIDEO', imageUrls: ['https://a.b/c.png'] },
      422,
    ],
    ['a small seed', { prompt: 'a', seeds: 1 }, 422],
    ['what offends', { prompt: '[[twin:refuse]]' }, 400],
  ])('refuses %s on a 200', async (_, body, code) => {
    expect(await call(`${BASE}/generate`, { body })).toMatchObject({ status: 200, json: { code } });
  });

  it('knows its key', async () => {
    expect(
      (await call(`${BASE}/generate`, { body: { prompt: 'a' }, headers: { authorization: 'Bearer x' } })).json.code,
    ).toBe(401);
  });
});
