import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate, ImageStreamEvent, Upstream } from '@model-gateway/provider-kit';
import {
  imageCreate,
  PIXEL,
  startScriptedVendor,
  vendorReply,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { toOpenAiImageBody, fromOpenAiImages, images } from './images.ts';
import { openai } from './openai.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const gpt = { model: 'gpt-image-2', quirks: {} };
const body = (given: Partial<ImageCreate>, target = gpt, stream = false) =>
  toOpenAiImageBody(imageCreate({ prompt: 'p', ...given }), target, stream);

describe('the request', () => {
  it.each<{ name: string; given: Partial<ImageCreate>; sends: JsonObject; dropped?: string[] }>([
    { name: 'a prompt alone', given: {}, sends: {} },
    {
      name: 'every word OpenAI has',
      given: {
        count: 2,
        size: 'auto',
        quality: 'low',
        background: 'transparent',
        outputFormat: 'webp',
        outputCompression: 0,
      },
      sends: {
        n: 2,
        size: 'auto',
        quality: 'low',
        background: 'transparent',
        output_format: 'webp',
        output_compression: 0,
      },
    },
    { name: 'the end user', given: { user: 'u-1' }, sends: { user: 'u-1' } },
    {
      name: 'the end user of another form is a safety identifier',
      given: { shape: 'messages', user: 'u-1' },
      sends: { safety_identifier: 'u-1' },
    },
    {
      name: 'a body as it came, null and odd members too',
      given: { body: { model: 'code', quality: null, n: '2', style: { of: 'tomorrow' }, stream: false, image: null } },
      sends: { quality: null, n: '2', style: { of: 'tomorrow' }, stream: false },
    },
    { name: 'no response format, whatever is wanted back', given: { responseFormat: 'url' }, sends: {} },
    { name: 'no response format by the back door', given: { extra: { response_format: 'url' } }, sends: {} },
    {
      name: 'words it lacks are named, zero and false too',
      given: { seed: 0, watermark: false, promptExtend: false, negativePrompt: '' },
      sends: {},
      dropped: ['negative_prompt', 'seed', 'watermark', 'prompt_extend'],
    },
    {
      name: 'the names of the shape with parameters',
      given: { shape: 'messages', seed: 7, extra: { parameters: { thinking_mode: true, moderation: 'low' } } },
      sends: { moderation: 'low' },
      dropped: ['parameters.seed', 'parameters.thinking_mode'],
    },
    {
      name: 'a parameter of tomorrow passes',
      given: { extra: { frame_count: 4, model: 'other', stream: true } },
      sends: { frame_count: 4 },
    },
    {
      name: 'partial pictures of another form only on a stream',
      given: { shape: 'messages', partialImages: 2 },
      sends: {},
    },
  ])('$name', ({ given, sends, dropped = [] }) => {
    expect(body(given)).toEqual({ body: { model: 'gpt-image-2', prompt: 'p', ...sends }, dropped });
  });

  it('asks for a stream and its partial pictures', () => {
    expect(body({ partialImages: 0 }, gpt, true).body).toMatchObject({ stream: true, partial_images: 0 });
  });

  it('speaks to other vendors’ models as they expect it', () => {
    const other = { model: 'flux-2', quirks: {} };
    expect(body({ responseFormat: 'b64_json', user: 'u', size: '2k' }, other).body).toEqual({
      model: 'flux-2',
      prompt: 'p',
      response_format: 'b64_json',
      user: 'u',
      size: '2k',
    });
    expect(
      body({ responseFormat: 'url', user: 'u' }, { model: 'house-model', quirks: { gpt_image: true } }).body,
    ).toEqual({
      model: 'house-model',
      prompt: 'p',
      user: 'u',
    });
  });
});

describe('the size', () => {
  it.each<[model: string, asked: string, sent: string, exact: boolean]>([
    ['gpt-image-2', '1k', '1024x1024', true],
    ['gpt-image-2', '2K', '2048x2048', true],
    ['gpt-image-2', '4K', '2160x2160', false],
    ['gpt-image-2', '1664*928', '1664x928', true],
    ['gpt-image-2', '3840x2160', '3840x2160', true],
    ['gpt-image-2', '2160x3840', '2160x3840', true],
    ['gpt-image-2', 'auto', 'auto', true],
    ['gpt-image-1.5', '1K', '1024x1024', true],
    ['gpt-image-1-mini', '2K', 'auto', false],
    ['gpt-image-1.5', '1536x1024', '1536x1024', true],
  ])('of %s: %s is sent as %s', (model, asked, sent, exact) => {
    const { body: made, dropped } = body({ size: asked }, { model, quirks: {} });
    expect(made['size']).toBe(sent);
    expect(dropped).toEqual(exact ? [] : ['size']);
  });

  it.each([
    ['gpt-image-2', '1000x1000', 'divisible by 16'],
    ['gpt-image-2', '4096x4096', '3840x2160'],
    ['gpt-image-2', '3200x1024', '1:3 and 3:1'],
    ['gpt-image-1.5', '512x512', 'possible are auto, 1024x1024, 1536x1024, 1024x1536'],
  ])('of %s cannot be %s', (model, asked, rule) => {
    const made = () => body({ size: asked, shape: 'messages' }, { model, quirks: {} });
    expect(made).toThrow(rule);
    expect(made).toThrow(expect.objectContaining({ code: 'invalid_request', details: { param: 'parameters.size' } }));
  });

  it('is what the catalogue says it is', () => {
    const listed = { model: 'gpt-image-2', quirks: { sizes: ['512x512'] } };
    expect(body({ size: '512x512' }, listed).body['size']).toBe('512x512');
    expect(() => body({ size: '1024x1024' }, listed)).toThrow('possible are 512x512');
  });
});

describe('the answer', () => {
  it('is pictures with their type by bytes, counts and what the vendor says of them', () => {
    const reply = fromOpenAiImages(vendorReply(200, fixture('images-generate.200.json')).json);
    expect(reply).toMatchObject({
      files: [{ mime: 'image/png', width: 1024, height: 1024 }],
      created: 1_790_000_000,
      revisedPrompt: 'A small paper boat',
      usage: { images: 1, inputTokens: 42, inputImageTokens: 30, outputTokens: 1056, outputImageTokens: 1056 },
      echo: { background: 'opaque', output_format: 'png', quality: 'low', size: '1024x1024' },
      vendorUsage: { total_tokens: 1098 },
    });
  });

  it('may be addresses', () => {
    const json = { created: 1, data: [{ url: 'https://x.example/a.webp?sig=1' }, { url: 'https://x.example/b' }] };
    expect(fromOpenAiImages(json)).toMatchObject({
      files: [
        { url: 'https://x.example/a.webp?sig=1', mime: 'image/webp' },
        { url: 'https://x.example/b', mime: 'image/png' },
      ],
      usage: { images: 2 },
    });
  });

  it.each([
    { name: 'no pictures', json: { data: [] } },
    { name: 'an empty picture', json: { data: [{}] } },
    { name: 'no JSON', json: undefined },
  ])('with $name makes no sense', ({ json }) => {
    expect(() => fromOpenAiImages(json)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });
});

interface FormField {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly value: string;
}

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());

  const open = async (
    answer: (request: ScriptedRequest) => ScriptedReply,
    model = 'gpt-image-2',
  ): Promise<Upstream> => {
    vendor = await startScriptedVendor(answer);
    return vendor.upstream(openai, { basePath: '/v1', model });
  };
  const answer = (): ScriptedReply => ({ text: fixture('images-generate.200.json') });
  const formOf = ({ headers, body: bytes }: ScriptedRequest): FormField[] => {
    const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
    return bytes
      .toString('latin1')
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => {
        const [head = '', ...rest] = part.slice(2).split('\r\n\r\n');
        return {
          name: / name="([^"]*)"/.exec(head)?.[1] ?? '',
          filename: / filename="([^"]*)"/.exec(head)?.[1],
          type: /content-type: (.*)/i.exec(head)?.[1],
          value: rest.join('\r\n\r\n').slice(0, -2),
        };
      });
  };
  const sent = (): ScriptedRequest => vendor!.requests.at(-1)!;
  const opened: string[] = [];
  const file = (name: string, param = 'image') => ({
    filename: `${name}.png`,
    mime: 'image/png',
    size: 6,
    param,
    open: async function* () {
      opened.push(name);
      yield Buffer.from('abc');
      yield Buffer.from('def');
    },
  });

  it('generates with JSON', async () => {
    const upstream = await open(answer);
    await images.generate(imageCreate({ size: '1024x1024' }), upstream);
    expect(vendor?.requests).toMatchObject([
      { method: 'POST', path: '/v1/images/generations', json: { model: 'gpt-image-2', size: '1024x1024' } },
    ]);
    expect(vendor?.requests[0]?.headers['authorization']).toBe('Bearer vendor-key-0123456789');
  });

  it('edits with a form that is streamed: several pictures, a mask, the fields as text', async () => {
    const upstream = await open(answer);
    opened.length = 0;
    const input = imageCreate({
      shape: 'edit',
      images: [file('one'), file('two', 'image[1]')],
      mask: file('mask', 'mask'),
      count: 2,
      user: 'u-1',
      responseFormat: 'url',
      extra: { input_fidelity: 'high' },
    });
    await images.generate(input, upstream);
    expect(sent().path).toBe('/v1/images/edits');
    expect(Number(sent().headers['content-length'])).toBe(sent().body.byteLength);
    const form = formOf(sent());
    expect(form.filter(({ filename }) => filename !== undefined)).toEqual([
      { name: 'image[]', filename: 'one.png', type: 'image/png', value: 'abcdef' },
      { name: 'image[]', filename: 'two.png', type: 'image/png', value: 'abcdef' },
      { name: 'mask', filename: 'mask.png', type: 'image/png', value: 'abcdef' },
    ]);
    const texts = form.filter(({ filename }) => filename === undefined);
    expect(Object.fromEntries(texts.map(({ name, value }) => [name, value]))).toEqual({
      model: 'gpt-image-2',
      prompt: 'A paper boat',
      n: '2',
      user: 'u-1',
      input_fidelity: 'high',
    });
    expect(opened.sort()).toEqual(['mask', 'one', 'two']);
  });

  it('calls a single picture by the single name', async () => {
    const upstream = await open(answer);
    await images.generate(imageCreate({ shape: 'edit', images: [file('one')] }), upstream);
    expect(formOf(sent()).map(({ name }) => name)).toEqual(['model', 'prompt', 'image']);
  });

  it('edits pictures that are addresses with JSON', async () => {
    const upstream = await open(answer);
    const url = 'https://x.example/a.png';
    const embedded = `data:image/png;base64,${PIXEL}`;
    await images.generate(
      imageCreate({
        shape: 'messages',
        images: [
          { url, param: 'input.messages[0].content[0].image' },
          { url: embedded, param: 'x' },
        ],
      }),
      upstream,
    );
    expect(vendor?.requests[0]).toMatchObject({
      path: '/v1/images/edits',
      json: { images: [{ image_url: url }, { image_url: embedded }] },
    });
  });

  it('fetches an address when a file stands beside it', async () => {
    const picture = Buffer.from(PIXEL, 'base64');
    const upstream = await open((request) =>
      request.method === 'GET' ? { bytes: picture, headers: { 'content-type': 'image/png' } } : answer(),
    );
    const url = `${vendor?.url ?? ''}/picture`;
    await images.generate(imageCreate({ shape: 'edit', images: [file('one'), { url, param: 'image[1]' }] }), upstream);
    expect(formOf(sent())[3]).toMatchObject({ name: 'image[]', type: 'image/png', value: picture.toString('latin1') });
    expect(vendor?.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  const collect = async (input: ImageCreate, upstream: Upstream): Promise<ImageStreamEvent[]> => {
    const seen: ImageStreamEvent[] = [];
    for await (const event of images.stream?.(input, upstream) ?? []) seen.push(event);
    return seen;
  };
  const sse = (text: string): ScriptedReply => ({ text, headers: { 'content-type': 'text/event-stream' } });

  it('streams partial pictures, the picture, and what it cost', async () => {
    const upstream = await open(() => sse(fixture('images-stream.200.sse')));
    const seen = await collect(imageCreate({ partialImages: 2, seed: 1 }), upstream);
    expect(seen).toMatchObject([
      { type: 'started', dropped: ['seed'] },
      { type: 'partial', index: 0, file: { mime: 'image/png' } },
      { type: 'partial', index: 1 },
      { type: 'image', index: 0, file: { width: 1024 }, echo: { quality: 'low' } },
      { type: 'completed', usage: { images: 1, outputTokens: 1056 }, vendorUsage: { total_tokens: 1098 } },
    ]);
    expect(vendor?.requests[0]?.json).toMatchObject({ stream: true, partial_images: 2 });
  });

  it('takes a whole answer from a server that cannot stream', async () => {
    const upstream = await open(answer);
    expect((await collect(imageCreate(), upstream)).map(({ type }) => type)).toEqual(['started', 'image', 'completed']);
  });

  it('a refusal in the first event is a refusal', async () => {
    const upstream = await open(() => sse(fixture('images-stream.refused.200.sse')));
    await expect(collect(imageCreate(), upstream)).rejects.toMatchObject({ code: 'content_refused' });
  });

  it('a stream without its end is no success', async () => {
    const cut = fixture('images-stream.200.sse').split('event: image_generation.completed')[0] ?? '';
    const upstream = await open(() => sse(cut));
    await expect(collect(imageCreate(), upstream)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      details: { taken: 'unknown' },
    });
  });

  it('leaves request ids out of what it says', async () => {
    const upstream = await open(() => ({ status: 400, text: fixture('images-generate.moderation.400.json') }));
    const error: unknown = await images.generate(imageCreate(), upstream).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'content_refused' });
    expect((error as Error).message).not.toContain('req_');
  });
});
