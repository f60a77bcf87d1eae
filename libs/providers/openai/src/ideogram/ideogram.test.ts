/** Ideogram against the twin (docs/wire/ideogram.md). */
import { describe, expect, it } from 'vitest';
import type { ImageCreate } from '@model-gateway/provider-kit';
import { describeImageAdapter, imageCreate, PICTURE, startScriptedVendor } from '@model-gateway/testing';
import { ideogram } from './ideogram.ts';
import { fromIdeogram, toV3, toV4 } from './images.ts';

const picture = { url: `data:image/png;base64,${PICTURE}`, param: 'image' };
const mask = { ...picture, param: 'mask' };
const moderation = { status: 422, body: { error: 'Prompt or provided image failed the safety checks' } };

describeImageAdapter(ideogram, 'ideogram', {
  model: 'ideogram-v3',
  input: { size: '832x1216', seed: 7, negativePrompt: 'fog', promptExtend: false },
  makes: { width: 832, height: 1216 },
  moderation,
  quirks: { rendering_speed: 'TURBO' },
});
describeImageAdapter(ideogram, 'ideogram', {
  model: 'ideogram-v3',
  operation: 'edit',
  input: { shape: 'edit', images: [picture], size: '1024x1024', extra: { image_weight: 60 } },
  makes: { width: 1024, height: 1024 },
  moderation: { status: 200, body: { data: [{ url: null, is_image_safe: false, resolution: '1024x1024' }] } },
});
describeImageAdapter(ideogram, 'ideogram', {
  model: 'ideogram-v4',
  input: { shape: 'predict', size: '1792x1024' },
  makes: { width: 2560, height: 1440 },
  moderation: { status: 200, body: { data: [{ url: '', is_image_safe: false }] } },
});

describe('what Ideogram’s form says', () => {
  const speed = { quirks: { rendering_speed: 'QUALITY' } };
  it.each<[string, Partial<ImageCreate>, string, object, readonly string[]]>([
    [
      'a resolution that there is',
      { size: '1344x768', count: 3 },
      'generate',
      { resolution: '1344x768', num_images: 3 },
      [],
    ],
    ['else the nearest ratio', { size: '1920x1080' }, 'generate', { aspect_ratio: '16x9' }, ['size']],
    ['a ratio in words', { size: '16:9' }, 'generate', { aspect_ratio: '16x9' }, []],
    ['a class', { size: '1k' }, 'generate', { resolution: '1024x1024' }, []],
    [
      'the caller’s own members, but not a speed of another price',
      {
        extra: { style_type: 'DESIGN', magic_prompt: 'OFF', rendering_speed: 'TURBO', character_reference_images: 'x' },
      },
      'generate',
      { style_type: 'DESIGN', magic_prompt: 'OFF' },
      ['rendering_speed', 'character_reference_images'],
    ],
    ['a remix', { images: [picture], extra: { image_weight: 3 } }, 'remix', { image_weight: 3 }, []],
    ['a place to paint', { images: [picture], mask, size: '1024x1024' }, 'inpaint', {}, ['size']],
    [
      'what it has no word for',
      { quality: 'high', user: 'u', outputFormat: 'png' },
      'generate',
      {},
      ['quality', 'output_format', 'user'],
    ],
  ])('%s', (_, given, way, fields, dropped) => {
    expect(toV3(imageCreate(given), speed)).toEqual({
      path: `/v1/ideogram-v3/${way}`,
      fields: { prompt: 'A paper boat', rendering_speed: 'QUALITY', ...fields },
      dropped,
    });
  });

  it('version 4 names a seed, and the size that it does not make', () => {
    expect(toV4(imageCreate({ seed: 1, size: '1920x1080' }), { quirks: {} })).toMatchObject({
      fields: { text_prompt: 'A paper boat', resolution: '2560x1440' },
      dropped: ['seed', 'size'],
    });
    expect(toV4(imageCreate({ size: '2k' }), { quirks: {} })).toMatchObject({
      fields: { resolution: '2048x2048' },
      dropped: [],
    });
    expect(() => toV4(imageCreate({ images: [picture] }), { quirks: {} })).toThrow(/takes no pictures/);
  });
});

it('a withheld picture keeps its place among others, and is paid for', () => {
  const data = [
    { url: null, is_image_safe: false },
    { url: 'https://x.test/a.png?exp=1', is_image_safe: true, resolution: '1024x1024', prompt: 'better' },
  ];
  expect(fromIdeogram({ created: '2026-11-26T10:00:00Z', data }, { now: () => 5000 })).toMatchObject({
    files: [
      { fault: { code: 'content_refused' } },
      { url: data[1]?.url, mime: 'image/png', width: 1024, expiresAt: 3605 },
    ],
    usage: { images: 2 },
    created: 1_795_687_200,
  });
});

it.each(['ideogram-v3', 'ideogram-v4'])(
  '%s: withheld pictures are charged where others came, and none is an error',
  async (model) => {
    let asked = 0;
    const item = (index: number) => (index % 3 === 0 ? { url: null } : { url: `https://x.test/${index}.png` });
    const vendor = await startScriptedVendor(() => {
      const data = model === 'ideogram-v3' ? [0, 1, 2].map(item) : [item(asked++)];
      return { json: { data } };
    });
    const draw = (count: number) =>
      ideogram.images?.generate(imageCreate({ count }), vendor.upstream(ideogram, { model })) ??
      Promise.reject(new Error());
    const reply = await draw(3);
    expect(reply.files.map((file) => 'fault' in file).toSorted()).toEqual([false, false, true]);
    expect(reply.usage).toEqual({ images: 3 });
    await vendor.close();

    const prude = await startScriptedVendor(() => ({ json: { data: [{ url: null }] } }));
    await expect(
      ideogram.images?.generate(imageCreate({ count: 2 }), prude.upstream(ideogram, { model })),
    ).rejects.toMatchObject({ code: 'content_refused', details: { taken: 'unknown' } });
    await prude.close();
  },
);

it.each([
  [400, 'Invalid input', 'invalid_request'],
  [402, 'Insufficient credits', 'upstream_rejected_key'],
  [404, 'Not found', 'upstream_rejected_model'],
  [408, 'Slow', 'upstream_timeout'],
  [503, 'Busy', 'upstream_unavailable'],
])('%i %s is %s', (status, error, code) => {
  const reply = { status, headers: {}, body: new Uint8Array(0), json: { error } };
  expect(ideogram.readFault(reply)).toEqual({
    code,
    message: error,
    taken: status === 408 || status >= 500 ? 'unknown' : 'no',
  });
});
