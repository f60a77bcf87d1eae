/** Remixes, edits and extensions of finished videos, with OpenAI's own SDK. */
import { openTestGateway, type TestGateway, until } from '@model-gateway/testing';
import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';

let gateway: TestGateway;
let openai: OpenAI;
let stranger: OpenAI;
beforeAll(async () => {
  gateway = await openTestGateway({
    twinOptions: { seconds: { video: 0.2 } },
    yaml: `models:
  - { code: sharp, kind: video, body: seconds, offers: [{ account: xai, model: grok-imagine-video }], limits: { resolutions: [480p, 720p] }, price: { second: 0.1, resolution_factors: { 480p: 0.5 } } }`,
  });
  const sdk = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  openai = sdk(gateway.liveKey);
  stranger = sdk(gateway.otherKey);
});
afterAll(() => gateway.close());

async function finished(id: string): Promise<OpenAI.Videos.Video> {
  let video = await openai.videos.retrieve(id);
  await until(async () => {
    video = await openai.videos.retrieve(id);
    return video.status === 'completed';
  });
  return video;
}

const made = async (model = 'sora-2', seconds: OpenAI.VideoSeconds = '8'): Promise<string> =>
  (await finished((await openai.videos.create({ model, prompt: 'A kite', seconds, size: '1280x720' })).id)).id;

/** What the vendor was sent last that makes a video. */
function sent(): { readonly path: string; readonly body: unknown } {
  const { path, body } = gateway.twin.requests.last() ?? { path: '', body: '' };
  return { path, body: JSON.parse(body) as unknown };
}

async function told(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return error instanceof APIError ? error.message : `no refusal: ${JSON.stringify(error)}`;
}

it('OpenAI’s form remixes, edits and extends by its own id, at the price of the seconds', async () => {
  const id = await made();
  const vendors = gateway.twin.ledger.jobs().at(-1)?.id ?? '';
  const remix = await openai.videos.remix(id, { prompt: 'By night' });
  expect(sent()).toMatchObject({
    path: expect.stringContaining(`/videos/${vendors}/remix`),
    body: { prompt: 'By night' },
  });
  expect(remix).toMatchObject({ object: 'video', status: 'queued', model: 'sora-2' });
  expect(await finished(remix.id)).toMatchObject({
    remixed_from_video_id: id,
    prompt: 'By night',
    seconds: '8',
    size: '1280x720',
  });

  const edit = await openai.videos.edit({ prompt: 'A red kite', video: { id } });
  expect(sent()).toMatchObject({
    path: expect.stringContaining('/videos/edits'),
    body: { prompt: 'A red kite', video: { id: vendors } },
  });
  expect(await finished(edit.id)).toMatchObject({ remixed_from_video_id: null, seconds: '8' });

  const extension = await openai.videos.extend({ prompt: 'It lands', seconds: '4', video: { id } });
  expect(sent()).toMatchObject({
    path: expect.stringContaining('/videos/extensions'),
    body: { prompt: 'It lands', seconds: '4', video: { id: vendors } },
  });
  expect(await finished(extension.id)).toMatchObject({ seconds: '4' });
  const holds = await heldFor([id, remix.id, edit.id, extension.id]);
  expect(holds).toEqual([holds[0], holds[0], holds[0], (holds[0] ?? 0) / 2]);
});

it('xAI edits and extends by the address of the video, and remixes none', async () => {
  const id = await made('grok-imagine-video', '4');
  const url = /^(?:https?:)/;
  const edit = await openai.videos.edit({ prompt: 'A red kite', video: { id } });
  expect(sent()).toMatchObject({
    path: expect.stringContaining('/videos/edits'),
    body: { prompt: 'A red kite', video: { url: expect.stringMatching(url) } },
  });
  expect((await finished(edit.id)).model).toBe('grok-imagine-video');
  await openai.videos.extend({ prompt: 'It lands', seconds: '4', video: { id } });
  expect(sent()).toMatchObject({
    path: expect.stringContaining('/videos/extensions'),
    body: { prompt: 'It lands', duration: 4, video: { url: expect.stringMatching(url) } },
  });
  const before = gateway.twin.ledger.jobs().length;
  expect(await told(openai.videos.remix(id, { prompt: 'By night' }))).toMatch(/remixes no videos.*sora-2/);
  expect(gateway.twin.ledger.jobs()).toHaveLength(before);
});

