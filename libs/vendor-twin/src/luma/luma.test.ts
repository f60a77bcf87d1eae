/** Luma's own client against the twin (docs/wire/luma.md). */
import LumaAI, { NotFoundError, UnprocessableEntityError } from 'lumaai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
let luma: LumaAI;

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
  luma = new LumaAI({
    authToken: TWIN_CREDENTIALS.luma['api_key'] ?? '',
    baseURL: twin.baseUrl('luma'),
    maxRetries: 0,
  });
});
afterAll(async () => twin.close());

it('Luma’s client makes a film with a first frame, and a picture', async () => {
  const film = await luma.generations.video.create({
    ...{ model: 'ray-2', prompt: 'a fox', resolution: '540p', duration: '5s' },
    keyframes: { frame0: { type: 'image', url: 'https://a.b/c.png' } },
  });
  expect(film).toMatchObject({ state: 'queued', generation_type: 'video', request: { model: 'ray-2' } });
  const picture = await luma.generations.image.create({ model: 'photon-1', prompt: 'a fox', format: 'png' });
  now += 5000;
  const done = await luma.generations.get(film.id ?? '');
  expect(done).toMatchObject({ state: 'completed', assets: { video: expect.stringMatching(/^http/) as string } });
  const drawn = await luma.generations.get(picture.id ?? '');
  expect(drawn).toMatchObject({ state: 'completed', assets: { image: expect.stringMatching(/^http/) as string } });
});

it('what is deleted is gone; credits can be asked for', async () => {
  const { id = '' } = await luma.generations.image.create({ model: 'photon-1', prompt: 'a fox' });
  await luma.generations.delete(id);
  await expect(luma.generations.get(id)).rejects.toThrow(NotFoundError);
  expect((await luma.credits.get()).credit_balance).toBeGreaterThan(0);
});

it.each([
  ['duration', { duration: '7s' }],
  ['aspect_ratio', { aspect_ratio: '2:1' }],
  ['url', { keyframes: { frame0: { type: 'image', url: 'data:image/png;base64,AA' } } }],
])('refuses a wrong %s', async (field, more) => {
  const body = { model: 'ray-2', prompt: 'a fox', ...more } as LumaAI.Generations.VideoCreateParams;
  const error: unknown = await luma.generations.video.create(body).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  expect(JSON.stringify((error as UnprocessableEntityError).error)).toContain(`"${field}"`);
});
