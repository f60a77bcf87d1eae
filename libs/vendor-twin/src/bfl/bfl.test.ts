/** What Black Forest Labs answers (docs/wire/bfl.md); it has no client of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const headers = { 'x-key': TWIN_CREDENTIALS.bfl['api_key'] ?? '' };
const call = (path: string, body?: object): Promise<Heard> =>
  ask(`${twin.baseUrl('bfl')}${path}`, { headers, ...(body !== undefined && { body }) });

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
});
afterAll(async () => twin.close());

it('names where to ask and what it costs, then gives a link', async () => {
  const { json } = await call('/flux-kontext-pro', { prompt: 'a fox', aspect_ratio: '16:9' });
  expect(json).toMatchObject({ cost: 4, polling_url: expect.stringContaining('/v1/get_result?id=') as string });
  const pollingUrl = String(json.polling_url);
  expect((await ask(pollingUrl, { headers })).json).toMatchObject({ status: 'Pending', result: null });
  now += 5000;
  expect((await ask(pollingUrl, { headers })).json).toMatchObject({
    ...{ status: 'Ready', result: { sample: expect.stringMatching(/^http/) as string } },
  });
});

it.each([
  ['[[twin:refuse]]', 'Request Moderated'],
  ['[[twin:moderation]]', 'Content Moderated'],
  ['[[twin:fail]]', 'Error'],
])('%s ends as %s on a 200', async (prompt, status) => {
  const { json } = await call('/flux-pro-1.1', { prompt });
  now += 5000;
  expect(await call(`/get_result?id=${String(json.id)}`)).toMatchObject({
    status: 200,
    json: { status, result: null },
  });
});

it.each([
  ['/flux-pro-1.1', { prompt: 'a', width: 1000 }, 422],
  ['/flux-kontext-pro', { prompt: 'a', input_image: 'data:image/png;base64,AA' }, 422],
  ['/flux-3-video', { prompt: 'a' }, 422],
  ['/flux-3-video', { mode: 'i2v', prompt: 'a' }, 422],
  ['/flux-3-video', { mode: 't2v', prompt: 'a', seed: 1 }, 422],
  ['/flux-9', { prompt: 'a' }, 404],
])('refuses %s with %j', async (path, body, status) => {
  expect((await call(path, body)).status).toBe(status);
});

it('knows its key, and its tasks', async () => {
  expect((await ask(`${twin.baseUrl('bfl')}/flux-pro-1.1`, { body: { prompt: 'a' } })).status).toBe(403);
  expect(await call('/get_result?id=nobody')).toMatchObject({ status: 404, json: { status: 'Task not found' } });
});