it('a change costs what its source’s resolution does, which its vendor is not told', async () => {
  const reply = await fetch(`${gateway.url}/v1beta/models/sharp:predictLongRunning`, {
    method: 'POST',
    headers: { 'x-goog-api-key': gateway.liveKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      instances: [{ prompt: 'A kite' }],
      parameters: { resolution: '480p', durationSeconds: 4, generateAudio: true },
    }),
  });
  const id = String(((await reply.json()) as { name?: string }).name)
    .split('/')
    .at(-1)!;
  await finished(id);
  const edit = await openai.videos.edit({ prompt: 'A red kite', video: { id } });
  expect(sent().body).not.toHaveProperty('resolution');
  // What is set aside: of an edit its vendor reports the film that it is made from, too.
  const [set] = await heldFor([edit.id]);
  const extension = await openai.videos.extend({ prompt: 'On', seconds: '4', video: { id } });
  await finished(extension.id);
  const [first, added] = await heldFor([id, extension.id]);
  expect([set, added]).toEqual([first, first]);
});

it('a model that cannot says who can, and nobody is asked or charged', async () => {
  const { id } = await openai.videos.create({
    model: 'doubao-seedance-2-0-fast',
    prompt: 'A kite',
    seconds: '4',
  });
  await finished(id);
  const before = gateway.twin.ledger.jobs().length;
  const asked = openai.videos.extend({ prompt: 'It lands', seconds: '4', video: { id } });
  expect(await told(asked)).toMatch(/^400 .*doubao-seedance-2-0-fast.*extends no videos; those that do: .*sora-2/);
  expect(gateway.twin.ledger.jobs()).toHaveLength(before);
});

it('refuses what is unfinished, unknown, another’s, a file, and what says nothing', async () => {
  const { id } = await openai.videos.create({ model: 'sora-2', prompt: 'A kite', seconds: '4' });
  expect(await told(openai.videos.remix(id, { prompt: 'By night' }))).toMatch(/^400 .*finished/);
  await finished(id);
  expect(await told(openai.videos.remix('video_nobody', { prompt: 'By night' }))).toMatch(/^404 /);
  expect(await told(stranger.videos.remix(id, { prompt: 'By night' }))).toMatch(/^404 /);
  expect(await told(stranger.videos.edit({ prompt: 'Red', video: { id } }))).toMatch(/^400 .*there is no video/);
  const file = await toFile(Buffer.from('film'), 'film.mp4', { type: 'video/mp4' });
  expect(await told(openai.videos.edit({ prompt: 'Red', video: file }))).toMatch(/^400 .*by its id, not a file/);
  expect(await told(openai.videos.edit({ prompt: ' ', video: { id } }))).toMatch(/^400 .*prompt/);
  const odd = { prompt: 'On', seconds: '5' as OpenAI.VideoSeconds, video: { id } };
  expect(await told(openai.videos.extend(odd))).toMatch(/^400 .*seconds/);
});

it.each(['max-cost', 'vendors', 'no-fallback'])('x-gateway-%s is refused, which would not be heeded', async (word) => {
  const headers = { [`x-gateway-${word}`]: word === 'vendors' ? 'openai' : '1' };
  const refusal = new RegExp(`^400 .*x-gateway-${word}`);
  const video = { id: 'video_any' };
  expect(await told(openai.videos.remix(video.id, { prompt: 'By night' }, { headers }))).toMatch(refusal);
  expect(await told(openai.videos.edit({ prompt: 'Red', video }, { headers }))).toMatch(refusal);
  expect(await told(openai.videos.extend({ prompt: 'On', seconds: '4', video }, { headers }))).toMatch(refusal);
});

it('a repetition under the same key makes one video', async () => {
  const id = await made();
  const again = { headers: { 'idempotency-key': 'the-same-remix' } };
  const [one, two] = [
    await openai.videos.remix(id, { prompt: 'By night' }, again),
    await openai.videos.remix(id, { prompt: 'By night' }, again),
  ];
  expect(two.id).toBe(one.id);
});

async function heldFor(ids: readonly string[]): Promise<(number | undefined)[]> {
  return Promise.all(
    ids.map(async (id) => (await gateway.server.tasks.get({ key: { ownerId: 1, mode: 'live' } } as never, id)).quota),
  );
}
