import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { CLIP, LINK, read, refusal, SOUND } from './testing/bodies.ts';

describe('input (family B)', () => {
  const i2v = { mode: 'i2v' };
  const r2v = { mode: 'r2v' };
  const edit = { mode: 'video-edit' };

  it('reads input and parameters, and leaves what is new to the vendor', () => {
    const { draft } = read('input', {
      input: { prompt: 'Snow', negative_prompt: 'rain', novelty: 1 },
      parameters: { resolution: '720P', ratio: '16:9', duration: 5, watermark: false, seed: 0, prompt_extend: true },
      top: true,
    });
    expect(draft).toMatchObject({
      prompt: 'Snow',
      negativePrompt: 'rain',
      resolution: '720P',
      ratio: '16:9',
      duration: 5,
      watermark: false,
      seed: 0,
      extra: { top: true, input: { novelty: 1 }, parameters: { prompt_extend: true } },
    });
  });

  it.each<{ name: string; limits: JsonObject; input: JsonObject; expected: JsonObject }>([
    {
      name: 'image to video',
      limits: i2v,
      input: { media: [{ type: 'first_frame', url: LINK }] },
      expected: { images: [{ role: 'first_frame', url: LINK, param: 'input.media[0].url' }] },
    },
    {
      name: 'reference to video',
      limits: r2v,
      input: { prompt: 'x', media: [{ type: 'reference_image', url: 'oss://upload/1' }] },
      expected: { images: [{ role: 'reference', url: 'oss://upload/1', param: 'input.media[0].url' }] },
    },
    {
      name: 'editing',
      limits: edit,
      input: {
        prompt: 'x',
        media: [
          { type: 'video', url: CLIP },
          { type: 'reference_image', url: LINK },
        ],
      },
      expected: { videos: [{ role: 'base', url: CLIP, param: 'input.media[0].url' }] },
    },
    {
      name: 'what Wan knows',
      limits: {},
      input: {
        media: [
          { type: 'first_clip', url: CLIP },
          { type: 'driving_audio', url: SOUND },
        ],
      },
      expected: { audios: [{ role: 'driving', url: SOUND, param: 'input.media[1].url' }] },
    },
  ])('reads $name', ({ limits, input, expected }) => {
    expect(read('input', { input }, limits).draft).toMatchObject(expected);
  });

  it.each<{ name: string; limits: JsonObject; body: JsonObject; param: string; says: string }>([
    { name: 'no input', limits: {}, body: { prompt: 'x' }, param: 'input', says: 'is required' },
    { name: 'no prompt', limits: { mode: 't2v' }, body: { input: {} }, param: 'input.prompt', says: 'is required' },
    {
      name: 'media for text to video',
      limits: { mode: 't2v' },
      body: { input: { prompt: 'x', media: [{ type: 'first_frame', url: LINK }] } },
      param: 'input.media[0].type',
      says: 'takes no media',
    },
    {
      name: 'image to video without image',
      limits: i2v,
      body: { input: { prompt: 'x' } },
      param: 'input.media',
      says: 'first_frame',
    },
    {
      name: 'two first frames',
      limits: i2v,
      body: {
        input: {
          media: [
            { type: 'first_frame', url: LINK },
            { type: 'first_frame', url: LINK },
          ],
        },
      },
      param: 'input.media[1]',
      says: 'at most 1',
    },
    {
      name: 'a type of another mode',
      limits: r2v,
      body: { input: { prompt: 'x', media: [{ type: 'video', url: CLIP }] } },
      param: 'input.media[0].type',
      says: 'must be one of reference_image',
    },
    {
      name: 'six pictures for editing',
      limits: edit,
      body: {
        input: {
          prompt: 'x',
          media: [
            { type: 'video', url: CLIP },
            ...Array.from({ length: 6 }, () => ({ type: 'reference_image', url: LINK })),
          ],
        },
      },
      param: 'input.media[6]',
      says: 'at most 5',
    },
    {
      name: 'a duration as text',
      limits: {},
      body: { input: { prompt: 'x' }, parameters: { duration: '5' } },
      param: 'parameters.duration',
      says: 'an integer',
    },
    {
      name: 'a duration outside the row',
      limits: { durations: { min: 3, max: 15 } },
      body: { input: { prompt: 'x' }, parameters: { duration: 16 } },
      param: 'parameters.duration',
      says: '3 to 15 seconds',
    },
  ])('refuses $name', ({ limits, body, param, says }) => {
    const error = refusal('input', body, limits);
    expect(error.param).toBe(param);
    expect(error.message).toContain(says);
  });
});
