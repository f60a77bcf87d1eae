import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate, ImageStreamEvent, Upstream } from '@model-gateway/provider-kit';
import {
  imageCreate,
  PIXEL,
  startScriptedVendor,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { fromSeedream, images, toSeedream } from './images.ts';
import { ark } from './adapter.ts';

const MODEL = 'doubao-seedream-4-5-251128';
const asked = (
  given: Partial<ImageCreate>,
  target: { model?: string; quirks?: JsonObject } = {},
  references: string[] = [],
) => toSeedream(imageCreate({ prompt: 'p', ...given }), { model: MODEL, quirks: {}, ...target }, references);
const whole = { scrub: (text: string) => text, now: () => 1_790_000_000_500 };

describe('the request', () => {
  it.each<{ name: string; given: Partial<ImageCreate>; sends: JsonObject; dropped?: string[] }>([
    { name: 'a prompt alone', given: {}, sends: {} },
    { name: 'a class in upper case', given: { size: '2k' }, sends: { size: '2K' } },
    { name: 'pixels with an x', given: { size: '1664*2496' }, sends: { size: '1664x2496' } },
    { name: 'auto is no size', given: { size: 'auto' }, sends: {} },
    {
      name: 'watermark false and a seed of zero are said',
      given: { watermark: false, seed: 0, responseFormat: 'b64_json' },
      sends: { seed: 0, watermark: false, response_format: 'b64_json' },
    },
    {
      name: 'prompt extension is its own option; switching it off is not',
      given: { shape: 'messages', promptExtend: true, negativePrompt: 'dogs' },
      sends: { optimize_prompt_options: { mode: 'standard' } },
      dropped: ['parameters.negative_prompt'],
    },
    {
      name: 'no prompt extension cannot be said',
      given: { promptExtend: false },
      sends: {},
      dropped: ['prompt_extend'],
    },
    {
      name: 'what it lacks is named',
      given: {
        quality: 'low',
        background: 'opaque',
        outputFormat: 'webp',
        outputCompression: 0,
        user: 'u',
        partialImages: 0,
      },
      sends: {},
      dropped: ['quality', 'background', 'output_compression', 'user', 'partial_images', 'output_format'],
    },
    { name: '4.x makes jpeg anyway', given: { outputFormat: 'jpeg' }, sends: {} },
    {
      name: 'a group, as many as asked',
      given: { count: 4, extra: { sequential_image_generation: 'auto' } },
      sends: { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 4 } },
    },
    {
      name: 'a group with its own options',
      given: {
        count: 4,
        extra: { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 2 } },
      },
      sends: { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 2 } },
    },
    { name: 'a parameter of tomorrow passes', given: { extra: { tomorrow: 1 } }, sends: { tomorrow: 1 } },
    {
      name: 'another vendor’s parameters are named',
      given: { shape: 'messages', extra: { parameters: { thinking_mode: true, guidance_scale: 2 } } },
      sends: { guidance_scale: 2 },
      dropped: ['parameters.thinking_mode'],
    },
  ])('$name', ({ given, sends, dropped = [] }) => {
    expect(asked(given)).toEqual({ body: { model: MODEL, prompt: 'p', ...sends }, dropped });
  });

  it('one reference is a text, several are a list', () => {
    expect(asked({}, {}, ['a']).body['image']).toBe('a');
    expect(asked({}, {}, ['a', 'b']).body['image']).toEqual(['a', 'b']);
  });

  it.each<[string, { model?: string; quirks?: JsonObject }, Partial<ImageCreate>, JsonObject]>([
    ['3.0 has seeds', { model: 'doubao-seedream-3-0-t2i' }, { seed: 0 }, { seed: 0 }],
    ['5.0 makes png', { model: 'doubao-seedream-5-0-260128' }, { outputFormat: 'PNG' }, { output_format: 'png' }],
    [
      'the catalogue may know better',
      { quirks: { seed: true, output_format: true } },
      { seed: 1, outputFormat: 'png' },
      { seed: 1, output_format: 'png' },
    ],
    [
      'the catalogue may allow a negative prompt',
      { quirks: { negative_prompt: true } },
      { negativePrompt: 'dogs' },
      { prompt: 'p\nNot in the picture: dogs' },
    ],
  ])('%s', (_name, target, given, sends) => {
    const { body, dropped } = asked(given, target);
    expect(body).toMatchObject(sends);
    expect(dropped).toEqual([]);
  });

  it('refuses a mask by its place', () => {
    const mask = { url: `data:image/png;base64,${PIXEL}`, param: 'mask' };
    expect(() => asked({ mask })).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: 'mask' } }),
    );
  });
});

