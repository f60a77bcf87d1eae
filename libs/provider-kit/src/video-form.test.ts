import { describe, expect, it } from 'vitest';
import type { VideoCreate } from './video-adapter.ts';
import { readDataUrl } from './image-form.ts';
import { idAt, listAt, numberAt, objectAt, textAt, valueAt } from './json-path.ts';
import { fieldOf, frameIn, namesOfGiven, pixelsIn, pixelsOf, proportionOf, sortExtra, tierOf } from './video-form.ts';

const videoCreate = (given: Partial<VideoCreate>): VideoCreate => ({
  shape: 'content',
  body: {},
  images: [],
  videos: [],
  audios: [],
  subjects: [],
  dedupeKey: 'key',
  extra: {},
  ...given,
});
const FRAME = { resolutions: ['480p', '720p', '1080p'], ratios: ['16:9', '9:16', '1:1', 'adaptive'] };

describe('words', () => {
  it.each([
    ['720p', 720],
    ['1080P', 1080],
    ['4K', 2160],
    ['2k', 1440],
    ['1280x720', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('tierOf %s', (word, tier) => expect(tierOf(word)).toBe(tier));

  it.each([
    ['1280x720', { width: 1280, height: 720 }],
    ['1280*720', { width: 1280, height: 720 }],
    [' 1280 × 720 ', { width: 1280, height: 720 }],
    ['720p', undefined],
    ['0x0', undefined],
    [undefined, undefined],
  ])('pixelsOf %s', (size, pixels) => expect(pixelsOf(size)).toEqual(pixels));

  it.each([
    ['16:9', 16 / 9],
    ['1:2.5', 0.4],
    ['adaptive', undefined],
    ['0:9', undefined],
    [undefined, undefined],
  ])('proportionOf %s', (ratio, proportion) => expect(proportionOf(ratio)).toBe(proportion));
});

describe('frameIn', () => {
  const cases: { name: string; input: Partial<VideoCreate>; words?: typeof FRAME; frame: object }[] = [
    { name: 'nothing', input: {}, frame: { dropped: [] } },
    {
      name: 'case does not matter',
      input: { resolution: '720P', ratio: 'Adaptive' },
      frame: { resolution: '720p', ratio: 'adaptive', dropped: [] },
    },
    { name: 'auto is adaptive', input: { ratio: 'Auto' }, frame: { ratio: 'adaptive', dropped: [] } },
    { name: 'a class nobody has is not rounded', input: { resolution: '768P' }, frame: { dropped: ['resolution'] } },
    { name: 'a class written as size', input: { size: '1080P' }, frame: { resolution: '1080p', dropped: [] } },
    { name: 'a class written as size that nobody has', input: { size: '4K' }, frame: { dropped: ['size'] } },
    {
      name: 'pixels are two words',
      input: { size: '1920x1080' },
      frame: { resolution: '1080p', ratio: '16:9', dropped: [] },
    },
    {
      name: 'pixels near enough',
      input: { size: '1024x1792' },
      frame: { resolution: '1080p', ratio: '9:16', dropped: [] },
    },
    { name: 'pixels too far from any class', input: { size: '600x600' }, frame: { ratio: '1:1', dropped: ['size'] } },
    {
      name: 'pixels too far from any ratio',
      input: { size: '1280x1080' },
      frame: { resolution: '1080p', dropped: ['size'] },
    },
    {
      name: 'what is said wins over pixels',
      input: { size: '1920x1080', resolution: '720p', ratio: '1:1' },
      frame: { resolution: '720p', ratio: '1:1', dropped: [] },
    },
    {
      name: 'pixels where no ratio is taken are half lost',
      input: { size: '1280x720' },
      words: { ...FRAME, ratios: [] },
      frame: { resolution: '720p', dropped: ['size'] },
    },
    {
      name: 'a ratio where none is taken',
      input: { ratio: '16:9' },
      words: { ...FRAME, ratios: [] },
      frame: { dropped: ['ratio'] },
    },
  ];
  it.each(cases)('$name', ({ input, words = FRAME, frame }) => {
    expect(frameIn(videoCreate(input), words)).toEqual(frame);
  });
});

it.each<[Partial<VideoCreate>, object | undefined]>([
  [{ size: '720x1280' }, { width: 720, height: 1280 }],
  [
    { resolution: '720p', ratio: '16:9' },
    { width: 1280, height: 720 },
  ],
  [
    { resolution: '1080p', ratio: '9:16' },
    { width: 1080, height: 1920 },
  ],
  [
    { resolution: '480p', ratio: '21:9' },
    { width: 1120, height: 480 },
  ],
  [{ ratio: '1:1' }, { width: 720, height: 720 }],
  [{ resolution: '4k' }, { width: 3840, height: 2160 }],
  [{ ratio: 'adaptive' }, undefined],
  [{}, undefined],
])('pixelsIn %j', (input, pixels) => {
  expect(pixelsIn(videoCreate(input))).toEqual(pixels);
});

describe('names', () => {
  it.each([
    ['content', 'ratio', 'ratio'],
    ['input', 'ratio', 'parameters.ratio'],
    ['input', 'negativePrompt', 'input.negative_prompt'],
    ['omni', 'resolution', 'size'],
    ['omni', 'audio', 'audio_generation'],
    ['seconds', 'duration', 'seconds'],
    ['prompt', 'watermark', 'aigc_watermark'],
    ['image-urls', 'ratio', 'aspect_ratio'],
  ] as const)('%s calls %s %s', (shape, word, name) => {
    expect(fieldOf({ shape }, word)).toBe(name);
  });

  it('zero and false were given, an empty list was not', () => {
    expect(
      namesOfGiven(videoCreate({ seed: 0, audio: false, subjects: [] }), ['seed', 'audio', 'subjects', 'duration']),
    ).toEqual(['seed', 'generate_audio']);
  });
});

describe('sortExtra', () => {
  const known = new Set(['camera_fixed']);
  it('passes what the vendor knows, names what it does not', () => {
    const input = videoCreate({
      shape: 'input',
      extra: { camera_fixed: false, parameters: { camera_fixed: true, other: 1 }, odd: null },
    });
    expect(sortExtra(input, known)).toEqual({ passed: { camera_fixed: true }, dropped: ['parameters.other', 'odd'] });
  });

  it('passes everything of the OpenAI shape, but nothing that is the gateway’s', () => {
    const extra = {
      tomorrow: 1,
      model: 'x',
      callback_url: 'x',
      external_task_id: 'x',
      metadata: { model: 'y', fine: true },
    };
    expect(sortExtra(videoCreate({ shape: 'seconds', extra }), known)).toEqual({
      passed: { tomorrow: 1, fine: true },
      dropped: ['model', 'callback_url', 'external_task_id', 'metadata.model'],
    });
  });

  it('a field named __proto__ harms nobody', () => {
    const extra = JSON.parse('{"__proto__":{"polluted":1}}') as VideoCreate['extra'];
    const { passed } = sortExtra(videoCreate({ shape: 'seconds', extra }), known);
    expect(Object.getPrototypeOf(passed)).toBe(Object.prototype);
  });
});

describe('readDataUrl', () => {
  it.each([
    ['data:image/png;base64,AAAA', { mime: 'image/png', base64: 'AAAA' }],
    ['DATA:IMAGE/PNG;charset=x;base64,AAAA', { mime: 'image/png', base64: 'AAAA' }],
    ['data:;base64,AAAA', { mime: 'application/octet-stream', base64: 'AAAA' }],
    ['https://m.example/a.png', undefined],
    ['asset://a', undefined],
  ])('%s', (url, media) => expect(readDataUrl(url, 'p')).toEqual(media));

  it('a data: URL that is no base64 is refused, naming the field', () => {
    expect(() => readDataUrl('data:text/plain,hello', 'imageUrls[0]')).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param: 'imageUrls[0]' }) }),
    );
  });
});

describe('reading JSON', () => {
  const json = { a: { list: [{ id: 5 }, 'x'], text: '', number: '12', long: '860000000000000123', no: false } };
  it('finds what is there, and nothing else', () => {
    expect(valueAt(json, 'a', 'no')).toBe(false);
    expect(valueAt(json, 'a', 'list', 1)).toBe('x');
    expect(valueAt(json, 'a', 'list', 'length')).toBeUndefined();
    expect(valueAt(json, 'toString')).toBeUndefined();
    expect(valueAt(undefined, 'a')).toBeUndefined();
    expect(textAt(json, 'a', 'text')).toBeUndefined();
    expect(numberAt(json, 'a', 'number')).toBe(12);
    expect(numberAt(json, 'a', 'text')).toBeUndefined();
    expect(idAt(json, 'a', 'list', 0, 'id')).toBe('5');
    expect(idAt(json, 'a', 'long')).toBe('860000000000000123');
    expect(idAt(json, 'a', 'no')).toBeUndefined();
    expect(objectAt(json, 'a', 'list')).toBeUndefined();
    expect(listAt(json, 'a')).toEqual([]);
  });
});
