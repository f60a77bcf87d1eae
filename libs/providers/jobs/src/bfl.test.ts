/** What is Black Forest Labs' own: its clusters see the key, nobody else does, and films are as long as was paid for. */
import { Readable } from 'node:stream';
import { createUntrustedFetcher, openUpstream, type UpstreamPools } from '@model-gateway/provider-kit';
import { imageCreate, videoCreate } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import { BFL } from './bfl.ts';
import { bfl as vendor } from './index.ts';

const bfl = await vendor.load();

const frame = { role: 'first_frame', url: 'data:image/png;base64,QUJD', param: 'first_frame_image' } as const;

/** Where a poll goes, and whether the key goes with it. */
async function polled(pollingUrl: string, baseUrl = 'https://api.bfl.ai/v1'): Promise<unknown> {
  const asked: unknown[] = [];
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const reply = () => Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from(['{"status":"Pending"}']) });
  const pools = {
    for: (origin: string) => ({
      request: ({ headers }: { readonly headers: Record<string, string> }) => {
        asked.push({ origin, key: headers['x-key'] });
        return reply();
      },
    }),
  } as unknown as UpstreamPools;
  const upstream = openUpstream({
    account: { id: 1, name: 'bfl', vendor: 'bfl', baseUrl, credentials: { api_key: 'secret' }, settings: {} },
    ...{ adapter: bfl, model: 'flux-3-video', quirks: {}, pools, untrustedFetcher, now: Date.now },
    deadlines: { connect: 1, firstByte: 1, idle: 1 },
  });
  await bfl.videos?.check({ id: 'a', model: 'flux-3-video', pollingUrl }, upstream).catch(() => undefined);
  await untrustedFetcher.close();
  return asked;
}

it.each([
  ['https://api.us1.bfl.ai/v1/get_result?id=a', [{ origin: 'https://api.us1.bfl.ai', key: 'secret' }]],
  ['https://api.bfl.ai/v1/get_result?id=a', [{ origin: 'https://api.bfl.ai', key: 'secret' }]],
  ['http://api.us1.bfl.ai/v1/get_result?id=a', []],
  ['https://bfl.ai.evil.example/v1/get_result?id=a', []],
  ['https://evilbfl.ai/v1/get_result?id=a', []],
])('a poll at %s', async (url, expected) => {
  expect(await polled(url)).toEqual(expected);
});

it('an account behind another address gives its key to nobody else', async () => {
  expect(await polled('https://api.us1.bfl.ai/v1/get_result?id=a', 'https://proxy.example/v1')).toEqual([]);
});

it('films say how long and how large they are, and take frames as bare base64', () => {
  const body = { prompt: 'a fox', aspect_ratio: '16:9', draft_cache: 'x', webhook_url: 'https://evil.example' };
  const { prompt, ...extra } = body;
  const asked = BFL.videos?.(videoCreate({ shape: 'prompt', body, prompt, images: [frame], extra }), {
    ...{ model: 'flux-3-video', quirks: {} },
  });
  expect(asked).toEqual({
    body: { prompt, mode: 'i2v', duration: 5, resolution: 'hd', aspect_ratio: '16:9', keyframes: ['QUJD'] },
    dropped: ['draft_cache', 'webhook_url'],
  });
});

it.each([
  ['flux-pro-1.1', '1024x768', { width: 1024, height: 768 }],
  ['flux-kontext-pro', '1024x768', { aspect_ratio: '4:3' }],
  ['flux-pro-1.1-ultra', '21:9', { aspect_ratio: '21:9' }],
])('%s of %s', (model, size, expected) => {
  const asked = BFL.images?.(imageCreate({ prompt: 'a fox', size, extra: { width: 9000 } }), [], { model, quirks: {} });
  expect(asked).toEqual({ body: { prompt: 'a fox', ...expected }, dropped: ['width'] });
});

it('pictures reach the model only where they are counted', () => {
  const extra = { input_image: 'https://a.b/1.png', input_image_8: 'QUJD', input_image_blob_path: 'x', raw: true };
  const asked = BFL.images?.(imageCreate({ prompt: 'a fox', extra }), [], { model: 'flux-2-pro', quirks: {} });
  expect(asked).toEqual({
    body: { prompt: 'a fox', raw: true },
    dropped: ['input_image', 'input_image_8', 'input_image_blob_path'],
  });
});