const sensitive = {
  code: 'OutputImageSensitiveContentDetected',
  message: 'The output may contain sensitive information.',
};
const usage = { generated_images: 1, output_tokens: 16_384, total_tokens: 16_384 };

describe('the answer', () => {
  it('is links with size, type and expiry, and the usage as printed', () => {
    const json = {
      model: MODEL,
      created: 1_790_000_000,
      data: [{ url: 'https://x.example/a.jpeg?sig=1', size: '2048x2048' }],
      usage: { ...usage, tool_usage: { web_search: 2 } },
    };
    expect(fromSeedream(json, whole)).toEqual({
      files: [
        {
          url: 'https://x.example/a.jpeg?sig=1',
          mime: 'image/jpeg',
          expiresAt: 1_790_086_400,
          width: 2048,
          height: 2048,
        },
      ],
      created: 1_790_000_000,
      usage: { images: 1, outputTokens: 16_384, webSearches: 2 },
      vendorUsage: json.usage,
      answer: { body: { model: MODEL, created: 1_790_000_000, usage: json.usage }, items: [{ size: '2048x2048' }] },
    });
  });

  it('reads the other name of the time, and bytes', () => {
    const json = { created_at: 1_790_000_000, data: [{ b64_json: PIXEL, size: '64x48' }] };
    expect(fromSeedream(json, whole)).toMatchObject({
      created: 1_790_000_000,
      files: [{ mime: 'image/png', width: 64, height: 48 }],
    });
  });

  it('without a time, counts the life of a link from now', () => {
    const [file] = fromSeedream({ data: [{ url: 'https://x.example/a', output_format: 'png' }] }, whole).files;
    expect(file).toMatchObject({ mime: 'image/png', expiresAt: 1_790_086_400 });
  });

  it('keeps what failed in its place', () => {
    const json = { created: 1, data: [{ url: 'https://x.example/a' }, { error: sensitive }], usage };
    expect(fromSeedream(json, whole).files).toMatchObject([
      { url: 'https://x.example/a' },
      { fault: { code: 'content_refused', vendorCode: sensitive.code } },
    ]);
  });

  it('with every picture failed is still the vendor’s answer', () => {
    expect(fromSeedream({ created: 1, data: [{ error: sensitive }] }, whole)).toMatchObject({
      files: [{ fault: { code: 'content_refused' } }],
      usage: { images: 0 },
    });
  });

  it.each([
    { name: 'an error in a 200', json: { created: 1, error: sensitive }, code: 'content_refused' },
    { name: 'an error nobody knows', json: { error: { code: 'Odd', message: 'x' } }, code: 'upstream_unavailable' },
    { name: 'no pictures', json: { created: 1, data: [] }, code: 'upstream_malformed' },
    { name: 'an empty picture', json: { data: [{ error: {} }] }, code: 'upstream_malformed' },
    { name: 'no JSON', json: undefined, code: 'upstream_malformed' },
  ])('$name is $code', ({ json, code }) => {
    expect(() => fromSeedream(json, whole)).toThrow(expect.objectContaining({ code }));
  });
});

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());
  const open = async (answer: (index: number) => ScriptedReply, model = MODEL): Promise<Upstream> => {
    let index = 0;
    vendor = await startScriptedVendor(() => answer(index++));
    return vendor.upstream(ark, { basePath: '/api/v3', model });
  };
  const one = (index: number): ScriptedReply => ({
    json: { created: 1, data: [{ url: `https://x.example/${index}.jpeg`, size: '2048x2048' }], usage },
  });
  const collect = async (input: ImageCreate, upstream: Upstream): Promise<ImageStreamEvent[]> => {
    const seen: ImageStreamEvent[] = [];
    for await (const event of images.stream?.(input, upstream) ?? []) seen.push(event);
    return seen;
  };

  it('gives each of several pictures a seed of its own', async () => {
    await images.generate(imageCreate({ count: 2, seed: 7 }), await open(one));
    const seeds = vendor?.requests.map(({ json }) => (json as JsonObject)['seed']);
    expect(seeds?.toSorted()).toEqual([7, 8]);
  });

  it('asks once, with files as data URLs', async () => {
    const upstream = await open(one);
    const file = {
      filename: 'a.png',
      mime: 'image/png',
      size: 3,
      param: 'image',
      open: async function* () {
        yield Buffer.from('ABC');
      },
    };
    await images.generate(imageCreate({ shape: 'edit', images: [file] }), upstream);
    expect(vendor?.requests).toMatchObject([
      { path: '/api/v3/images/generations', json: { image: 'data:image/png;base64,QUJD' } },
    ]);
  });

  it('several pictures are several requests; those that came are kept, in order', async () => {
    const upstream = await open((index) =>
      index === 1 ? { status: 400, json: { error: { ...sensitive, param: '', type: '' } } } : one(index),
    );
    const reply = await images.generate(imageCreate({ count: 3 }), upstream);
    expect(reply.files.filter((file) => 'fault' in file)).toMatchObject([{ fault: { code: 'content_refused' } }]);
    expect(reply.usage).toEqual({ images: 2, outputTokens: 32_768 });
    expect(reply.vendorUsage).toEqual({ generated_images: 2, output_tokens: 32_768, total_tokens: 32_768 });
  });

  it('a group is one request, however many pictures', async () => {
    const upstream = await open(one);
    await images.generate(imageCreate({ count: 3, extra: { sequential_image_generation: 'auto' } }), upstream);
    expect(vendor?.requests).toHaveLength(1);
  });

  it('a model Ark does not have may be had elsewhere', async () => {
    const upstream = await open(() => ({ status: 404, json: { error: { code: 'UnsupportedModel', message: 'x' } } }));
    await expect(images.generate(imageCreate(), upstream)).rejects.toMatchObject({ code: 'upstream_rejected_model' });
  });

  const event = (type: string, fields: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const sse = (text: string): ScriptedReply => ({ text, headers: { 'content-type': 'text/event-stream' } });
  const group = [
    event('image_generation.partial_succeeded', {
      created: 1_790_000_000,
      image_index: 0,
      url: 'https://x.example/0.jpeg',
      size: '2048x2048',
    }),
    event('image_generation.partial_failed', { image_index: 1, error: sensitive }),
    event('image_generation.partial_succeeded', { image_index: 2, b64_json: PIXEL, size: '1x1' }),
    event('image_generation.completed', { usage: { ...usage, generated_images: 2 } }),
    'data: [DONE]\n\n',
  ];

  it('streams a group as it is drawn', async () => {
    const upstream = await open(() => sse(group.join('')));
    const input = imageCreate({ seed: 1, extra: { sequential_image_generation: 'auto' } });
    expect(await collect(input, upstream)).toMatchObject([
      { type: 'started', dropped: [] },
      { type: 'image', index: 0, file: { width: 2048, expiresAt: 1_790_086_400 } },
      { type: 'failed', index: 1, fault: { code: 'content_refused' } },
      { type: 'image', index: 2, file: { mime: 'image/png' } },
      { type: 'completed', usage: { images: 2, outputTokens: 16_384 }, vendorUsage: { generated_images: 2 } },
    ]);
    expect(vendor?.requests[0]?.json).toMatchObject({ stream: true });
  });

  it('takes a whole answer to a stream', async () => {
    const upstream = await open(one);
    expect((await collect(imageCreate(), upstream)).map(({ type }) => type)).toEqual(['started', 'image', 'completed']);
  });

  it.each<{ name: string; text: string; code: string }>([
    {
      name: 'an error in place of the first event',
      text: `data: ${JSON.stringify({ error: sensitive })}\n\n`,
      code: 'content_refused',
    },
    {
      name: 'an error after a picture',
      text: `${group[0] ?? ''}data: {"error":{"code":"InternalServiceError","message":"x"}}\n\n`,
      code: 'upstream_unavailable',
    },
    { name: 'an end before the end', text: group.slice(0, 3).join(''), code: 'upstream_unavailable' },
    { name: 'a terminator before the end', text: `${group[0] ?? ''}data: [DONE]\n\n`, code: 'upstream_unavailable' },
    { name: 'nothing', text: '', code: 'upstream_unavailable' },
    { name: 'torn JSON', text: 'data: {"type":\n\n', code: 'upstream_malformed' },
  ])('a stream that is $name fails as $code', async ({ text, code }) => {
    const upstream = await open(() => sse(text));
    await expect(collect(imageCreate(), upstream)).rejects.toMatchObject({ code });
  });

  it.each([
    ['a model without streams', 'dola-seedream-5-0-pro-260628', {}, 1],
    ['several requests', MODEL, { count: 2 }, 2],
  ] as const)('%s is told as events all the same', async (_name, model, given, requests) => {
    const upstream = await open(one, model);
    const seen = await collect(imageCreate(given), upstream);
    expect(seen.map(({ type }) => type)).toEqual([
      'started',
      ...Array.from({ length: requests }, () => 'image'),
      'completed',
    ]);
    expect(vendor?.requests.every(({ json }) => (json as JsonObject)['stream'] === undefined)).toBe(true);
    expect(vendor?.requests).toHaveLength(requests);
  });
});
