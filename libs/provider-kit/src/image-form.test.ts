import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ImageCreate } from './image-adapter.ts';
import {
  embeddedImage,
  imageAddress,
  imageCount,
  imageFieldsGiven,
  imageSizeOf,
  inputOfPicture,
  joinedReplies,
  mimeByName,
  pictureFrom,
  refuseMask,
  repeatedly,
  sortImageExtra,
} from './image-form.ts';
import { StreamedFiles } from './streamed-json.ts';
import { addUsage, usageOf } from './usage-counts.ts';

const asked = (given: Partial<ImageCreate> = {}): ImageCreate => ({
  shape: 'prompt',
  prompt: 'a cat',
  images: [],
  extra: {},
  ...given,
});
const noFetcher = { fetchMedia: () => Promise.reject(new Error('not asked')) };
const limits = { maxBytes: 8, types: ['image/png'] };

describe('sizes', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['auto', { kind: 'auto' }],
    ['2k', { kind: 'class', side: 2048 }],
    ['4K', { kind: 'class', side: 4096 }],
    ['0.5K', { kind: 'class', side: 512 }],
    ['512', { kind: 'class', side: 512 }],
    ['1024x768', { kind: 'pixels', width: 1024, height: 768 }],
    ['1664*928', { kind: 'pixels', width: 1664, height: 928 }],
    ['square_hd', { kind: 'word', word: 'square_hd' }],
  ])('%j', (size, read) => {
    expect(imageSizeOf(size)).toEqual(read);
  });
});

describe('the caller’s names', () => {
  it.each([
    { shape: 'prompt' as const, names: ['seed', 'negative_prompt', 'user'] },
    { shape: 'messages' as const, names: ['parameters.seed', 'parameters.negative_prompt', 'user'] },
  ])('in the shape $shape', ({ shape, names }) => {
    const input = asked({ shape, seed: 0, negativePrompt: '', user: 'u' });
    expect(imageFieldsGiven(input, ['seed', 'negativePrompt', 'user', 'quality'])).toEqual(names);
  });

  it('refuses a mask by its place', () => {
    const mask = { url: 'data:image/png;base64,AA==', param: 'mask' };
    expect(() => refuseMask(asked({ mask }))).toThrow(expect.objectContaining({ details: { param: 'mask' } }));
    expect(() => refuseMask(asked())).not.toThrow();
  });

  it.each([0, 11, 1.5, NaN])('refuses %p pictures', (count) => {
    expect(() => imageCount(asked({ count, shape: 'messages' }), 10)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'parameters.n' } }),
    );
  });
  it('makes one picture unless told', () => {
    expect(imageCount(asked(), 10)).toBe(1);
    expect(imageCount(asked({ count: 10 }), 10)).toBe(10);
  });
});

describe('what the form has no word for', () => {
  const vendor = { known: new Set(['tools']), ownShapes: ['prompt'] as const };

  it('passes in the vendor’s own shape, but never what is the gateway’s', () => {
    const extra = { odd: 1, model: 'other', stream: true, response_format: 'url' };
    expect(sortImageExtra(asked({ extra }), vendor)).toEqual({ passed: { odd: 1 }, dropped: [] });
  });
  it('is told by its full name when the vendor does not know it', () => {
    const extra = { parameters: { tools: [], odd: 1 }, 'parameters.flat': 2, other: 3 };
    expect(sortImageExtra(asked({ shape: 'messages', extra }), vendor)).toEqual({
      passed: { tools: [] },
      dropped: ['parameters.odd', 'parameters.flat', 'other'],
    });
  });
});

