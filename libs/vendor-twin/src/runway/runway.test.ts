/** Runway's own client against the twin (docs/wire/runway.md). */
import RunwayML, { BadRequestError, NotFoundError } from '@runwayml/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { asker } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
let runway: RunwayML;
const call = asker(() => twin, 'runway');

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now, media: 'tiny' });
  runway = new RunwayML({
    apiKey: TWIN_CREDENTIALS.runway['api_key'] ?? '',
    baseURL: twin.baseUrl('runway').replace(/\/v1$/, ''),
    maxRetries: 0,
  });
});
afterAll(async () => twin.close());

const FILM = { model: 'gen4.5', promptText: 'a fox', ratio: '1280:720', duration: 5 } as const;

it('Runway’s client makes a film, and is told what it cost', async () => {
  const { id, estimatedCost } = await runway.textToVideo.create(FILM);
  expect(estimatedCost.credits).toBe(60);
  expect(await runway.tasks.retrieve(id)).toMatchObject({ status: 'PENDING' });
  now += 2000;
  expect(await runway.tasks.retrieve(id)).toMatchObject({ status: 'RUNNING', progress: expect.any(Number) as number });
  now += 3000;
  const done = await runway.tasks.retrieve(id);
  expect(done).toMatchObject({ status: 'SUCCEEDED', cost: { credits: 60 }, output: [expect.stringMatching(/^http/)] });
});

it('a task that is deleted is never shown again', async () => {
  const { id } = await runway.imageToVideo.create({ ...FILM, promptImage: 'https://a.b/c.png' });
  await runway.tasks.delete(id);
  await expect(runway.tasks.retrieve(id)).rejects.toThrow(NotFoundError);
  expect(twin.ledger.jobs('runway').find((job) => job.id === id)?.state).toBe('cancelled');
});

it('refused content costs nothing and says where it was', async () => {
  const { id } = await runway.textToImage.create({
    ...{ model: 'gen4_image', ratio: '1024:1024', promptText: '[[twin:refuse]]' },
  });
  now += 5000;
  expect(await runway.tasks.retrieve(id)).toMatchObject({
    ...{ status: 'FAILED', failureCode: 'SAFETY.INPUT.TEXT', cost: { credits: 0 } },
  });
});

it.each([
  ['ratio', { ...FILM, ratio: '1:1' }],
  ['duration', { ...FILM, duration: 11 }],
  ['prompt', { ...FILM, prompt: 'a' }],
])('refuses a wrong %s', async (field, body) => {
  const error: unknown = await runway.textToVideo.create(body as typeof FILM).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error).toMatchObject({ error: { issues: [{ path: [field] }] } });
});

it('asks for its version', async () => {
  expect(await call('/text_to_video', { body: FILM })).toMatchObject({ status: 400 });
});
