/** What vendors of many makers are sent, and what of a caller's input never reaches them. */
import { GatewayError } from '@model-gateway/contracts';
import type { ImageCreate, VideoCreate } from '@model-gateway/provider-kit';
import { imageCreate, videoCreate } from '@model-gateway/testing';
import { describe, expect, it } from 'vitest';
import { FAL } from './fal.ts';
import { replicate } from './index.ts';
import type { JobInput, JobVendor } from './job-vendor.ts';
import { REPLICATE } from './replicate.ts';

const KLING = { image_model: 'kling/image', last_frame_field: 'tail_image_url', duration_format: 'text' };

function film(vendor: JobVendor, input: Partial<VideoCreate>, quirks: Record<string, string> = {}): JobInput {
  const asked = vendor.videos?.(videoCreate({ prompt: 'a fox', shape: 'prompt', ...input }), { model: 'm', quirks });
  if (asked === undefined) throw new Error('no films');
  return asked;
}
function picture(vendor: JobVendor, input: Partial<ImageCreate>, quirks: Record<string, string> = {}): JobInput {
  const urls = (input.images ?? []).flatMap((image) => ('url' in image ? [image.url] : []));
  const asked = vendor.images?.(imageCreate({ prompt: 'a fox', ...input }), urls, { model: 'm', quirks });
  if (asked === undefined) throw new Error('no pictures');
  return asked;
}
const frame = (role: 'first_frame' | 'last_frame' | 'reference', url: string) => ({ role, url, param: role });

describe('films', () => {
  it('have the words of their model, and another model where a frame is given', () => {
    const images = [frame('first_frame', 'https://a.b/1.png'), frame('last_frame', 'https://a.b/2.png')];
    expect(film(FAL, { images, duration: 5, size: '720x1280' }, KLING)).toEqual({
      model: 'kling/image',
      body: {
        ...{ prompt: 'a fox', duration: '5', aspect_ratio: '9:16' },
        ...{ image_url: 'https://a.b/1.png', tail_image_url: 'https://a.b/2.png' },
      },
      dropped: [],
    });
    expect(film(FAL, { duration: 8 }, { duration_format: 'seconds' }).body['duration']).toBe('8s');
    expect(film(REPLICATE, { images }).body).toMatchObject({
      image: 'https://a.b/1.png',
      last_frame_image: 'https://a.b/2.png',
    });
  });

  it('take what the caller adds, but nothing that makes more of them than were priced', () => {
    const extra = { cfg_scale: 0.4, num_videos: 4, sync_mode: true, webhook_url: 'https://evil.example' };
    const { body, dropped } = film(FAL, { extra });
    expect(body).toEqual({ prompt: 'a fox', cfg_scale: 0.4 });
    expect(dropped.toSorted()).toEqual(['num_videos', 'sync_mode', 'webhook_url']);
  });

  it.each<[string, Partial<VideoCreate>]>([
    ['a reference without a word for it', { images: [frame('reference', 'https://a.b/1.png')] }],
    ['a file of another vendor', { images: [frame('first_frame', 'asset://x')] }],
    ['a film', { videos: [{ role: 'base', url: 'https://a.b/1.mp4', param: 'video' }] }],
  ])('refuse %s', (_, input) => {
    expect(() => film(FAL, input)).toThrow(GatewayError);
  });

  it('list references where the model has a list', () => {
    const images = [frame('reference', 'https://a.b/1.png'), frame('reference', 'https://a.b/2.png')];
    const quirks = { reference_field: 'image_urls[]' };
    expect(film(FAL, { images }, quirks).body['image_urls']).toEqual(['https://a.b/1.png', 'https://a.b/2.png']);
    expect(() => film(FAL, { images }, { reference_field: 'image_url' })).toThrow('second picture');
  });
});

describe('pictures', () => {
  it.each([
    ['1024x768', {}, { image_size: { width: 1024, height: 768 } }],
    ['1K', {}, { image_size: { width: 1024, height: 1024 } }],
    ['square_hd', {}, { image_size: 'square_hd' }],
    ['auto', {}, {}],
    ['1920x1080', { size_format: 'ratio' }, { aspect_ratio: '16:9' }],
    ['2K', { size_format: 'ratio' }, { aspect_ratio: '1:1' }],
    ['3:2', { size_format: 'ratio' }, { aspect_ratio: '3:2' }],
  ])('of size %s with %j', (size, quirks, expected) => {
    expect(picture(FAL, { size }, quirks)).toEqual({ body: { prompt: 'a fox', ...expected }, dropped: [] });
  });

  it('are as many as were priced, whatever the body says beside it', () => {
    const extra = { num_images: 4, image_size: { width: 4096, height: 4096 }, guidance_scale: 2 };
    expect(picture(FAL, { extra, count: 2 })).toEqual({
      body: { prompt: 'a fox', guidance_scale: 2, num_images: 2 },
      dropped: ['num_images', 'image_size'],
    });
    expect(picture(REPLICATE, { extra: { num_outputs: 4, megapixels: '4' } }).body).toEqual({ prompt: 'a fox' });
    expect(picture(FAL, { extra: { batch: 4 } }, { count_field: 'batch' })).toEqual({
      body: { prompt: 'a fox' },
      dropped: ['batch'],
    });
    expect(picture(FAL, { extra: { batch: 4 }, count: 2 }, { count_field: 'batch' }).body['batch']).toBe(2);
    expect(FAL.countField?.({ quirks: { count_field: 'none' } })).toBeUndefined();
    expect(REPLICATE.countField?.({ quirks: { count_field: 'num_outputs' } })).toBe('num_outputs');
  });

  it('come from pictures in the field that the model has', () => {
    const images = [{ url: 'https://a.b/1.png', param: 'image' }];
    expect(picture(REPLICATE, { images }, { image_field: 'input_image' }).body['input_image']).toBe(
      'https://a.b/1.png',
    );
    expect(picture(FAL, { images }, { image_field: 'image_urls[]' }).body['image_urls']).toEqual(['https://a.b/1.png']);
  });
});

describe('addresses', () => {
  it.each([
    ['owner/name', '/models/owner/name/predictions', { input: {} }],
    ['deployments/owner/name', '/deployments/owner/name/predictions', { input: {} }],
    [`owner/name:${'a'.repeat(64)}`, '/predictions', { version: `owner/name:${'a'.repeat(64)}`, input: {} }],
  ])('Replicate makes %s at %s', (model, path, json) => {
    expect(REPLICATE.submit({ kind: 'image', model, body: {} })).toEqual({ path, json });
    expect(replicate.declares.refuseModel?.({ model, quirks: {}, settings: {} })).toBeUndefined();
  });

  it('fal is asked where the account is, whatever host its answers name', () => {
    const ticket = {
      id: 'r1',
      model: 'fal-ai/flux/dev',
      statusUrl: 'https://elsewhere.example/fal-ai/flux/requests/r1/status',
    };
    expect(FAL.status(ticket, 'https://queue.fal.run')).toEqual({ path: '/fal-ai/flux/requests/r1/status' });
    expect(FAL.status({ id: 'r1', model: 'fal-ai/flux/dev' }, 'https://queue.fal.run')).toEqual({
      path: '/fal-ai/flux/requests/r1/status',
    });
    expect(
      FAL.status(
        { ...ticket, statusUrl: 'https://proxy.example/fal/a/b/requests/r1/status' },
        'https://proxy.example/fal',
      ),
    ).toEqual({
      path: '/a/b/requests/r1/status',
    });
  });
});
