/** Kill -9 in the middle of streams of pictures and of sound: what had come is charged, and not all that might have. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { killStream } from './killed-stream.ts';

const UNITS = 500_000;
let twin: VendorTwin;
beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 60 });
});
afterAll(() => twin.close());

/** Events of a stream that have begun. */
const pictures = (text: string): number => text.match(/^event: /gm)?.length ?? 0;

it('a group of pictures: those that came, and the one that was being drawn', async () => {
  const each = 0.1 * UNITS;
  const { charged, heard } = await killStream(
    {
      path: '/v1/images/generations',
      body: {
        model: 'group',
        stream: true,
        prompt: '[[twin:images=15]] fifteen paper boats',
        sequential_image_generation: 'auto',
        sequential_image_generation_options: { max_images: 15 },
      },
    },
    {
      twin,
      vendor: 'ark',
      models: [
        '{ code: group, kind: image, body: prompt, offers: [{ account: vendor, model: doubao-seedream-4-5-251128 }], price: { image: 0.1 } }',
      ],
      isEnough: (text) => pictures(text) >= 3,
    },
  );
  const came = pictures(heard);
  expect(charged).toBeGreaterThanOrEqual(came * each);
  // Some more came while the ledger was told.
  expect(charged).toBeLessThan((came + 7) * each);
});

it('several pictures of which a draft came: all of them, for they are drawn at once', async () => {
  const { charged, billed } = await killStream(
    {
      path: '/v1/images/generations',
      body: { model: 'drafts', prompt: 'a paper boat', n: 4, stream: true, partial_images: 3 },
    },
    {
      twin,
      vendor: 'openai',
      models: [
        '{ code: drafts, kind: image, body: messages, offers: [{ account: vendor, model: gpt-image-1 }], limits: { max_output_tokens: 8000 }, price: { input: 5, output: 40 } }',
      ],
      isEnough: (text) => pictures(text) >= 1,
    },
  );
  expect(billed.outputTokens).toBeGreaterThan(0);
  expect(charged).toBeGreaterThanOrEqual(((billed.outputTokens ?? 0) * 40 * UNITS) / 1e6);
});

it.each(['sse', 'audio'])('sound as %s: what had come, and not what a long text might have become', async (format) => {
  const input = 'word '.repeat(400);
  const { charged, heard } = await killStream(
    { path: '/v1/audio/speech', body: { model: 'voice', input, voice: 'alloy', stream_format: format } },
    {
      twin,
      vendor: 'openai',
      models: [
        '{ code: voice, kind: speech, offers: [{ account: vendor, model: gpt-4o-mini-tts }], price: { input: 1, output: 12 } }',
      ],
      isEnough: (text) => text.length > 200_000,
    },
  );
  const reserved = ((input.length + input.length * 6 * 12) * UNITS) / 1e6;
  const seconds = (heard.length * (format === 'sse' ? 0.75 : 1)) / 8_000;
  const delivered = (seconds * 25 * 12 * UNITS) / 1e6;
  expect(charged).toBeGreaterThanOrEqual(delivered * 0.95);
  expect(charged).toBeLessThan(delivered + reserved * 0.3);
});
