import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import { CLIP, DATA, LINK, read, refusal, SOUND, text } from './testing/bodies.ts';

const image = (url: string, role?: string): Json => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});
const video = (url = CLIP): Json => ({ type: 'video_url', video_url: { url } });
const audio = (url = SOUND): Json => ({ type: 'audio_url', audio_url: { url } });

describe('content (family A)', () => {
  it('reads every field, and keeps the body but for the callback', () => {
    const body = {
      content: [text],
      duration: 5,
      ratio: '16:9',
      resolution: '720p',
      watermark: false,
      generate_audio: true,
      seed: 0,
      camera_fixed: true,
      vendor_novelty: { a: 1 },
      callback_url: 'https://hook.example/x',
    };
    const { draft, callbackUrl, family } = read('content', body);
    expect(draft).toMatchObject({
      shape: 'content',
      prompt: 'A paper boat',
      duration: 5,
      ratio: '16:9',
      resolution: '720p',
      watermark: false,
      audio: true,
      seed: 0,
      extra: { camera_fixed: true, vendor_novelty: { a: 1 } },
    });
    expect(draft.body).not.toHaveProperty('callback_url');
    expect(draft.body).toMatchObject({ camera_fixed: true, vendor_novelty: { a: 1 } });
    expect({ callbackUrl, family }).toEqual({ callbackUrl: 'https://hook.example/x', family: 'content' });
  });

  it('what is absent stays absent, and null counts as absent', () => {
    const { draft } = read('content', { content: [text], duration: null, seed: null });
    expect(draft).not.toHaveProperty('duration');
    expect(draft).not.toHaveProperty('seed');
    expect(draft).not.toHaveProperty('watermark');
  });

  it.each<{ name: string; content: Json[]; roles: string[] }>([
    { name: 'a single image is the first frame', content: [text, image(LINK)], roles: ['first_frame'] },
    {
      name: 'two images are first and last',
      content: [image(LINK), image(DATA)],
      roles: ['first_frame', 'last_frame'],
    },
    {
      name: 'the one without a role takes the place that is left',
      content: [image(LINK), image(LINK, 'first_frame')],
      roles: ['last_frame', 'first_frame'],
    },
    {
      name: 'three images are references',
      content: [image(LINK), image(LINK), image(LINK)],
      roles: ['reference', 'reference', 'reference'],
    },
    { name: 'an image beside a video is a reference', content: [text, image(LINK), video()], roles: ['reference'] },
    {
      name: 'nine references and clips',
      content: [...Array.from({ length: 9 }, () => image(LINK, 'reference_image')), video(), audio()],
      roles: Array.from({ length: 9 }, () => 'reference'),
    },
    { name: 'an asset', content: [image('asset://asset-1', 'reference_image')], roles: ['reference'] },
  ])('$name', ({ content, roles }) => {
    const { draft } = read('content', { content });
    expect(draft.images.map(({ role }) => role)).toEqual(roles);
    const words = roles.map((role) => (role === 'reference' ? 'reference_image' : role));
    const sent = draft.body['content'] as JsonObject[];
    expect(sent.filter(({ type }) => type === 'image_url').map(({ role }) => role)).toEqual(words);
    for (const { type, role } of sent) {
      if (type === 'video_url') expect(role).toBe('reference_video');
      if (type === 'audio_url') expect(role).toBe('reference_audio');
      if (type === 'text') expect(role).toBeUndefined();
    }
  });

  it.each<{ name: string; body: JsonObject; param: string; says: string }>([
    { name: 'no content', body: {}, param: 'content', says: 'is required' },
    { name: 'content of another type', body: { content: 'a boat' }, param: 'content', says: 'must be a list' },
    { name: 'an empty list', body: { content: [] }, param: 'content', says: 'is required' },
    { name: 'an item of another type', body: { content: ['x'] }, param: 'content[0]', says: 'must be an object' },
    {
      name: 'an unknown type',
      body: { content: [{ type: 'gif' }] },
      param: 'content[0].type',
      says: "it is the text 'gif'",
    },
    {
      name: 'a text without text',
      body: { content: [{ type: 'text' }] },
      param: 'content[0].text',
      says: 'is required',
    },
    {
      name: 'an image without url',
      body: { content: [{ type: 'image_url', image_url: {} }] },
      param: 'content[0].image_url.url',
      says: 'it is missing',
    },
    {
      name: 'an image url as text',
      body: { content: [{ type: 'image_url', image_url: LINK }] },
      param: 'content[0].image_url',
      says: 'must be an object',
    },
    {
      name: 'a file url',
      body: { content: [image('file:///etc/passwd')] },
      param: 'content[0].image_url.url',
      says: 'https://',
    },
    {
      name: 'a data url without base64',
      body: { content: [image('data:image/svg+xml,<svg/>')] },
      param: 'content[0].image_url.url',
      says: 'must be base64',
    },
    {
      name: 'an unknown role',
      body: { content: [image(LINK, 'middle')] },
      param: 'content[0].role',
      says: "it is the text 'middle'",
    },
    {
      name: "an image's role on a video",
      body: { content: [{ type: 'video_url', video_url: { url: CLIP }, role: 'first_frame' }] },
      param: 'content[0].role',
      says: 'must be reference_video',
    },
    {
      name: 'two first frames',
      body: { content: [image(LINK, 'first_frame'), image(LINK, 'first_frame')] },
      param: 'content[1].role',
      says: 'first-frame mode takes 1 image',
    },
    {
      name: 'a last frame alone',
      body: { content: [text, image(LINK, 'last_frame')] },
      param: 'content[1].role',
      says: 'needs a first_frame',
    },
    {
      name: 'frames beside references',
      body: { content: [image(LINK, 'first_frame'), image(LINK, 'reference_image')] },
      param: 'content[0].role',
      says: 'exclude each other',
    },
    {
      name: 'ten references',
      body: { content: Array.from({ length: 10 }, () => image(LINK, 'reference_image')) },
      param: 'content[9]',
      says: 'at most 9 reference images are taken; there are 10',
    },
    {
      name: 'four clips',
      body: { content: [text, video(), video(), video(), video()] },
      param: 'content[4].video_url.url',
      says: 'at most 3 video clips',
    },
    {
      name: 'four sounds',
      body: { content: [image(LINK), audio(), audio(), audio(), audio()] },
      param: 'content[4].audio_url.url',
      says: 'at most 3 audio clips',
    },
    {
      name: 'a sound alone',
      body: { content: [text, audio()] },
      param: 'content[1].audio_url.url',
      says: 'cannot stand alone',
    },
    {
      name: 'duration as text',
      body: { content: [text], duration: '5' },
      param: 'duration',
      says: "an integer; it is the text '5'",
    },
    {
      name: 'half a second',
      body: { content: [text], duration: 4.5 },
      param: 'duration',
      says: 'an integer; it is 4.5',
    },
    {
      name: 'watermark as text',
      body: { content: [text], watermark: 'no' },
      param: 'watermark',
      says: 'true or false',
    },
    { name: 'a seed beyond', body: { content: [text], seed: -2 }, param: 'seed', says: '-1 to 4294967295; it is -2' },
    {
      name: 'a callback to a file',
      body: { content: [text], callback_url: 'file:///x' },
      param: 'callback_url',
      says: 'https',
    },
    {
      name: 'a callback with a password',
      body: { content: [text], callback_url: 'https://a:b@hook.example' },
      param: 'callback_url',
      says: 'password',
    },
  ])('refuses $name', ({ body, param, says }) => {
    const error = refusal('content', body);
    expect(error.param).toBe(param);
    expect(error.message).toContain(says);
  });

  it('the row decides durations, resolutions and ratios', () => {
    const limits = { durations: { min: 4, max: 15 }, resolutions: ['480p', '720p'], ratios: ['16:9', 'adaptive'] };
    expect(
      read('content', { content: [text], duration: -1, resolution: '720P', ratio: 'Adaptive' }, limits),
    ).toBeDefined();
    expect(refusal('content', { content: [text], duration: 3 }, limits)).toEqual({
      param: 'duration',
      message: 'duration must be 4 to 15 seconds for this model; it is 3',
    });
    expect(refusal('content', { content: [text], resolution: '1080p' }, limits).message).toContain('480p, 720p');
    expect(refusal('content', { content: [text], ratio: '2:1' }, limits).param).toBe('ratio');
  });
});

it('a field named like the prototype is a field like any other', () => {
  const body = JSON.parse('{"content":[{"type":"text","text":"x"}],"__proto__":{"polluted":true}}') as JsonObject;
  const { draft } = read('content', body);
  expect(Object.keys(draft.extra)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
