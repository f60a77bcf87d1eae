import { describe, expect, it } from '@jest/globals';
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VideoShape } from '@model-gateway/provider-kit';
import { videoRow } from '../../../tasks/testing/harness.ts';
import { readVideoBody, type VideoBody, type VideoEndpoint } from '../video-body.ts';

const LINK = 'https://media.example/a.png';
const CLIP = 'https://media.example/v.mp4';
const SOUND = 'https://media.example/s.mp3';
const DATA = 'data:image/png;base64,iVBORw0KGgo=';

const read = (
  shape: VideoShape,
  body: JsonObject,
  limits: JsonObject = {},
  endpoint: VideoEndpoint = 'generations',
): VideoBody => readVideoBody({ model: 'm', ...body }, videoRow({ code: 'm', videoShape: shape, limits }), endpoint);

const refusal = (...args: Parameters<typeof read>): { param: string | undefined; message: string } => {
  try {
    read(...args);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.code).toBe('invalid_request');
    return { param: error.details.param, message: error.message };
  }
  throw new Error('it was accepted');
};

const image = (url: string, role?: string): Json => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});
const video = (url = CLIP): Json => ({ type: 'video_url', video_url: { url } });
const audio = (url = SOUND): Json => ({ type: 'audio_url', audio_url: { url } });
const text: Json = { type: 'text', text: 'A paper boat' };

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

describe('image-urls (family C)', () => {
  it.each([
    { count: 0, roles: [] },
    { count: 1, roles: ['first_frame'] },
    { count: 2, roles: ['first_frame', 'last_frame'] },
    { count: 3, roles: ['reference', 'reference', 'reference'] },
  ])('$count images', ({ count, roles }) => {
    const imageUrls = Array.from({ length: count }, () => LINK);
    const { draft } = read('image-urls', { prompt: 'Waves', imageUrls, aspect_ratio: '16:9', resolution: '1080p' });
    expect(draft.images.map(({ role }) => role)).toEqual(roles);
    expect(draft).toMatchObject({ prompt: 'Waves', ratio: '16:9', resolution: '1080p', extra: {} });
  });

  it('takes either spelling, and the generation type', () => {
    const { draft } = read('image-urls', {
      prompt: 'x',
      image_urls: [LINK],
      aspectRatio: '9:16',
      generationType: 'REFERENCE_2_VIDEO',
    });
    expect(draft).toMatchObject({ ratio: '9:16', images: [{ role: 'reference', param: 'image_urls[0]' }] });
  });

  it.each<{ name: string; body: JsonObject; param: string }>([
    { name: 'no prompt', body: { imageUrls: [LINK] }, param: 'prompt' },
    { name: 'a prompt that is no text', body: { prompt: 5 }, param: 'prompt' },
    { name: 'images as text', body: { prompt: 'x', imageUrls: LINK }, param: 'imageUrls' },
    { name: 'four images', body: { prompt: 'x', imageUrls: [LINK, LINK, LINK, LINK] }, param: 'imageUrls[3]' },
    { name: 'an image that is no address', body: { prompt: 'x', imageUrls: [7] }, param: 'imageUrls[0]' },
    {
      name: 'images for text to video',
      body: { prompt: 'x', imageUrls: [LINK], generationType: 'TEXT_2_VIDEO' },
      param: 'generationType',
    },
  ])('refuses $name', ({ body, param }) => {
    expect(refusal('image-urls', body).param).toBe(param);
  });
});

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

  it.each<{ name: string; body: JsonObject; limits?: JsonObject; param: string }>([
    { name: 'an empty prompt', body: { prompt: '  ' }, param: 'prompt' },
    {
      name: 'a frame that is an object',
      body: { prompt: 'x', first_frame_image: { url: LINK } },
      param: 'first_frame_image',
    },
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

it('a field named like the prototype is a field like any other', () => {
  const body = JSON.parse('{"content":[{"type":"text","text":"x"}],"__proto__":{"polluted":true}}') as JsonObject;
  const { draft } = read('content', body);
  expect(Object.keys(draft.extra)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
