/** Recraft against the twin (docs/wire/recraft.md). */
import { describe, expect, it } from 'vitest';
import type { ImageCreate } from '@model-gateway/provider-kit';
import { describeImageAdapter, imageCreate } from '@model-gateway/testing';
import { recraft } from './recraft.ts';
import { toRecraft } from './images.ts';

// The smallest side that Recraft takes is 256.
const picture = { url: `data:image/png;base64,iVBORw0KGgo=`, param: 'image' };
const moderation = { status: 400, body: { code: 'content_moderation', message: 'The prompt was flagged.' } };

describeImageAdapter(recraft, 'recraft', {
  model: 'recraftv4_1',
  input: { size: '1344x768', seed: 7, extra: { style: 'Photorealism', text_layout: [] } },
  makes: { width: 1344, height: 768 },
  moderation,
});
describeImageAdapter(recraft, 'recraft', {
  model: 'recraftv3',
  input: { shape: 'predict', size: '1792x1024', responseFormat: 'b64_json' },
  makes: { width: 1344, height: 768 },
  moderation,
});

describe('what Recraft is asked', () => {
  it.each<[string, Partial<ImageCreate>, string, string, object, readonly string[]]>([
    ['a ratio in words', { size: '16:9' }, 'recraftv4_1', 'generations', { size: '16:9' }, []],
    ['a class that it does not make', { size: '4k' }, 'recraftv4_1', 'generations', { size: '1:1' }, ['size']],
    [
      'the caller’s own members, new ones too',
      { extra: { style_id: 's', controls: { colors: [] }, brand_new: 1 } },
      'recraftv3',
      'generations',
      { style_id: 's', controls: { colors: [] }, brand_new: 1 },
      [],
    ],
    [
      'of another form only those that it has',
      { shape: 'messages', negativePrompt: 'fog', extra: { style: 'Icon', 'parameters.odd': 1 } },
      'recraftv3',
      'generations',
      { style: 'Icon', negative_prompt: 'fog' },
      ['parameters.odd'],
    ],
    [
      'from a picture',
      { images: [picture], size: '1024x1024' },
      'recraftv4_1',
      'imageToImage',
      { strength: 0.5 },
      ['size'],
    ],
    ['in a mask', { images: [picture], mask: picture, count: 2 }, 'recraftv3', 'inpaint', { n: 2 }, []],
    [
      'what it has no word for',
      { quality: 'high', background: 'transparent', user: 'u', outputFormat: 'webp' },
      'recraftv3',
      'generations',
      {},
      ['quality', 'background', 'output_format', 'user'],
    ],
  ])('%s', (_, given, model, way, fields, dropped) => {
    expect(toRecraft(imageCreate(given), model)).toEqual({
      path: `/images/${way}`,
      fields: { prompt: 'A paper boat', model, ...fields },
      dropped,
    });
  });

  it('refuses more pictures than it makes, and masks for models that paint none', () => {
    expect(() => toRecraft(imageCreate({ count: 7 }), 'recraftv3')).toThrow(/1 to 6/);
    expect(() => toRecraft(imageCreate({ images: [picture], mask: picture }), 'recraftv4_1')).toThrow(/takes no mask/);
  });
});

it.each([
  [400, 'invalid_request_parameter', 'invalid_request'],
  [400, 'not_enough_credits', 'upstream_rejected_key'],
  [401, 'unauthorized', 'upstream_rejected_key'],
  [404, 'not_found', 'upstream_rejected_model'],
  [408, 'timeout', 'upstream_timeout'],
  [500, 'internal', 'upstream_unavailable'],
])('%i %s is %s', (status, vendorCode, code) => {
  const json = { code: vendorCode, message: 'No.' };
  const reply = { status, headers: {}, body: new Uint8Array(0), json };
  expect(recraft.readFault(reply)).toEqual({
    code,
    message: 'No.',
    vendorCode,
    taken: status === 408 || status >= 500 ? 'unknown' : 'no',
  });
});
