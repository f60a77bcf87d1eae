import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { CLIP, DATA, LINK, read, refusal } from './testing/bodies.ts';

const [, base64 = ''] = DATA.split(',');
const image = { bytesBase64Encoded: base64, mimeType: 'image/png' };
const asked = (instance: JsonObject, parameters: JsonObject = {}): [JsonObject, JsonObject, 'operations'] => [
  { instances: [instance], parameters },
  {},
  'operations',
];

describe('instances (Google’s form)', () => {
  it('reads what Google’s SDKs send, for a model of any family', () => {
    for (const family of ['image-urls', 'seconds', 'content'] as const) {
      const { draft, family: own } = read(
        family,
        ...asked(
          { prompt: 'Waves', image, lastFrame: image },
          { aspectRatio: '9:16', durationSeconds: 8, seed: 0, generateAudio: false, personGeneration: 'allow_all' },
        ),
      );
      expect(own).toBe(family);
      expect(draft).toMatchObject({
        shape: 'instances',
        prompt: 'Waves',
        images: [
          { role: 'first_frame', url: DATA },
          { role: 'last_frame', url: DATA },
        ],
        ratio: '9:16',
        duration: 8,
        seed: 0,
        audio: false,
        extra: { parameters: { personGeneration: 'allow_all' } },
      });
    }
  });

  it.each<[string, JsonObject, string]>([
    ['bytes', image, DATA],
    ['inlineData', { inlineData: { mimeType: 'image/png', data: base64 } }, DATA],
    ['snake_case', { bytes_base64_encoded: base64, mime_type: 'image/png' }, DATA],
    ['an address', { uri: LINK }, LINK],
    ['an address by its other name', { fileUri: LINK, mimeType: 'image/png' }, LINK],
  ])('a picture as %s', (_name, medium, url) => {
    const { draft } = read('image-urls', ...asked({ image: medium }));
    expect(draft.images).toMatchObject([{ role: 'first_frame', url }]);
    expect(draft).not.toHaveProperty('prompt');
  });

  it('seconds as text, nulls as nothing', () => {
    const { draft } = read('image-urls', ...asked({ prompt: 'x', image: null }, { durationSeconds: '6', seed: null }));
    expect(draft).toMatchObject({ duration: 6, images: [], extra: {} });
    expect(draft).not.toHaveProperty('seed');
  });

  it('a video is one to go on from', () => {
    expect(read('content', ...asked({ video: { encodedVideo: base64, encoding: 'video/mp4' } })).draft.videos).toEqual([
      {
        role: 'first_clip',
        url: `data:video/mp4;base64,${base64}`,
        param: 'instances[0].video.encodedVideo',
      },
    ]);
    expect(read('content', ...asked({ video: { uri: CLIP } })).draft.videos).toMatchObject([{ url: CLIP }]);
  });

  it.each<{ name: string; body: JsonObject; param: string }>([
    { name: 'no instances', body: {}, param: 'instances' },
    { name: 'two', body: { instances: [{ prompt: 'x' }, { prompt: 'y' }] }, param: 'instances[1]' },
    { name: 'neither prompt nor picture', body: { instances: [{ prompt: ' ' }] }, param: 'instances[0].prompt' },
    { name: 'a picture as text', body: { instances: [{ image: LINK }] }, param: 'instances[0].image' },
    {
      name: 'bytes of a type that is none',
      body: { instances: [{ image: { bytesBase64Encoded: base64, mimeType: 'x;y' } }] },
      param: 'instances[0].image.bytesBase64Encoded',
    },
    {
      name: 'a reference without a picture',
      body: { instances: [{ prompt: 'x', referenceImages: [{ referenceType: 'asset' }] }] },
      param: 'instances[0].referenceImages[0].image',
    },
  ])('refuses $name', ({ body, param }) => {
    expect(refusal('image-urls', body, {}, 'operations').param).toBe(param);
  });
});
