/** What is Black Forest Labs' own: its clusters see the key, nobody else does, and films are as long as was paid for. */
import { createUntrustedFetcher, openUpstream, type UpstreamPools } from '@model-gateway/provider-kit';
import { imageCreate, startScriptedVendor, videoCreate } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import { BFL } from './bfl.ts';
import { bfl as vendor } from './index.ts';

const bfl = await vendor.load();

const frame = { role: 'first_frame', url: 'data:image/png;base64,QUJD', param: 'first_frame_image' } as const;

/** Where a poll goes, and whether the key goes with it. */
async function polled(pollingUrl: string, baseUrl = 'https://api.bfl.ai/v1'): Promise<unknown> {
  const asked: unknown[] = [];
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  // Whoever is asked, the question is enough.
  const pools = {
    for: (origin: string) => {
      const ask = ({ headers }: { readonly headers: Record<string, string> }): never => {
        asked.push({ origin, key: headers['x-key'] });
        throw new Error('asked');
      };
      return { request: ask, dispatch: ask };
    },
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
  ['https://bfl.ai.evil.example/v1/get_result?id=a', [{ origin: 'https://api.bfl.ai', key: 'secret' }]],
  ['https://evilbfl.ai/v1/get_result?id=a', [{ origin: 'https://api.bfl.ai', key: 'secret' }]],
])('a poll at %s', async (url, expected) => {
  expect(await polled(url)).toEqual(expected);
});

it.each(['https://api.us1.bfl.ai/v1/get_result?id=a', 'https://proxy.example/v1/get_result?id=a'])(
  'an account behind another address is asked there after %s, with its key',
  async (url) => {
    const own = [{ origin: 'https://proxy.example', key: 'secret' }];
    expect(await polled(url, 'https://proxy.example/v1')).toEqual(own);
  },
);

it('several pictures are of a seed each', async () => {
  const vendor = await startScriptedVendor(({ method, path }) =>
    method === 'POST'
      ? { json: { id: 'a' } }
      : { json: { status: 'Ready', result: { sample: `https://x.test${path}.png` } } },
  );
  await bfl.images?.generate(imageCreate({ count: 3, seed: 7 }), vendor.upstream(bfl, { model: 'flux-pro-1.1' }));
  const asked = vendor.requests.filter(({ method }) => method === 'POST');
  expect(asked.map(({ json }) => (json as { readonly seed: number }).seed).toSorted()).toEqual([7, 8, 9]);
  await vendor.close();
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
