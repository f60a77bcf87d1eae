import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { CLIP, LINK, read, refusal } from './testing/bodies.ts';

describe('omni (family D)', () => {
  it('reads frames, references and subjects, in capitals or not', () => {
    const { draft } = read('omni', {
      prompt: '<<<element_1>>> waves',
      duration: 5,
      size: '1080P',
      aspect_ratio: '16:9',
      file_infos: [
        { Type: 'Url', Category: 'Image', Url: LINK },
        { category: 'image', url: LINK, usage: 'Reference' },
        { Category: 'Video', Url: CLIP, ReferenceType: 'base', KeepOriginalSound: 'Enabled' },
      ],
      last_frame_url: LINK,
      subject_infos: [{ Id: '860000000000000123' }, { id: '860000000000000124' }],
      ext_info: '{}',
    });
    expect(draft).toMatchObject({
      duration: 5,
      resolution: '1080P',
      ratio: '16:9',
      images: [
        { role: 'first_frame', param: 'file_infos[0].Url' },
        { role: 'reference', param: 'file_infos[1].url' },
        { role: 'last_frame', param: 'last_frame_url' },
      ],
      videos: [{ role: 'base', param: 'file_infos[2].Url' }],
      subjects: ['860000000000000123', '860000000000000124'],
      extra: { ext_info: '{}' },
    });
  });

  it('size and resolution are one word: both are taken where they say the same', () => {
    expect(read('omni', { prompt: 'x', size: '1080P', resolution: '1080p' }).draft.resolution).toBe('1080P');
    expect(refusal('omni', { prompt: 'x', size: '720P', resolution: '4K' }).param).toBe('resolution');
  });

  it('embedded files become data URLs, 7 MB in all', () => {
    const small = Buffer.alloc(100, 1).toString('base64');
    expect(read('omni', { prompt: 'x', file_infos: [{ Base64: small }] }).draft.images[0]?.url).toBe(
      `data:image/png;base64,${small}`,
    );
    const half = Buffer.alloc(4 * 1024 * 1024, 1).toString('base64');
    const error = refusal('omni', {
      prompt: 'x',
      file_infos: [{ Base64: half }, { Base64: half, Usage: 'Reference' }],
    });
    expect(error.param).toBe('file_infos[1].Base64');
    expect(error.message).toContain('8388608 bytes; all together may have 7340032');
  });

  it.each<{ name: string; body: JsonObject; limits?: JsonObject; param: string }>([
    { name: 'no prompt', body: {}, param: 'prompt' },
    {
      name: 'an unknown category',
      body: { prompt: 'x', file_infos: [{ Category: 'Text', Url: LINK }] },
      param: 'file_infos[0].Category',
    },
    {
      name: 'a file without address',
      body: { prompt: 'x', file_infos: [{ Category: 'Image' }] },
      param: 'file_infos[0].Url',
    },
    { name: 'a last frame alone', body: { prompt: 'x', last_frame_url: LINK }, param: 'last_frame_url' },
    {
      name: 'a subject as a number',
      body: { prompt: 'x', subject_infos: [{ Id: 860 }] },
      param: 'subject_infos[0].Id',
    },
    {
      name: 'sound beside a video',
      body: { prompt: 'x', audio_generation: true, file_infos: [{ Category: 'Video', Url: CLIP }] },
      param: 'audio_generation',
    },
    {
      name: 'subjects for the plain sibling',
      body: { prompt: 'x', subject_infos: [{ Id: '1' }] },
      limits: { omni: false },
      param: 'subject_infos',
    },
    {
      name: 'references for the plain sibling',
      body: { prompt: 'x', file_infos: [{ Url: LINK, Usage: 'Reference' }] },
      limits: { omni: false },
      param: 'file_infos[0].Url',
    },
  ])('refuses $name', ({ body, limits, param }) => {
    expect(refusal('omni', body, limits).param).toBe(param);
  });
});
