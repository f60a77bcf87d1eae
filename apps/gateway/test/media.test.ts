/** Pictures, edits and speech through the running gateway, with the SDKs people have; what comes back is decoded. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, readWav, type TestGateway } from '@model-gateway/testing';
import { experimental_generateSpeech as generateSpeech, generateImage, generateText } from 'ai';
import { imageSize } from 'image-size';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';

let gateway: TestGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await openTestGateway({ twinOptions: { media: 'real' } });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const pixels = (width: number, height: number, alpha = 1) =>
  sharp({ create: { width, height, channels: 4, background: { r: 220, g: 90, b: 60, alpha } } });
const pngFile = async (width = 512, height = 512, alpha = 1, name = 'picture.png') =>
  toFile(await pixels(width, height, alpha).png().toBuffer(), name, { type: 'image/png' });

async function post(path: string, body: JsonObject): Promise<{ status: number; json: JsonObject; headers: Headers }> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject, headers: reply.headers };
}

async function download(url: string): Promise<Buffer> {
  const reply = await fetch(url);
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

describe('image generation', () => {
  it('image model 1: data[] with url and size, usage and error as docs/service.md shows', async () => {
    const { json } = await post('/v1/images/generations', {
      model: 'doubao-seedream-4-5',
      prompt: 'A red boat',
      size: '2k',
      response_format: 'url',
      watermark: false,
    });
    expect(json).toMatchObject({
      model: 'doubao-seedream-4-5',
      created: expect.any(Number),
      data: [{ url: expect.any(String), size: expect.stringMatching(/^\d+x\d+$/) }],
      usage: {
        generated_images: 1,
        output_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
        tool_usage: null,
      },
      error: null,
    });
    const [item] = json['data'] as { url: string; size: string }[];
    const { width, height } = imageSize(await download(item?.url ?? ''));
    expect(`${width}x${height}`).toBe(item?.size);
  });

  it('image model 1 as base64: the gateway fetches what the vendor gave as a link', async () => {
    const reply = await openai.images.generate({
      model: 'doubao-seedream-4-5',
      prompt: 'A red boat',
      size: '2k',
      response_format: 'b64_json',
    });
    const bytes = Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    expect(imageSize(bytes).width).toBeGreaterThan(1000);
  });

  it('image model 2: output[] with the address in text, and request_id', async () => {
    const { json } = await post('/v1/images/generations', {
      model: 'qwen-image-2.0',
      input: { messages: [{ role: 'user', content: [{ text: 'A harbour in snow' }] }] },
      parameters: { prompt_extend: true, negative_prompt: 'text', size: '1024*768', watermark: false, seed: 7 },
    });
    expect(json).toMatchObject({
      output: [{ type: 'message', content: [{ type: 'image', text: expect.stringMatching(/^http/) }] }],
      usage: {
        total_tokens: expect.any(Number),
        input_tokens_details: { cached_tokens: expect.any(Number) },
        output_tokens_details: { reasoning_tokens: expect.any(Number) },
      },
      request_id: expect.any(String),
    });
    const url = (json['output'] as { content: { text: string }[] }[])[0]?.content[0]?.text ?? '';
    expect(imageSize(await download(url))).toMatchObject({ width: 1024, height: 768 });
  });

  it('image model 3 as url: bytes are kept and served under an address that expires', async () => {
    const reply = await openai.images.generate({
      model: 'gpt-image-2',
      prompt: 'A kite',
      size: '1024x1024',
      response_format: 'url',
    });
    const url = reply.data?.[0]?.url ?? '';
    expect(url).toMatch(/\/files\/file_.*expires=\d+&signature=/);
    expect(imageSize(await download(url))).toMatchObject({ width: 1024, height: 1024 });
    expect((await fetch(url.replace(/signature=.{4}/, 'signature=0000'))).status).toBe(401);
  });

  it('image model 4: generateContent with an image in and out', async () => {
    const google = new GoogleGenAI({ apiKey: gateway.testKey, httpOptions: { baseUrl: gateway.url } });
    const source = (await pixels(64, 64).png().toBuffer()).toString('base64');
    const reply = await google.models.generateContent({
      model: 'gemini-3-pro-image',
      contents: [
        { role: 'user', parts: [{ text: 'Make it blue' }, { inlineData: { mimeType: 'image/png', data: source } }] },
      ],
      config: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '1K' } },
    });
    const picture = reply.candidates?.[0]?.content?.parts?.find(
      ({ inlineData, thought }) => inlineData !== undefined && thought !== true,
    )?.inlineData;
    const { width, height } = imageSize(Buffer.from(picture?.data ?? '', 'base64'));
    expect(width / height).toBeCloseTo(16 / 9, 1);
  });

  it('streams partial pictures where the vendor has them', async () => {
    const stream = await openai.images.generate({
      model: 'gpt-image-2',
      prompt: 'A kite',
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(-1)).toBe('image_generation.completed');
    expect(types.filter((type) => type === 'image_generation.partial_image').length).toBeGreaterThan(0);
  });

  it('the Vercel AI SDK draws', async () => {
    const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey });
    const { image } = await generateImage({
      model: provider.image('gpt-image-2'),
      prompt: 'A kite',
      size: '1024x1024',
    });
    expect(imageSize(image.uint8Array)).toMatchObject({ width: 1024, height: 1024 });
    const google = createGoogleGenerativeAI({ baseURL: `${gateway.url}/v1beta`, apiKey: gateway.testKey });
    const { files } = await generateText({
      model: google('gemini-3-pro-image'),
      prompt: 'A kite',
      providerOptions: { google: { responseModalities: ['TEXT', 'IMAGE'] } },
    });
    expect(files.some(({ mediaType }) => mediaType.startsWith('image/'))).toBe(true);
  });

  it.each([
    { name: 'no prompt', body: { model: 'doubao-seedream-4-5' }, param: 'prompt' },
    {
      name: 'a size the model does not make',
      body: { model: 'doubao-seedream-4-5', prompt: 'x', size: '1k' },
      param: 'size',
    },
    { name: 'too few pixels', body: { model: 'doubao-seedream-4-5', prompt: 'x', size: '512x512' }, param: 'size' },
    { name: 'a size that is none', body: { model: 'gpt-image-2', prompt: 'x', size: 'large' }, param: 'size' },
    { name: 'too many', body: { model: 'gpt-image-2', prompt: 'x', n: 11 }, param: 'n' },
    {
      name: 'a reference that is no address',
      body: { model: 'doubao-seedream-4-5', prompt: 'x', image: 'file:///etc/passwd' },
      param: 'image',
    },
    { name: 'a chat model', body: { model: 'gpt-5.2', prompt: 'x' }, param: 'model' },
  ])('$name → 400 naming $param', async ({ body, param }) => {
    const { status, json } = await post('/v1/images/generations', body);
    expect(status).toBe(400);
    expect(json['error']).toMatchObject({ param });
  });

  it.each([
    { marker: 400, status: 400 },
    { marker: 500, status: 503 },
    { marker: 429, status: 503 },
  ])('the vendor says $marker → $status, nothing charged', async ({ marker, status }) => {
    const { status: seen, json } = await post('/v1/images/generations', {
      model: 'doubao-seedream-4-0',
      prompt: `[[twin:${marker}=1]] x`,
    });
    expect({ seen, json }).toMatchObject({ seen: status });
  });
});

describe('image edits', () => {
  it('with a mask, by the openai package', async () => {
    const reply = await openai.images.edit({
      model: 'gpt-image-2',
      image: await pngFile(),
      mask: await pngFile(512, 512, 0),
      prompt: 'A red hat',
      n: 1,
      size: '1024x1024',
      response_format: 'b64_json',
    });
    expect(imageSize(Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64'))).toMatchObject({
      width: 1024,
      height: 1024,
    });
    expect(reply.usage).toMatchObject({
      input_tokens_details: { image_tokens: expect.any(Number), text_tokens: expect.any(Number) },
    });
  });

  it('several pictures as image[]', async () => {
    const reply = await openai.images.edit({
      model: 'gpt-image-2',
      image: [await pngFile(), await pngFile(300, 300)],
      prompt: 'Side by side',
      response_format: 'url',
    });
    expect(reply.data?.[0]?.url).toMatch(/^http/);
  });

  it.each(['doubao-seedream-4-5', 'qwen-image-edit-plus'])('through %s, which edits by another wire', async (model) => {
    const reply = await openai.images.edit({ model, image: await pngFile(1024, 1024), prompt: 'A red hat' });
    expect(imageSize(await download(reply.data?.[0]?.url ?? '')).width).toBeGreaterThan(100);
  });

  const edit = async (
    fields: Record<string, string | Awaited<ReturnType<typeof toFile>>>,
  ): Promise<{ status: number; error: { param?: string; message: string } }> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const reply = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}` },
      body: form,
    });
    return {
      status: reply.status,
      error: ((await reply.json()) as { error: { param?: string; message: string } }).error,
    };
  };

  it('as JSON: pictures by address are drawn on, and files that the account keeps are another owner’s', async () => {
    const base = { model: 'gpt-image-2', prompt: 'A hat', response_format: 'b64_json', n: null };
    const bytes = Buffer.from(await (await pngFile()).arrayBuffer());
    const image_url = `data:image/png;base64,${bytes.toString('base64')}`;
    const drawn = await post('/v1/images/edits', { ...base, images: [{ image_url }] });
    expect([drawn.status, drawn.json['data']]).toEqual([
      200,
      [expect.objectContaining({ b64_json: expect.any(String) })],
    ]);
    const before = gateway.twin.requests.list().length;
    for (const images of [[{ file_id: 'file-x' }], [{ image_url }, { file_id: 'file-x' }]]) {
      const { status, json } = await post('/v1/images/edits', { ...base, images });
      expect([status, JSON.stringify(json)]).toEqual([404, expect.stringContaining('file_id')]);
    }
    const other = { ...base, model: 'qwen-image-2.0', images: [{ file_id: 'file-x' }] };
    expect((await post('/v1/images/edits', other)).status).toBeGreaterThanOrEqual(400);
    expect(gateway.twin.requests.list()).toHaveLength(before);
  });

  it('bad forms are 400s that say what and what is allowed, and leave nothing behind', async () => {
    const picture = await pngFile();
    const base = { model: 'gpt-image-2', prompt: 'A hat' };
    const text = await toFile(Buffer.from('not a picture'), 'fake.png', { type: 'image/png' });
    expect(await edit({ ...base, image: text })).toMatchObject({ status: 400, error: { param: 'image' } });
    expect(await edit({ ...base })).toMatchObject({ status: 400, error: { param: 'image' } });
    expect(await edit({ ...base, image: 'sent as text' })).toMatchObject({ status: 400, error: { param: 'image' } });
    expect(await edit({ ...base, prompt: '', image: picture })).toMatchObject({
      status: 400,
      error: { param: 'prompt' },
    });
    expect(await edit({ ...base, image: picture, mask: await pngFile(256, 256, 0, 'mask.png') })).toMatchObject({
      status: 400,
      error: { param: 'mask' },
    });
    expect(await edit({ ...base, image: picture, n: 'many' })).toMatchObject({ status: 400, error: { param: 'n' } });
    expect(
      await edit({ ...base, model: 'qwen-image-edit-plus', image: picture, mask: await pngFile(512, 512, 0) }),
    ).toMatchObject({ status: 400, error: { param: 'mask' } });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`model-gateway-form-${process.pid}-`))).toEqual([]);
  });

  it('a truncated form is a 400', async () => {
    const reply = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\ngpt-image-2\r\n--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\nabc',
    });
    expect(reply.status).toBe(400);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`model-gateway-form-${process.pid}-`))).toEqual([]);
  });
});

describe('speech', () => {
  const speak = (extra: JsonObject = {}, audio: JsonObject = { format: 'wav', voice: 'Mia' }): JsonObject => ({
    model: 'mimo-v2.5-tts',
    messages: [
      { role: 'user', content: 'Calm, like a lullaby' },
      { role: 'assistant', content: 'Good night, little boat.' },
    ],
    audio,
    ...extra,
  });

  it('through chat-completions: WAV in message.audio, as docs/service.md shows', async () => {
    const { status, json } = await post('/v1/chat/completions', speak());
    expect(status).toBe(200);
    const [choice] = json['choices'] as {
      message: { role: string; audio: { id: string; data: string; expires_at: null; transcript: null } };
      finish_reason: string;
    }[];
    expect(choice).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', audio: { id: expect.any(String), expires_at: null, transcript: null } },
    });
    const wav = readWav(Buffer.from(choice?.message.audio.data ?? '', 'base64'));
    expect(wav).toMatchObject({ sampleRate: 24_000, channels: 1 });
  });

  it('the singing tag and the text arrive byte for byte', async () => {
    const text = '（唱歌）Twinkle  twinkle [轻笑]\tlittle star\n';
    await post('/v1/chat/completions', { ...speak(), messages: [{ role: 'assistant', content: text }] });
    const request = gateway.twin.requests.last('mimo');
    expect(String(request?.body)).toContain(JSON.stringify(text));
  });

  it('streams PCM16 deltas', async () => {
    const body = { ...speak({}, { format: 'pcm16', voice: 'Mia' }), stream: true as const };
    const stream = await openai.chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsStreaming);
    let bytes = 0;
    let finish: string | null = null;
    for await (const chunk of stream) {
      const delta: { audio?: { data?: string } } | undefined = chunk.choices[0]?.delta;
      const piece = Buffer.from(delta?.audio?.data ?? '', 'base64');
      expect(piece.length % 2).toBe(0);
      bytes += piece.length;
      finish = chunk.choices[0]?.finish_reason ?? finish;
    }
    expect(bytes).toBeGreaterThan(24_000);
    expect(finish).toBe('stop');
  });

  it.each([
    { name: 'an unknown voice', body: speak({}, { format: 'wav', voice: 'Nobody' }), message: /Chloe/ },
    {
      name: 'no assistant message',
      body: { ...speak(), messages: [{ role: 'user', content: 'hello' }] },
      message: /assistant/,
    },
    { name: 'a stream of wav', body: speak({ stream: true }), message: /pcm16/ },
    { name: 'an unknown format', body: speak({}, { format: 'midi', voice: 'Mia' }), message: /wav/ },
  ])('$name → 400', async ({ body, message }) => {
    const { status, json } = await post('/v1/chat/completions', body);
    expect(status).toBe(400);
    expect((json['error'] as { message: string }).message).toMatch(message);
  });

  it.each([
    { model: 'mimo-v2.5-tts', voice: 'Mia' },
    { model: 'gpt-4o-mini-tts', voice: 'coral' },
  ])('audio.speech with $model is a WAV that decodes', async ({ model, voice }) => {
    const reply = await openai.audio.speech.create({ model, voice, input: 'Good night', response_format: 'wav' });
    expect(reply.headers.get('content-type')).toMatch(/audio\/(x-)?wav/);
    expect(readWav(Buffer.from(await reply.arrayBuffer()))).toMatchObject({ channels: 1 });
  });

  it('the Vercel AI SDK speaks', async () => {
    const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.testKey });
    const { audio } = await generateSpeech({
      model: provider.speech('gpt-4o-mini-tts'),
      text: 'Good night',
      voice: 'coral',
      outputFormat: 'wav',
    });
    expect(readWav(Buffer.from(audio.uint8Array))).toMatchObject({ channels: 1 });
  });
});
