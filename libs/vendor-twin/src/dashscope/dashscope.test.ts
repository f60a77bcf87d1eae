import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, asker, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const call = asker(() => twin, 'dashscope');

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
});
afterAll(async () => twin.close());

const VIDEO = '/services/aigc/video-generation/video-synthesis';
const ASYNC = { 'x-dashscope-async': 'enable' };
const T2V = 'happyhorse-1.0-t2v';
const create = async (body: object, path = VIDEO): Promise<Heard> => call(path, { body, headers: ASYNC });
const media = (type: string): object => ({ type, url: 'https://media.example/a.png' });

describe('dashscope videos', () => {
  it('are made asynchronously, or not at all', async () => {
    const reply = await call(VIDEO, { body: { model: T2V, input: { prompt: 'a' } } });
    expect(reply).toMatchObject({ status: 403, json: { code: 'AccessDenied' } });
  });

  it('go from PENDING over RUNNING to SUCCEEDED, in China’s time', async () => {
    const { json } = await create({
      model: T2V,
      input: { prompt: 'Snow' },
      parameters: { resolution: '720P', ratio: '1:1', duration: 3 },
    });
    expect(json.output.task_status).toBe('PENDING');
    const path = `/tasks/${json.output.task_id as string}`;
    expect((await call(path)).json.output).toMatchObject({
      task_status: 'PENDING',
      submit_time: '2026-09-21 22:13:20.000',
    });
    now += 1500;
    expect((await call(path)).json.output.task_status).toBe('RUNNING');
    now += 3000;
    const done = await call(path);
    expect(done.json).toMatchObject({
      output: { task_status: 'SUCCEEDED', orig_prompt: 'Snow' },
      usage: { duration: 3, input_video_duration: 0, output_video_duration: 3, video_count: 1, SR: 720, ratio: '1:1' },
    });
    expect((await ask(done.json.output.video_url as string)).headers.get('content-type')).toBe('video/mp4');
    now += 86_400_000;
    expect((await call(path)).json.output.task_status).toBe('UNKNOWN');
  });

  it('bill an edit for what goes in and what comes out', async () => {
    const body = {
      model: 'happyhorse-1.0-video-edit',
      input: { prompt: 'jacket', media: [media('video'), media('reference_image')] },
    };
    const { json } = await create(body);
    now += 10_000;
    expect((await call(`/tasks/${json.output.task_id as string}`)).json.usage.duration).toBe(10);
    expect(twin.ledger.jobs('dashscope').at(-1)).toMatchObject({ billed: { seconds: 10 } });
  });

  it.each([
    ['[[twin:fail]]', 'InternalError.Algo'],
    ['[[twin:moderation]]', 'DataInspectionFailed'],
  ])('%s fails in a reply that is a 200', async (mark, code) => {
    const { json } = await create({ model: T2V, input: { prompt: mark } });
    now += 10_000;
    const reply = await call(`/tasks/${json.output.task_id as string}`);
    expect(reply).toMatchObject({ status: 200, json: { output: { task_status: 'FAILED', code } } });
  });

  it('are cancelled only while pending, and listed', async () => {
    const { json } = await create({ model: T2V, input: { prompt: 'later' } });
    const path = `/tasks/${json.output.task_id as string}`;
    expect((await call(`${path}/cancel`, { method: 'POST' })).status).toBe(200);
    expect((await call(path)).json.output.task_status).toBe('CANCELED');
    expect(await call(`${path}/cancel`, { method: 'POST' })).toMatchObject({
      status: 400,
      json: { code: 'UnsupportedOperation' },
    });
    const list = await call('/tasks?status=CANCELED&page_size=1');
    expect(list.json).toMatchObject({ total: 1, data: [{ task_id: json.output.task_id, status: 'CANCELED' }] });
  });

  it.each([
    ['media for text', { model: T2V, input: { prompt: 'a', media: [media('first_frame')] } }],
    ['no first frame', { model: 'happyhorse-1.0-i2v', input: { prompt: 'a' } }],
    [
      'ten references',
      {
        model: 'happyhorse-1.0-r2v',
        input: { prompt: 'a', media: Array.from({ length: 10 }, () => media('reference_image')) },
      },
    ],
    [
      'a ratio where the image decides',
      { model: 'happyhorse-1.0-i2v', input: { media: [media('first_frame')] }, parameters: { ratio: '1:1' } },
    ],
    [
      'a duration for an edit',
      {
        model: 'happyhorse-1.0-video-edit',
        input: { prompt: 'a', media: [media('video')] },
        parameters: { duration: 5 },
      },
    ],
    ['a ratio of the newer model', { model: T2V, input: { prompt: 'a' }, parameters: { ratio: '21:9' } }],
    ['small letters in a resolution', { model: T2V, input: { prompt: 'a' }, parameters: { resolution: '720p' } }],
    ['two seconds', { model: T2V, input: { prompt: 'a' }, parameters: { duration: 2 } }],
    ['no prompt', { model: T2V, input: {} }],
  ])('refuse %s', async (_, body) => {
    expect(await create(body)).toMatchObject({ status: 400, json: { code: 'InvalidParameter' } });
  });

  it('know key and model', async () => {
    expect(await create({ model: 'no-such-model', input: { prompt: 'a' } })).toMatchObject({
      status: 404,
      json: { code: 'ModelNotFound' },
    });
    expect(await call('/tasks/x', { headers: { authorization: 'Bearer x' } })).toMatchObject({
      status: 401,
      json: { code: 'InvalidApiKey' },
    });
  });
});

