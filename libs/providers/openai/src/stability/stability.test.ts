/** Stability AI against the twin (docs/wire/stability.md). */
import { describe, expect, it } from 'vitest';
import type { ImageCreate } from '@model-gateway/provider-kit';
import { describeImageAdapter, imageCreate, PICTURE } from '@model-gateway/testing';
import { stability } from './stability.ts';
import { toStability } from './images.ts';

const picture = { url: `data:image/png;base64,${PICTURE}`, param: 'image' };
const moderation = {
  status: 403,
  body: { id: 'x', name: 'content_moderation', errors: ['Your request was flagged.'] },
};
const makes = { width: 1024, height: 1024 };

describeImageAdapter(stability, 'stability', {
  model: 'ultra',
  input: { size: '1024x1024', seed: 7, outputFormat: 'webp', negativePrompt: 'fog' },
  makes,
  moderation,
});
describeImageAdapter(stability, 'stability', {
  model: 'core',
  input: { shape: 'predict', size: '1024x1024', outputFormat: 'jpeg' },
  makes: { width: 1536, height: 1536 },
  moderation: { status: 200, body: { image: PICTURE, finish_reason: 'CONTENT_FILTERED', seed: 1 } },
});
describeImageAdapter(stability, 'stability', {
  model: 'sd3.5-large',
  input: { shape: 'edit', images: [picture] },
  makes: { width: 256, height: 256 },
  moderation,
});
describeImageAdapter(stability, 'stability', {
  model: 'inpaint',
  operation: 'edit',
  input: { shape: 'edit', images: [picture], mask: { ...picture, param: 'mask' } },
  makes: { width: 256, height: 256 },
  moderation,
});

describe('what Stability’s form says', () => {
  const said = (given: Partial<ImageCreate>, model = 'sd3.5-large') => toStability(imageCreate(given), model);

  it.each<[string, Partial<ImageCreate>, string, object, readonly string[]]>([
    [
      'a ratio by its pixels, of which it names that they differ',
      { size: '1920x1080' },
      'ultra',
      { aspect_ratio: '16:9' },
      ['size'],
    ],
    ['no ratio where none was asked for', { size: 'auto' }, 'ultra', {}, []],
    ['a class as a square', { size: '1k' }, 'ultra', { aspect_ratio: '1:1' }, []],
    ['a class that it does not make', { size: '2k' }, 'ultra', { aspect_ratio: '1:1' }, ['size']],
    [
      'the caller’s own members',
      { extra: { style_preset: 'anime', negative_prompt: 'fog', cfg_scale: 4, aspect_ratio: '21:9', odd: 1 } },
      'sd3.5-medium',
      { model: 'sd3.5-medium', style_preset: 'anime', negative_prompt: 'fog', cfg_scale: 4, aspect_ratio: '21:9' },
      ['odd'],
    ],
    [
      'from a picture no ratio, but how far from it',
      { images: [picture], size: '1024x1024', extra: { strength: 0.2 } },
      'sd3.5-large',
      { model: 'sd3.5-large', mode: 'image-to-image', strength: 0.2 },
      ['size'],
    ],
    [
      'what it has no word for',
      {
        quality: 'high',
        background: 'transparent',
        watermark: true,
        user: 'u',
        outputCompression: 50,
        promptExtend: true,
      },
      'core',
      {},
      ['watermark', 'prompt_extend', 'quality', 'background', 'output_compression', 'user'],
    ],
    [
      'a format that SD3 does not make',
      { outputFormat: 'webp' },
      'sd3.5-large',
      { model: 'sd3.5-large' },
      ['output_format'],
    ],
  ])('%s', (_, given, model, fields, dropped) => {
    expect(said(given, model)).toEqual({
      fields: { prompt: 'A paper boat', output_format: 'png', ...fields },
      dropped,
    });
  });

  it.each<[string, Partial<ImageCreate>, string, string]>([
    ['a picture for Core', { images: [picture] }, 'core', 'image'],
    ['it by its longer name', { images: [picture] }, 'stable-image-core', 'image'],
    ['a mask for models that draw', { images: [picture], mask: { ...picture, param: 'mask' } }, 'ultra', 'mask'],
    ['inpainting of nothing', {}, 'inpaint', 'image'],
  ])('refuses %s', (_, given, model, param) => {
    expect(() => said(given, model)).toThrow(expect.objectContaining({ details: { param } }));
  });
});

describe('what Stability refuses', () => {
  it.each([
    [400, 'bad_request', 'invalid_request'],
    [402, 'payment_required', 'upstream_rejected_key'],
    [403, 'permission_denied', 'upstream_rejected_key'],
    [404, 'not_found', 'upstream_rejected_model'],
    [413, 'payload_too_large', 'invalid_request'],
    [422, 'invalid_language', 'invalid_request'],
    [408, 'timeout', 'upstream_timeout'],
    [500, 'internal_error', 'upstream_unavailable'],
  ])('%i %s is %s', (status, name, code) => {
    const json = { id: 'x', name, errors: ['a', 'b'] };
    expect(stability.readFault({ status, headers: {}, body: new Uint8Array(0), json })).toEqual({
      code,
      message: 'a; b',
      vendorCode: name,
      taken: status === 408 || status >= 500 ? 'unknown' : 'no',
    });
  });
});
