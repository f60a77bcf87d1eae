import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import OpenAI, { APIError, toFile } from 'openai';
import sharp from 'sharp';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { asker } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
let client: OpenAI;
const call = asker(() => twin, 'openai');

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
  client = new OpenAI({ apiKey: TWIN_CREDENTIALS.openai['api_key']!, baseURL: twin.baseUrl('openai'), maxRetries: 0 });
});
afterAll(async () => twin.close());

const picture = async (width: number, height: number): Promise<File> => {
  const bytes = await sharp({ create: { width, height, channels: 4, background: '#3366ccff' } })
    .png()
    .toBuffer();
  return toFile(bytes, 'picture.png', { type: 'image/png' });
};
const refusal = async (attempt: Promise<unknown>): Promise<APIError> => {
  const error: unknown = await attempt.catch((caught: unknown) => caught);
  if (!(error instanceof APIError)) throw new Error('not refused');
  return error;
};

describe('images', () => {
  it('are bytes of the asked size and kind, each a picture of its own', async () => {
    const reply = await client.images.generate({
      model: 'gpt-image-2',
      prompt: 'a fox',
      n: 2,
      size: '768x512',
      output_format: 'webp',
      quality: 'low',
    });
    const files = reply.data!.map((item) => Buffer.from(item.b64_json!, 'base64'));
    expect(files.map((file) => imageSize(file))).toMatchObject([
      { width: 768, height: 512, type: 'webp' },
      { width: 768, height: 512, type: 'webp' },
    ]);
    expect(files[0]!.equals(files[1]!)).toBe(false);
    expect(reply).toMatchObject({ output_format: 'webp', quality: 'low', size: '768x512' });
    expect(reply.usage!.total_tokens).toBe(reply.usage!.input_tokens + reply.usage!.output_tokens);
    expect(twin.ledger.answers('openai').at(-1)).toMatchObject({
      kind: 'image',
      billed: { images: 2, outputTokens: reply.usage!.output_tokens },
    });
  });

  it('come in drafts, then whole with the bill', async () => {
    const stream = await client.images.generate({
      model: 'gpt-image-2',
      prompt: 'a fox in snow',
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
  });

  it('are edited from files, with a mask of the same size', async () => {
    const image = await picture(64, 48);
    const edited = await client.images.edit({
      model: 'gpt-image-2',
      image: [image, await picture(10, 10)],
      mask: await picture(64, 48),
      prompt: 'add a hat',
      size: '1024x1024',
    });
    expect(imageSize(Buffer.from(edited.data![0]!.b64_json!, 'base64'))).toMatchObject({ width: 1024, height: 1024 });
    expect(edited.usage!.input_tokens_details.image_tokens).toBeGreaterThan(0);
    const error = await refusal(
      client.images.edit({ model: 'gpt-image-2', image, mask: await picture(64, 64), prompt: 'x' }),
    );
    expect([error.status, error.param]).toEqual([400, 'mask']);
    const text = await refusal(
      client.images.edit({
        model: 'gpt-image-2',
        image: await toFile(Buffer.from('words'), 'a.png', { type: 'image/png' }),
        prompt: 'x',
      }),
    );
    expect(text.code).toBe('unsupported_file_mimetype');
  });

  it('are edited from references, and torn forms are refused', async () => {
    const reply = await call('/images/edits', {
      body: { model: 'gpt-image-2', prompt: 'x', images: [{ image_url: 'https://a.b/c.png' }] },
    });
    expect(reply.status).toBe(200);
    const torn = await call('/images/edits', {
      body: '--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\nhalf',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(torn.status).toBe(400);
  });

  it.each<[string, object, string]>([
    ['response_format', { response_format: 'url' }, 'response_format'],
    ['eleven pictures', { n: 11 }, 'n'],
    ['an odd size', { size: '1000x1000' }, 'size'],
    ['a free size of the first model', { model: 'gpt-image-1-mini', size: '768x512' }, 'size'],
    ['a transparent jpeg', { background: 'transparent', output_format: 'jpeg' }, 'background'],
    ['drafts without a stream', { partial_images: 1 }, 'partial_images'],
  ])('refuse %s', async (_, body, param) => {
    const reply = await call('/images/generations', { body: { model: 'gpt-image-2', prompt: 'a', ...body } });
    expect(reply).toMatchObject({ status: 400, json: { error: { param } } });
  });

  it('refuse what offends', async () => {
    const error = await refusal(client.images.generate({ model: 'gpt-image-2', prompt: '[[twin:refuse]]' }));
    expect(error.code).toBe('moderation_blocked');
  });
});

describe('speech', () => {
  it.each([
    ['mp3', 'audio/mpeg', 'mp3', 24_000],
    ['wav', 'audio/wav', 'pcm-s16', 24_000],
    ['flac', 'audio/flac', 'flac', 24_000],
    ['aac', 'audio/aac', 'aac', 24_000],
    ['opus', 'audio/ogg', 'opus', 48_000],
  ] as const)('is %s that a library reads, of the right length', async (response_format, type, codec, rate) => {
    const reply = await client.audio.speech.create({
      model: 'gpt-4o-mini-tts',
      voice: 'nova',
      input: 'One, two, three. Here I come!',
      response_format,
    });
    expect(reply.headers.get('content-type')).toBe(type);
    using input = new Input({ source: new BufferSource(await reply.arrayBuffer()), formats: ALL_FORMATS });
    const track = (await input.getPrimaryAudioTrack())!;
    expect(await Promise.all([track.getCodec(), track.getSampleRate(), track.getNumberOfChannels()])).toEqual([
      codec,
      rate,
      1,
    ]);
    expect(await input.computeDuration()).toBeCloseTo(twin.ledger.answers('openai').at(-1)!.billed.seconds!, 0);
  });

  it('is raw samples that somebody can hear, at the asked speed', async () => {
    const length = async (speed: number): Promise<Buffer> => {
      const reply = await client.audio.speech.create({
        model: 'tts-1',
        voice: 'alloy',
        input: 'hello world',
        response_format: 'pcm',
        speed,
      });
      return Buffer.from(await reply.arrayBuffer());
    };
    const [slow, fast] = [await length(0.5), await length(2)];
    expect(slow.length / fast.length).toBeCloseTo(4, 1);
    const loudest = Math.max(
      ...Array.from({ length: slow.length / 2 }, (_, index) => Math.abs(slow.readInt16LE(index * 2))),
    );
    expect(loudest).toBeGreaterThan(3000);
  });

  it('comes as events', async () => {
    const reply = await call('/audio/speech', {
      body: { model: 'gpt-4o-mini-tts', voice: 'nova', input: 'hello', stream_format: 'sse', response_format: 'pcm' },
    });
    expect(reply.text).toContain('event: speech.audio.delta');
    expect(reply.text).toMatch(/event: speech\.audio\.done\ndata: .*"total_tokens"/);
  });

  it.each<[string, object, string]>([
    ['an unknown voice', { voice: 'darth' }, 'voice'],
    ['too many words', { input: 'x'.repeat(4097) }, 'input'],
    ['a breakneck speed', { speed: 5 }, 'speed'],
    ['instructions for an older model', { model: 'tts-1', instructions: 'sad' }, 'instructions'],
  ])('refuses %s', async (_, body, param) => {
    const reply = await call('/audio/speech', {
      body: { model: 'gpt-4o-mini-tts', voice: 'nova', input: 'a', ...body },
    });
    expect(reply).toMatchObject({ status: 400, json: { error: { param } } });
  });
});

describe('videos', () => {
  it('are queued, completed, downloaded in ranges, and deleted', async () => {
    const created = await client.videos.create({
      model: 'sora-2',
      prompt: 'a kite',
      seconds: '4',
      size: '1280x720',
      input_reference: await picture(1280, 720),
    });
    expect(created).toMatchObject({
      object: 'video',
      status: 'queued',
      progress: 0,
      seconds: '4',
      size: '1280x720',
      error: null,
    });
    expect((await refusal(client.videos.downloadContent(created.id))).status).toBe(400);
    now += 2000;
    expect((await client.videos.retrieve(created.id)).status).toBe('in_progress');
    now += 3000;
    const done = await client.videos.retrieve(created.id);
    expect(done).toMatchObject({ status: 'completed', progress: 100 });
    expect(done.expires_at! - done.completed_at!).toBe(3600);
    const part = await call(`/videos/${created.id}/content`, { headers: { range: 'bytes=4-7' } });
    expect([part.status, part.text]).toEqual([206, 'ftyp']);
    const thumbnail = await call(`/videos/${created.id}/content?variant=thumbnail`);
    expect(imageSize(thumbnail.bytes)).toMatchObject({ width: 1280, height: 720, type: 'webp' });
    const remixed = await client.videos.remix(created.id, { prompt: 'at night' });
    expect(remixed.remixed_from_video_id).toBe(created.id);
    const page = await client.videos.list({ limit: 1 });
    expect(page.data.map((video) => video.id)).toEqual([remixed.id]);
    expect(await client.videos.delete(created.id)).toMatchObject({ deleted: true });
    expect((await refusal(client.videos.retrieve(created.id))).status).toBe(404);
    now += 3_700_000;
    expect((await call(`/videos/${remixed.id}/content`)).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['seconds as a number', { seconds: 4 }, 'seconds'],
    ['five seconds', { seconds: '5' }, 'seconds'],
    ['a large size of the small model', { size: '1792x1024' }, 'size'],
    ['no prompt', { prompt: undefined }, 'prompt'],
  ])('refuse %s', async (_, body, param) => {
    const reply = await call('/videos', { body: { model: 'sora-2', prompt: 'a', ...body } });
    expect(reply).toMatchObject({ status: 400, json: { error: { param } } });
  });
});
