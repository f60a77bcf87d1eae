/** The printed forms of pictures, plain and streamed. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ImageCall, ImageEvent, MadeImages } from '@model-gateway/core';
import { imageReplyOf } from './reply.ts';
import { imageStreamOf } from './routes.ts';

const NOW = 1_790_000_000_999;
const CREATED = 1_790_000_000;
const fault = { code: 'content_refused', message: 'no', vendorCode: 'Sensitive' } as const;
const bytes = Buffer.from('xxpngyy').subarray(2, 5);

function callWith(shape: 'prompt' | 'messages' | 'edit', row: Partial<ImageCall['row']>): ImageCall {
  return {
    caller: { requestId: 'req-1' },
    row: { code: 'painter', kind: 'image', ...row },
    input: { shape, prompt: 'x', images: [], extra: {} },
    endpoint: '',
  } as unknown as ImageCall;
}
const reply: MadeImages['reply'] = { usage: { inputTokens: 10, outputTokens: 90, inputImageTokens: 4 }, dropped: [] };

describe('a plain answer', () => {
  it('of the prompt body has data, pictures that failed among it', () => {
    const made = { pictures: [{ url: 'https://v.example/1.png', size: '8x8' }, { fault }], reply };
    expect(imageReplyOf(callWith('prompt', {}), made, NOW)).toEqual({
      model: 'painter',
      created: CREATED,
      data: [{ url: 'https://v.example/1.png', size: '8x8' }, { error: { code: 'Sensitive', message: 'no' } }],
      usage: {
        ...{ generated_images: 1, output_tokens: 90, total_tokens: 100, tool_usage: null },
        ...{ input_tokens: 10, input_tokens_details: { text_tokens: 6, image_tokens: 4 } },
      },
      error: null,
    });
    expect(imageReplyOf(callWith('prompt', {}), { pictures: [{ fault }], reply }, NOW)).toMatchObject({
      usage: { generated_images: 0 },
      error: { code: 'Sensitive' },
    });
  });

  it('of an edit has base64 of just the picture’s bytes, and OpenAI’s usage', () => {
    const made = {
      pictures: [{ bytes }],
      reply: { ...reply, created: 7, revisedPrompt: 'y', echo: { quality: 'low' } },
    };
    expect(imageReplyOf(callWith('edit', { kind: 'image-edit' }), made, NOW)).toEqual({
      created: 7,
      data: [{ b64_json: Buffer.from('png').toString('base64'), revised_prompt: 'y' }],
      quality: 'low',
      usage: {
        total_tokens: 100,
        input_tokens: 10,
        output_tokens: 90,
        input_tokens_details: { text_tokens: 6, image_tokens: 4 },
      },
    });
  });

  it('of the messages body has output, and bytes as a data: address', () => {
    const made = { pictures: [{ url: 'https://v.example/1.png' }, { bytes }], reply };
    const answer = imageReplyOf(callWith('messages', {}), made, NOW);
    expect(answer).toMatchObject({ request_id: 'req-1', usage: { total_tokens: 100 } });
    expect(answer['output']).toEqual(
      ['https://v.example/1.png', `data:image/png;base64,${Buffer.from('png').toString('base64')}`].map((text) => ({
        type: 'message',
        content: [{ type: 'image', text }],
      })),
    );
  });
});

describe('a stream', () => {
  const picture = { url: 'https://v.example/1.png' };
  const completed: ImageEvent = { type: 'completed', usage: reply.usage };
  const textsOf = async (call: ImageCall, ...events: readonly ImageEvent[]): Promise<string[]> => {
    const texts: string[] = [];
    const source = (async function* () {
      yield* events;
    })();
    for await (const text of imageStreamOf(call, source, CREATED)) texts.push(text);
    return texts;
  };
  const eventsOf = (texts: readonly string[]) =>
    texts.map((text) => {
      const [, event, data = ''] = /^event: (.+)\ndata: (.+)\n\n$/.exec(text) ?? [];
      const json = JSON.parse(data) as { type: string };
      expect(json.type).toBe(event);
      return json;
    });

  it('of Seedream names each picture, and ends with [DONE]', async () => {
    const texts = await textsOf(
      callWith('prompt', { imageShape: 'prompt' }),
      { type: 'image', index: 0, picture },
      { type: 'failed', index: 1, fault },
      completed,
    );
    const place = { model: 'painter', created: CREATED };
    expect(texts.pop()).toBe('data: [DONE]\n\n');
    expect(eventsOf(texts)).toMatchObject([
      { type: 'image_generation.partial_succeeded', ...place, image_index: 0, url: picture.url },
      { type: 'image_generation.partial_failed', ...place, image_index: 1, error: { code: 'Sensitive' } },
      { type: 'image_generation.completed', ...place, usage: { total_tokens: 100 } },
    ]);
  });

  it('of the others has the picture in its last event', async () => {
    const texts = await textsOf(
      callWith('edit', {}),
      { type: 'partial', index: 0, picture: { bytes }, echo: { quality: 'low' } },
      { type: 'image', index: 0, picture },
      completed,
    );
    expect(eventsOf(texts)).toMatchObject([
      {
        type: 'image_edit.partial_image',
        b64_json: 'cG5n',
        partial_image_index: 0,
        created_at: CREATED,
        quality: 'low',
      },
      { type: 'image_edit.completed', url: picture.url, created_at: CREATED, usage: { input_tokens: 10 } },
    ]);
  });

  it('that broke off says so', async () => {
    const error = new GatewayError('upstream_unavailable', 'cut');
    expect(eventsOf(await textsOf(callWith('edit', {}), { type: 'error', error }))).toEqual([
      { type: 'error', error: { code: 'upstream_unavailable', message: 'cut' } },
    ]);
  });
});