describe('pictures', () => {
  const file = (bytes: string, size = bytes.length) => ({
    filename: 'a.png',
    mime: 'image/png',
    size,
    open: async function* () {
      yield Buffer.from(bytes.slice(0, 2));
      yield Buffer.from(bytes.slice(2));
    },
    param: 'image[0]',
  });

  it('takes data URLs as they are, and files as places where they will be read', async () => {
    const data = { url: 'data:image/webp;base64,QUJD', param: 'image' };
    const files = new StreamedFiles();
    const how = { upstream: noFetcher, limits, files };
    expect(await embeddedImage(data, how)).toEqual({ mime: 'image/webp', base64: 'QUJD' });
    const address = await imageAddress(file('ABC'), how);
    expect(address).toMatch(/^data:image\/png;base64,file-/);
    const { source } = files.body([address]);
    const sent: Uint8Array[] = [];
    for await (const piece of source?.open() ?? []) sent.push(piece);
    expect(Buffer.concat(sent).toString()).toBe('["data:image/png;base64,QUJD"]');
  });
  it('fetches addresses through the untrusted fetcher, with the place to name', async () => {
    const seen: unknown[] = [];
    const fetcher = {
      fetchMedia: (url: string, given: unknown) => {
        seen.push(url, given);
        return Promise.resolve({ bytes: Buffer.from('ABC'), mime: 'image/png' });
      },
    };
    const image = { url: 'https://x.example/a.png', param: 'image[1]' };
    expect(await embeddedImage(image, { upstream: fetcher, limits, files: new StreamedFiles() })).toEqual({
      mime: 'image/png',
      base64: 'QUJD',
    });
    expect(seen).toEqual(['https://x.example/a.png', { ...limits, param: 'image[1]' }]);
    expect(await imageAddress(image, { upstream: noFetcher, limits, files: new StreamedFiles() })).toBe(image.url);
  });
  it('refuses a file that is too large before opening it', async () => {
    await expect(
      embeddedImage(file('ABC', 9), { upstream: noFetcher, limits, files: new StreamedFiles() }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'image[0]' },
    });
  });
  it.each([
    ['iVBORw0KGgo=', 'image/png'],
    ['/9j/4AA=', 'image/jpeg'],
    ['R0lGODlh', 'image/gif'],
    [Buffer.from('RIFFxxxxWEBPVP8 ').toString('base64'), 'image/webp'],
    [Buffer.from('<svg xmlns="x"/>').toString('base64'), 'image/svg+xml'],
  ])('knows %s by its bytes', (base64, mime) => {
    expect(pictureFrom(base64)).toMatchObject({ mime });
  });
  it('refuses what is no picture', () => {
    expect(() => pictureFrom(Buffer.from('not found').toString('base64'))).toThrow(/what it calls a picture is none/);
  });
  it('reads a type from a signed address', () => {
    expect(mimeByName('https://x/a.JPG?sig=1.png', 'image/png')).toBe('image/jpeg');
    expect(mimeByName('https://x/a', 'image/png')).toBe('image/png');
  });
});

describe('one request per picture', () => {
  const outcomes = (list: readonly unknown[]) => {
    let next = 0;
    return () => {
      const outcome = list[next++];
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    };
  };

  it('keeps what came and names what did not', async () => {
    const refused = new GatewayError('content_refused', 'no');
    expect(await repeatedly(3, outcomes(['a', refused, 'c']))).toEqual([
      'a',
      { fault: { code: 'content_refused', message: 'no' } },
      'c',
    ]);
  });
  it('throws the first error when nothing came', async () => {
    const first = new GatewayError('upstream_rate_limited', 'later');
    await expect(repeatedly(2, outcomes([first, new GatewayError('internal', 'x')]))).rejects.toBe(first);
  });
  it('does not hide a fault of our own', async () => {
    await expect(repeatedly(2, outcomes(['a', new TypeError('oops')]))).rejects.toThrow(TypeError);
  });
});

describe('several pictures of one request', () => {
  it('have a seed each', () => {
    expect([0, 1, 2].map((index) => inputOfPicture(asked({ seed: 7 }), index).seed)).toEqual([7, 8, 9]);
    expect(inputOfPicture(asked({ seed: -1 }), 2).seed).toBe(-1);
    expect(inputOfPicture(asked(), 2)).toEqual(asked());
  });
  it('are one answer in which what failed keeps its place', () => {
    const file = { url: 'https://a.b/1.png', mime: 'image/png' };
    const fault = { code: 'content_refused', message: 'no' } as const;
    const came = { files: [file], usage: { images: 1 } };
    expect(joinedReplies([came, { fault }, came])).toEqual({ files: [file, { fault }, file], usage: { images: 2 } });
  });
});

describe('counts', () => {
  it('keep zero and leave out what nobody said', () => {
    expect(usageOf({ inputTokens: 0, outputTokens: undefined })).toEqual({ inputTokens: 0 });
  });
  it('add up', () => {
    expect(addUsage([{ images: 1, inputTokens: 3 }, { images: 1 }, { estimated: true }])).toEqual({
      images: 2,
      inputTokens: 3,
      estimated: true,
    });
    expect(addUsage([])).toEqual({});
  });
});
