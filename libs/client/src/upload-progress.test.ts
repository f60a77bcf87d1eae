/** How far an upload has gone is told for every operation that takes files, whether its answer comes whole or as events. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, PIXEL, type TestGateway } from '@model-gateway/testing';
import { createClient, type Client } from './index.ts';
import { wav } from './testing/sound.ts';

let gateway: TestGateway;
let client: Client;
beforeAll(async () => {
  gateway = await openTestGateway();
  client = createClient({ baseUrl: gateway.url, apiKey: gateway.testKey, maxRetries: 0 });
});
afterAll(() => gateway.close());

const image = { data: Buffer.from(PIXEL, 'base64'), name: 'cat.png' };
const file = { data: wav(2), name: 'talk.wav' };
type Told = (sent: number, total: number) => void;
it.each<readonly [name: string, size: number, upload: (onUpload: Told) => Promise<unknown>]>([
  [
    'images.edit',
    image.data.length,
    async (onUpload) => client.images.edit({ model: 'gpt-image-2', image, prompt: 'A red hat' }, { onUpload }),
  ],
  [
    'images.editStream',
    image.data.length,
    async (onUpload) =>
      client.images.editStream({ model: 'gpt-image-2', image, prompt: 'A red hat' }, { onUpload }).final(),
  ],
  [
    'transcriptions.create',
    file.data.length,
    async (onUpload) => client.transcriptions.create({ model: 'whisper-1', file }, { onUpload }),
  ],
  [
    'transcriptions.stream',
    file.data.length,
    async (onUpload) => client.transcriptions.stream({ model: 'gpt-4o-mini-transcribe', file }, { onUpload }).final(),
  ],
  [
    'transcriptions.translate',
    file.data.length,
    async (onUpload) => client.transcriptions.translate({ model: 'whisper-1', file }, { onUpload }),
  ],
])('%s', async (_name, size, upload) => {
  const told: (readonly [sent: number, total: number])[] = [];
  await upload((sent, total) => told.push([sent, total]));
  const total = told[0]?.[1] ?? 0;
  expect(total).toBeGreaterThan(size);
  expect([told[0], told.at(-1)]).toEqual([
    [0, total],
    [total, total],
  ]);
  const sent = told.map(([each]) => each);
  expect(sent).toEqual(sent.toSorted((one, other) => one - other));
});
