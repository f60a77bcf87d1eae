/** Replicate's own client against the twin (docs/wire/replicate.md). */
import Replicate, { validateWebhook } from 'replicate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { asker, listen } from '../test-kit.ts';
import { KNOWN_VERSION } from './models.ts';

let twin: VendorTwin;
let replicate: Replicate;
const call = asker(() => twin, 'replicate');

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', seconds: { image: 0.2, video: 0.4 } });
  replicate = new Replicate({
    auth: TWIN_CREDENTIALS.replicate['api_key'] ?? '',
    baseUrl: twin.baseUrl('replicate'),
    useFileOutput: false,
  });
});
afterAll(async () => twin.close());

const POLL = { mode: 'poll', interval: 50 } as const;

it('Replicate’s client gets a list of pictures, and one link to a film', async () => {
  const pictures = await replicate.run('black-forest-labs/flux-schnell', {
    input: { prompt: 'a fox', num_outputs: 2, output_format: 'png' },
    wait: POLL,
  });
  expect(pictures).toEqual([expect.stringMatching(/^http/), expect.stringMatching(/^http/)]);
  const film = await replicate.run('bytedance/seedance-1-pro', { input: { prompt: 'a fox' }, wait: POLL });
  expect(film).toMatch(/^http/);
});

it('a prediction by version says what it was asked and how long it took', async () => {
  const made = await replicate.predictions.create({ version: KNOWN_VERSION, input: { prompt: 'a fox' } });
  expect(made).toMatchObject({ status: 'starting', version: KNOWN_VERSION, input: { prompt: 'a fox' } });
  const done = await replicate.wait(made, { interval: 50 });
  expect(done.metrics?.predict_time).toBeGreaterThan(0);
});

it('collections have models, by owner and name', async () => {
  const { models } = await replicate.collections.get('text-to-image');
  expect(models?.map(({ owner, name }) => `${owner}/${name}`)).toContain('black-forest-labs/flux-schnell');
  await expect(replicate.collections.get('nothing')).rejects.toThrow('404');
});

it('what is stopped stays stopped', async () => {
  const made = await replicate.predictions.create({
    model: 'black-forest-labs/flux-schnell',
    input: { prompt: 'a fox [[twin:seconds=60]]' },
  });
  expect((await replicate.predictions.cancel(made.id)).status).toBe('canceled');
  expect((await replicate.predictions.get(made.id)).status).toBe('canceled');
});

it.each([
  [{ prompt: 'a', lora: 'x' }, 'input.lora'],
  [{ aspect_ratio: '1:1' }, 'input.prompt'],
  [{ prompt: 'a', aspect_ratio: '7:1' }, 'input.aspect_ratio'],
])('refuses %j', async (input, field) => {
  const { status, json } = await call('/models/black-forest-labs/flux-schnell/predictions', { body: { input } });
  expect(status).toBe(422);
  expect(json).toMatchObject({ title: 'Input validation failed', status: 422, invalid_fields: [{ field }] });
});

it('flagged content fails the prediction', async () => {
  const { json } = await call('/models/black-forest-labs/flux-schnell/predictions', {
    body: { input: { prompt: '[[twin:refuse]]' } },
  });
  const made = await replicate.predictions.get(json.id as string);
  await expect(replicate.wait(made, { interval: 50 })).rejects.toThrow('flagged as sensitive');
});

it('a webhook is sent when a prediction is done, signed as Replicate’s client checks it', async () => {
  const heard = await listen();
  const { id } = await replicate.predictions.create({
    model: 'black-forest-labs/flux-schnell',
    input: { prompt: 'a fox' },
    webhook: `${heard.url}/hook`,
    webhook_events_filter: ['completed'],
  });
  const { headers, body } = await heard.first;
  expect(JSON.parse(body)).toMatchObject({ id, status: 'succeeded' });
  const { key } = await replicate.webhooks.default.secret.get();
  const request = new Request(heard.url, { method: 'POST', headers: headers as Record<string, string>, body });
  expect(await validateWebhook(request.clone(), key)).toBe(true);
  expect(await validateWebhook(request, `${key.slice(0, -4)}AAA=`)).toBe(false);
  await heard.close();
});

it('an address that is not https is refused', async () => {
  const asked = replicate.predictions.create({
    model: 'black-forest-labs/flux-schnell',
    input: { prompt: 'a fox' },
    webhook: 'http://gateway.example/hook',
  });
  await expect(asked).rejects.toThrow('422');
});
