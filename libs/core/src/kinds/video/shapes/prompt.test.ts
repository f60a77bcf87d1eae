import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { DATA, LINK, read, refusal } from './testing/bodies.ts';

describe('prompt (family E)', () => {
  it('reads frames, and passes the vendor its own fields', () => {
    const { draft } = read('prompt', {
      prompt: 'A lantern',
      first_frame_image: DATA,
      last_frame_image: LINK,
      duration: 6,
      resolution: '768P',
      prompt_optimizer: false,
      aigc_watermark: false,
      subject_reference: [{ type: 'character', image: [LINK] }],
      novelty: 'x',
    });
    expect(draft).toMatchObject({
      prompt: 'A lantern',
      images: [{ role: 'first_frame' }, { role: 'last_frame' }],
      duration: 6,
      resolution: '768P',
      watermark: false,
      extra: { prompt_optimizer: false, subject_reference: [{ type: 'character', image: [LINK] }], novelty: 'x' },
    });
  });

  it('reads sound, and what a vendor calls the resolution where the row knows it', () => {
    const limits = { resolutions: ['360p', '720p'] };
    expect(read('prompt', { prompt: 'x', generate_audio: true, quality: '360p' }, limits).draft).toMatchObject({
      audio: true,
      resolution: '360p',
      extra: {},
    });
    expect(read('prompt', { prompt: 'x', quality: 'fine' }, limits).draft).toMatchObject({
      extra: { quality: 'fine' },
    });
  });

  it.each<{ name: string; body: JsonObject; limits?: JsonObject; param: string }>([
    { name: 'an empty prompt', body: { prompt: '  ' }, param: 'prompt' },
    {
      name: 'a frame that is an object',
      body: { prompt: 'x', first_frame_image: { url: LINK } },
      param: 'first_frame_image',
    },
    { name: 'sound as text', body: { prompt: 'x', generate_audio: 'yes' }, param: 'generate_audio' },
    { name: 'an optimizer as text', body: { prompt: 'x', prompt_optimizer: 'yes' }, param: 'prompt_optimizer' },
    {
      name: '7 seconds',
      body: { prompt: 'x', duration: 7 },
      limits: { durations: { values: [6, 10] } },
      param: 'duration',
    },
  ])('refuses $name', ({ body, limits, param }) => {
    expect(refusal('prompt', body, limits).param).toBe(param);
  });
});