describe('dashscope images', () => {
  const SYNC = '/services/aigc/multimodal-generation/generation';
  const messages = [{ role: 'user', content: [{ image: 'https://a.b/c.png' }, { text: 'a teapot' }] }];

  it('come at once, each of the asked size', async () => {
    const body = {
      model: 'qwen-image-2.0',
      input: { messages },
      parameters: { size: '768*512', n: 2, seed: 4, watermark: false },
    };
    const { json } = await call(SYNC, { body });
    expect(json.usage).toEqual({ image_count: 2, width: 768, height: 512 });
    const urls = json.output.choices.map(
      (choice: { message: { content: { image: string }[] } }) => choice.message.content[0]!.image,
    ) as string[];
    const files = await Promise.all(urls.map(async (url) => (await ask(url)).bytes));
    expect(files.map((file) => imageSize(file))).toMatchObject([
      { width: 768, height: 512 },
      { width: 768, height: 512 },
    ]);
    expect(files[0]!.equals(files[1]!)).toBe(false);
    expect(twin.ledger.totals('dashscope').images).toBeGreaterThanOrEqual(2);
  });

  it('come as tasks from the older models', async () => {
    const body = { model: 'qwen-image-plus', input: { prompt: 'a cup' }, parameters: { size: '1328*1328' } };
    const { json } = await create(body, '/services/aigc/text2image/image-synthesis');
    now += 5000;
    const task = await call(`/tasks/${json.output.task_id as string}`);
    expect(task.json).toMatchObject({
      output: { task_status: 'SUCCEEDED', results: [{ orig_prompt: 'a cup' }] },
      usage: { image_count: 1 },
    });
    const wan = await create(
      { model: 'wan2.6-t2i', input: { messages: [{ role: 'user', content: [{ text: 'x' }] }] } },
      '/services/aigc/image-generation/generation',
    );
    now += 5000;
    expect((await call(`/tasks/${wan.json.output.task_id as string}`)).json.output.choices).toHaveLength(1);
  });

  it.each([
    ['an x in a size', { input: { messages }, parameters: { size: '768x512' } }],
    ['a size beyond the model', { input: { messages }, parameters: { size: '4096*4096' } }],
    ['two messages', { input: { messages: [...messages, ...messages] } }],
    ['two texts', { input: { messages: [{ role: 'user', content: [{ text: 'a' }, { text: 'b' }] }] } }],
    ['seven pictures', { input: { messages }, parameters: { n: 7 } }],
    ['the prompt of another wire', { input: { prompt: 'a' } }],
  ])('refuse %s', async (_, body) => {
    expect(await call(SYNC, { body: { model: 'qwen-image-2.0', ...body } })).toMatchObject({
      status: 400,
      json: { code: 'InvalidParameter' },
    });
  });
});

describe('dashscope’s compatible mode', () => {
  it('answers and refuses in OpenAI’s shape, reasoning shown', async () => {
    const url = `${twin.url}/dashscope/compatible-mode/v1/chat/completions`;
    const headers = { authorization: `Bearer ${twin.credentials('dashscope')['api_key']!}` };
    const body = {
      model: 'qwen-plus',
      messages: [{ role: 'user', content: 'hi' }],
      enable_thinking: true,
      max_tokens: 50,
    };
    const reply = await ask(url, { body, headers });
    expect(reply.json.choices[0].message).toMatchObject({
      content: 'You said: hi',
      reasoning_content: expect.stringContaining('hi'),
    });
    const refused = await ask(url, { body, headers: { authorization: 'Bearer x' } });
    expect(refused).toMatchObject({
      status: 401,
      json: { error: { code: 'invalid_api_key' }, request_id: expect.any(String) },
    });
  });
});
