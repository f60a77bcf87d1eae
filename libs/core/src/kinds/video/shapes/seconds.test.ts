import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { VideoShape } from '@model-gateway/provider-kit';
import { DATA, LINK, read, refusal, text } from './testing/bodies.ts';

describe('seconds (family F), and /v1/videos for every model', () => {
  it.each<{ name: string; seconds: Json; duration: number }>([
    { name: 'text', seconds: '8', duration: 8 },
    { name: 'a number', seconds: 8, duration: 8 },
  ])('seconds as $name', ({ seconds, duration }) => {
    const { draft } = read('seconds', { prompt: 'A kite', seconds, size: '1280x720' }, {}, 'videos');
    expect(draft).toMatchObject({ shape: 'seconds', duration, size: '1280x720', body: { seconds: '8' } });
  });

  it.each<{ name: string; reference: Json; url: string; param: string }>([
    { name: 'an address', reference: LINK, url: LINK, param: 'input_reference' },
    { name: "OpenAI's object", reference: { image_url: DATA }, url: DATA, param: 'input_reference.image_url' },
  ])('the first frame as $name', ({ reference, url, param }) => {
    const { draft } = read('seconds', { prompt: 'x', input_reference: reference });
    expect(draft.images).toEqual([{ role: 'first_frame', url, param }]);
  });

  it("a vendor's file id travels in the body alone", () => {
    const { draft } = read('seconds', { prompt: 'x', input_reference: { file_id: 'file-1' } });
    expect(draft.images).toEqual([]);
    expect(draft.body).toMatchObject({ input_reference: { file_id: 'file-1' } });
  });

  it.each<VideoShape>(['content', 'input', 'image-urls', 'omni', 'prompt', 'seconds'])(
    'through /v1/videos a model of shape %s takes it',
    (shape) => {
      const body = { prompt: 'A kite', seconds: '8', size: '1280x720', input_reference: LINK };
      const { draft, family } = read(shape, body, {}, 'videos');
      expect(draft).toMatchObject({ shape: 'seconds', prompt: 'A kite', duration: 8, size: '1280x720' });
      expect(draft.images).toHaveLength(1);
      expect(family).toBe(shape);
    },
  );

  it('through /v1/videos a model also takes the list or object that only its own shape has', () => {
    expect(read('content', { content: [text] }, {}, 'videos').draft.shape).toBe('content');
    expect(read('input', { input: { prompt: 'x' } }, {}, 'videos').draft.shape).toBe('input');
  });

  it("through /v1/video/generations another family's shape is refused, naming what is missing", () => {
    expect(refusal('content', { prompt: 'x' }).param).toBe('content');
    expect(refusal('input', { prompt: 'x' }).param).toBe('input');
    expect(refusal('omni', { content: [text] }).param).toBe('prompt');
  });

  const classes = { resolutions: ['720P', '1080P'] };
  it.each<{ name: string; body: JsonObject; look: JsonObject }>([
    { name: 'a size near a class', body: { size: '1920x1088' }, look: { size: '1920x1088', resolution: '1080P' } },
    { name: 'a class', body: { resolution: '1080p' }, look: { resolution: '1080p' } },
    {
      name: 'a class and a size of it',
      body: { resolution: '720p', size: '720x1280' },
      look: { resolution: '720p', size: '720x1280' },
    },
    { name: 'sound', body: { generate_audio: true }, look: { audio: true } },
    { name: 'sound in a form', body: { generate_audio: 'true' }, look: { audio: true } },
    { name: 'silence in a form', body: { generate_audio: 'false' }, look: { audio: false } },
    { name: 'what is not of its type', body: { resolution: true }, look: { extra: { resolution: true } } },
  ])('reads $name', ({ body, look }) => {
    expect(read('prompt', { prompt: 'x', ...body }, classes, 'videos').draft).toMatchObject(look);
  });

  it('a size of the row is taken whatever class it comes to', () => {
    const limits = { ...classes, sizes: ['1104x832'] };
    expect(read('prompt', { prompt: 'x', size: '1104x832' }, limits, 'videos').draft.resolution).toBeUndefined();
    const body = { prompt: 'x', size: '1120x848' };
    const byClass = refusal('prompt', body, limits, 'videos', { resolution_factors: { '1080P': 2 } });
    expect(byClass.message).toContain('1104x832');
    // Where all classes cost the same, it says the ratio.
    expect(read('prompt', body, classes, 'videos').draft.size).toBe('1120x848');
  });

  it.each<[body: JsonObject, param: string]>([
    [{ size: '3840x2160' }, 'size'],
    [{ size: '854x480' }, 'size'],
    [{ size: '1280x720', resolution: '1080p' }, 'size'],
    [{ resolution: '4k' }, 'resolution'],
    [{ quality: '4k' }, 'quality'],
    [{ parameters: { resolution: '2160p' } }, 'resolution'],
  ])('refuses %j where the row lists other classes, and names those', (body, param) => {
    const refused = refusal('prompt', { prompt: 'x', ...body }, classes, 'videos', {
      resolution_factors: { '1080P': 2 },
    });
    expect(refused.param).toBe(param);
    expect(refused.message).toMatch(/720P/);
  });

  it.each<{ name: string; body: JsonObject; limits?: JsonObject; param: string }>([
    { name: 'no prompt', body: { seconds: '4' }, param: 'prompt' },
    { name: 'seconds in words', body: { prompt: 'x', seconds: 'four' }, param: 'seconds' },
    { name: 'no seconds at all', body: { prompt: 'x', seconds: 0 }, param: 'seconds' },
    { name: 'a size class', body: { prompt: 'x', size: '720p' }, param: 'size' },
    { name: 'an unknown size', body: { prompt: 'x', size: '100x100' }, limits: { sizes: ['1280x720'] }, param: 'size' },
    {
      name: 'seconds outside the row',
      body: { prompt: 'x', seconds: '5' },
      limits: { durations: { values: [4, 8] } },
      param: 'seconds',
    },
    { name: 'a list as reference', body: { prompt: 'x', input_reference: [LINK] }, param: 'input_reference' },
    { name: 'an empty reference', body: { prompt: 'x', input_reference: {} }, param: 'input_reference.file_id' },
  ])('refuses $name', ({ body, limits, param }) => {
    expect(refusal('seconds', body, limits, 'videos').param).toBe(param);
  });
});
