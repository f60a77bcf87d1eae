import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, asker, eventsOf, type Heard } from '../test-kit.ts';

let twin: VendorTwin;
const call = asker(() => twin, 'ark');
const FIVE = 'doubao-seedream-5-0-260128';

beforeAll(async () => {
  twin = await startVendorTwin();
});
afterAll(async () => twin.close());

const generate = async (body: object): Promise<Heard> =>
  call('/images/generations', { body: { model: FIVE, prompt: 'a boat', ...body } });

describe('seedream', () => {
  it('draws one picture of the asked pixels', async () => {
    const { json } = await generate({ size: '1280x720', output_format: 'png', watermark: false });
    expect(json).toMatchObject({
      model: FIVE,
      data: [{ size: '1280x720', output_format: 'png' }],
      usage: { generated_images: 1, output_tokens: 3600, total_tokens: 3600 },
    });
    const file = await ask(json.data[0].url as string);
    expect(imageSize(file.bytes)).toMatchObject({ width: 1280, height: 720, type: 'png' });
    expect(twin.ledger.answers('ark').at(-1)).toMatchObject({
      kind: 'image',
      billed: { images: 1, outputTokens: 3600 },
    });
  });

  it('lets a class choose the shape, and gives bytes when asked', async () => {
    const { json } = await generate({ size: '1K', response_format: 'b64_json' });
    const { width, height, type } = imageSize(Buffer.from(json.data[0].b64_json as string, 'base64'));
    expect(`${width}x${height}`).toBe(json.data[0].size);
    expect(type).toBe('jpg');
  });

  it('draws a group, in which one may fail', async () => {
    const { json } = await generate({
      prompt: 'four seasons [[twin:partial]]',
      size: '1K',
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 3 },
    });
    expect(json.data).toHaveLength(3);
    expect(new Set(json.data.map((item: { url?: string }) => item.url)).size).toBe(3);
    expect(json.data[2].error.code).toBe('OutputImageSensitiveContentDetected');
    expect(json.usage.generated_images).toBe(2);
  });

  it('streams a group picture by picture', async () => {
    const reply = await generate({
      prompt: 'seasons [[twin:images=2]] [[twin:partial]]',
      size: '1K',
      stream: true,
      sequential_image_generation: 'auto',
    });
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    expect(eventsOf(reply.text).map((event) => event.name)).toEqual([
      'image_generation.partial_succeeded',
      'image_generation.partial_failed',
      'image_generation.completed',
      '',
    ]);
    expect(reply.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it.each<[string, object, string]>([
    ['a class in small letters', { size: '2k' }, 'size'],
    ['too few pixels', { size: '640x480' }, 'size'],
    ['an asterisk', { size: '1280*720' }, 'size'],
    ['a count', { n: 2 }, 'n'],
    ['a mask', { mask: 'https://a.b/c.png' }, 'mask'],
    ['a format of an older model', { model: 'doubao-seedream-4-0-250828', output_format: 'png' }, 'output_format'],
    ['a stream of the pro model', { model: 'dola-seedream-5-0-pro-260628', stream: true }, 'stream'],
    ['fifteen references', { image: Array.from({ length: 15 }, () => 'https://a.b/c.png') }, 'image'],
    [
      'sixteen pictures',
      { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 16 } },
      'sequential_image_generation_options.max_images',
    ],
  ])('refuses %s, as JSON even for a stream', async (_, body, param) => {
    expect(await generate({ stream: true, ...body })).toMatchObject({ status: 400, json: { error: { param } } });
  });

  it('chats in OpenAI’s dialect and refuses in its own words', async () => {
    const chat = await call('/chat/completions', {
      body: { model: 'doubao-seed-1-8', messages: [{ role: 'user', content: 'hi' }], thinking: { type: 'disabled' } },
    });
    expect(chat.json.choices[0].message.content).toBe('You said: hi');
    const refused = await call('/chat/completions', { body: { model: 'doubao-seed-1-8' } });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { code: 'MissingParameter', param: 'messages', type: 'BadRequest' } },
    });
  });
});
