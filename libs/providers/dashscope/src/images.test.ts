import type { GatewayError } from '@model-gateway/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate, Upstream } from '@model-gateway/provider-kit';
import {
  imageCreate,
  PIXEL,
  startScriptedVendor,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { fromDashScope, images, toDashScope } from './images.ts';
import { dashscope } from './adapter.ts';

const asked = (
  given: Partial<ImageCreate>,
  wire: Parameters<typeof toDashScope>[2] = 'sync',
  addresses: string[] = [],
) => toDashScope(imageCreate({ prompt: 'p', ...given }), 'm', wire, addresses);
const whole = { scrub: (text: string) => text, now: () => 1_790_000_000_500 };

describe('the request', () => {
  it('has one user message: the pictures, then the text', () => {
    expect(asked({}, 'sync', ['https://x.example/a.png', 'data:image/png;base64,QUJD']).body).toEqual({
      model: 'm',
      input: {
        messages: [
          {
            role: 'user',
            content: [{ image: 'https://x.example/a.png' }, { image: 'data:image/png;base64,QUJD' }, { text: 'p' }],
          },
        ],
      },
      parameters: {},
    });
  });

  it.each<{ name: string; given: Partial<ImageCreate>; parameters: JsonObject; dropped?: string[] }>([
    {
      name: 'every word it has, zero and false too',
      given: { count: 2, seed: 0, watermark: false, promptExtend: false, negativePrompt: 'dogs' },
      parameters: { n: 2, seed: 0, watermark: false, prompt_extend: false, negative_prompt: 'dogs' },
    },
    { name: 'its own size', given: { size: '1664*928' }, parameters: { size: '1664*928' } },
    { name: 'pixels with an asterisk', given: { size: '1024x768' }, parameters: { size: '1024*768' } },
    { name: 'a class as a square', given: { size: '1k' }, parameters: { size: '1024*1024' } },
    { name: 'the larger class', given: { size: '2K' }, parameters: { size: '2048*2048' } },
    { name: 'auto is no size', given: { size: 'auto' }, parameters: {} },
    {
      name: 'what it lacks is named',
      given: {
        quality: 'low',
        background: 'opaque',
        outputFormat: 'png',
        outputCompression: 1,
        user: 'u',
        responseFormat: 'b64_json',
      },
      parameters: {},
      dropped: ['quality', 'background', 'output_format', 'output_compression', 'user'],
    },
    {
      name: 'in its own shape a parameter of tomorrow passes',
      given: { shape: 'messages', extra: { parameters: { tomorrow: 1 } } },
      parameters: { tomorrow: 1 },
    },
    {
      name: 'in another shape only those it knows',
      given: { extra: { thinking_mode: true, input_fidelity: 'high' } },
      parameters: { thinking_mode: true },
      dropped: ['input_fidelity'],
    },
  ])('$name', ({ given, parameters, dropped = [] }) => {
    const made = asked(given);
    expect(made.body['parameters']).toEqual(parameters);
    expect(made.dropped).toEqual(dropped);
  });

  it('the older models take the prompt alone', () => {
    expect(asked({ negativePrompt: 'dogs', seed: 1 }, 'text2image').body).toEqual({
      model: 'm',
      input: { prompt: 'p', negative_prompt: 'dogs' },
      parameters: { seed: 1 },
    });
    const image = { url: 'https://x.example/a.png', param: 'image' };
    expect(() => asked({ images: [image] }, 'text2image')).toThrow(
      expect.objectContaining({ details: { param: 'image' } }),
    );
  });

  it('refuses a class it does not make, and a mask', () => {
    expect(() => asked({ size: '4k' })).toThrow(/makes no 4k; possible are 1K, 2K or <width>\*<height>/);
    const mask = { url: `data:image/png;base64,${PIXEL}`, param: 'mask' };
    expect(() => asked({ mask })).toThrow(expect.objectContaining({ details: { param: 'mask' } }));
  });
});

const link = (name: string): JsonObject => ({ image: `https://x.example/${name}.png?sig=1` });
const choices = (...contents: JsonObject[][]): JsonObject => ({
  output: { choices: contents.map((content) => ({ finish_reason: 'stop', message: { role: 'assistant', content } })) },
  usage: { image_count: contents.flat().length, width: 1024, height: 768 },
  request_id: 'r-1',
});

describe('the answer', () => {
  it('is the picture, its size, the counts and the request’s id', () => {
    expect(fromDashScope(choices([link('a')]), whole)).toEqual({
      files: [
        { url: 'https://x.example/a.png?sig=1', mime: 'image/png', expiresAt: 1_790_086_400, width: 1024, height: 768 },
      ],
      usage: { images: 1 },
      requestId: 'r-1',
      vendorUsage: { image_count: 1, width: 1024, height: 768 },
    });
  });

  it.each([
    ['several choices', choices([link('a')], [link('b')])],
    ['several contents', choices([link('a'), { text: 'and' }, link('b')])],
  ])('collects pictures from %s', (_name, json) => {
    expect(fromDashScope(json, whole).files).toHaveLength(2);
  });

  it('reads a task’s results, failed ones in their places', () => {
    const json = {
      output: {
        task_status: 'SUCCEEDED',
        results: [
          { url: 'https://x.example/a.png', orig_prompt: 'p', actual_prompt: 'p, at dawn' },
          { code: 'DataInspectionFailed', message: 'no' },
        ],
      },
      usage: { image_count: 1 },
    };
    expect(fromDashScope(json, whole)).toMatchObject({
      files: [{ url: 'https://x.example/a.png' }, { fault: { code: 'content_refused' } }],
      revisedPrompt: 'p, at dawn',
      usage: { images: 1 },
    });
  });

  it.each([
    {
      name: 'a code in a 200',
      json: { code: 'DataInspectionFailed', message: 'no', request_id: 'r' },
      code: 'content_refused',
    },
    { name: 'a wrong key in a 200', json: { code: 'InvalidApiKey', message: 'no' }, code: 'upstream_rejected_key' },
    { name: 'a code nobody knows', json: { code: 'Odd', message: 'no' }, code: 'upstream_unavailable' },
    { name: 'words alone', json: choices([{ text: 'no' }]), code: 'upstream_malformed' },
    { name: 'nothing', json: { output: {} }, code: 'upstream_malformed' },
    { name: 'no JSON', json: undefined, code: 'upstream_malformed' },
  ])('$name is $code', ({ json, code }) => {
    expect(() => fromDashScope(json, whole)).toThrow(expect.objectContaining({ code }));
  });

  it('an empty code is none', () => {
    expect(fromDashScope({ ...choices([link('a')]), code: '', message: '' }, whole).files).toHaveLength(1);
  });
});

describe('over the wire', () => {
  let vendor: ScriptedVendor | undefined;
  afterEach(() => vendor?.close());
  /** Time passes only where the adapter waits. */
  const open = async (
    model: string,
    answer: (request: ScriptedRequest, index: number) => ScriptedReply,
    quirks: JsonObject = {},
  ) => {
    let index = 0;
    vendor = await startScriptedVendor((request) => answer(request, index++));
    let now = 1_790_000_000_000;
    const pauses: number[] = [];
    const upstream: Upstream = {
      ...vendor.upstream(dashscope, { basePath: '/api/v1', model }),
      quirks,
      now: () => now,
      pause: (ms) => {
        pauses.push(ms);
        now += ms;
        return Promise.resolve();
      },
    };
    return { upstream, pauses };
  };
  const task = (task_status: string, more: JsonObject = {}): ScriptedReply => ({
    json: { output: { task_id: 't 1', task_status, ...more }, request_id: 'r-1' },
  });
  const done = task('SUCCEEDED', { results: [{ url: 'https://x.example/a.png' }] });
  const generate = (upstream: Upstream) => images.generate(imageCreate({ shape: 'messages' }), upstream);

  it.each([
    ['qwen-image-2.0', {}, '/api/v1/services/aigc/multimodal-generation/generation'],
    ['qwen-image-edit-plus', {}, '/api/v1/services/aigc/multimodal-generation/generation'],
    ['z-image-turbo', {}, '/api/v1/services/aigc/multimodal-generation/generation'],
    ['wan2.6-t2i', { wire: 'sync' }, '/api/v1/services/aigc/multimodal-generation/generation'],
  ])('%s answers at once', async (model, quirks, path) => {
    const { upstream } = await open(model, () => ({ json: choices([link('a')]) }), quirks);
    await generate(upstream);
    expect(vendor?.requests.map((request) => request.path)).toEqual([path]);
    expect(vendor?.requests[0]?.headers).not.toHaveProperty('x-dashscope-async');
  });

  it.each([
    ['qwen-image-plus', '/api/v1/services/aigc/text2image/image-synthesis'],
    ['qwen-image', '/api/v1/services/aigc/text2image/image-synthesis'],
    ['wanx2.1-t2i-turbo', '/api/v1/services/aigc/text2image/image-synthesis'],
    ['wan2.5-t2i-preview', '/api/v1/services/aigc/text2image/image-synthesis'],
    ['wan2.6-t2i', '/api/v1/services/aigc/image-generation/generation'],
  ])('%s makes a task, which is waited for', async (model, path) => {
    const { upstream, pauses } = await open(
      model,
      (_request, index) => [task('PENDING'), task('RUNNING'), done][index] ?? done,
    );
    const reply = await generate(upstream);
    expect(reply).toMatchObject({ files: [{ url: 'https://x.example/a.png' }], requestId: 'r-1' });
    expect(vendor?.requests.map((request) => `${request.method} ${request.path}`)).toEqual([
      `POST ${path}`,
      'GET /api/v1/tasks/t%201',
      'GET /api/v1/tasks/t%201',
    ]);
    expect(vendor?.requests[0]?.headers['x-dashscope-async']).toBe('enable');
    expect(pauses).toEqual([500, 750]);
  });

  it('bears what goes wrong with a poll: the picture is paid for', async () => {
    const replies: ScriptedReply[] = [
      task('PENDING'),
      { status: 500, json: { code: 'InternalError', message: 'x' } },
      { status: 429, headers: { 'retry-after': '9' }, json: { code: 'Throttling', message: 'x' } },
      'hang-up',
      task('WORD_OF_TOMORROW'),
      done,
    ];
    const { upstream, pauses } = await open('wan2.6-t2i', (_request, index) => replies[index] ?? done);
    expect((await generate(upstream)).files).toHaveLength(1);
    expect(pauses).toEqual([500, 750, 9000, 5000, 5000]);
  });

  it.each<{ name: string; replies: ScriptedReply[]; code: string }>([
    {
      name: 'a task that fails on content',
      replies: [task('PENDING'), task('FAILED', { code: 'DataInspectionFailed', message: 'no' })],
      code: 'content_refused',
    },
    {
      name: 'a task that fails on a parameter',
      replies: [task('PENDING'), task('FAILED', { code: 'InvalidParameter', message: 'no' })],
      code: 'invalid_request',
    },
    {
      name: 'a task cancelled behind our back',
      replies: [task('PENDING'), task('CANCELED')],
      code: 'upstream_unavailable',
    },
    { name: 'a task lost', replies: [task('PENDING'), task('UNKNOWN')], code: 'upstream_unavailable' },
    {
      name: 'a poll that is refused for good',
      replies: [task('PENDING'), { status: 400, json: { code: 'InvalidParameter', message: 'x' } }],
      code: 'invalid_request',
    },
    {
      name: 'a create without a task',
      replies: [{ json: { output: {}, request_id: 'r' } }],
      code: 'upstream_malformed',
    },
    {
      name: 'a create refused',
      replies: [{ status: 400, json: { code: 'DataInspectionFailed', message: 'x' } }],
      code: 'content_refused',
    },
    { name: 'a task that never ends', replies: [task('PENDING'), task('RUNNING')], code: 'upstream_timeout' },
  ])('$name is $code', async ({ name, replies, code }) => {
    const { upstream } = await open(
      'wan2.6-t2i',
      (_request, index) => replies[Math.min(index, replies.length - 1)] ?? done,
    );
    const error: unknown = await generate(upstream).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    // Only a refusal of the request itself lets another vendor try.
    const begun = !name.startsWith('a create');
    if (begun) expect((error as GatewayError).details.taken).not.toBe('no');
  });

  it('an unknown id now and then is no lost task', async () => {
    const replies = [
      task('PENDING'),
      task('UNKNOWN'),
      task('UNKNOWN'),
      task('RUNNING'),
      task('UNKNOWN'),
      task('UNKNOWN'),
      done,
    ];
    const { upstream } = await open('wan2.6-t2i', (_request, index) => replies[index] ?? done);
    expect((await generate(upstream)).files).toHaveLength(1);
  });

  it('chat in compatible mode lives beside the base URL', async () => {
    const { upstream } = await open('qwen3-max', () => ({ json: { choices: [] } }));
    const call = {
      purpose: 'generate',
      model: 'qwen3-max',
      stream: false,
      headers: {},
      settings: {},
      body: Buffer.from('{}'),
    } as const;
    await upstream.send(dashscope.chat!.request({ ...call, dialect: 'openai-chat' }));
    await upstream.send(dashscope.chat!.request({ ...call, dialect: 'openai-responses' }));
    expect(vendor?.requests.map(({ path }) => path)).toEqual([
      '/compatible-mode/v1/chat/completions',
      '/compatible-mode/v1/responses',
    ]);
    expect(vendor?.requests[0]?.headers['authorization']).toBe('Bearer vendor-key-0123456789');
  });
});
