/** Google's forms of videos and pictures over every model of theirs: by its SDK for its cloud, and as SDKs send them to its API. */
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI, GenerateVideosOperation } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import sharp from 'sharp';

const background = { r: 40, g: 90, b: 160 };
const png = await sharp({ create: { width: 400, height: 400, channels: 3, background } })
  .png()
  .toBuffer();
const image = { bytesBase64Encoded: png.toString('base64'), mimeType: 'image/png' };
const CLIP = 'https://example.com/v.mp4';

let gateway: TestGateway;
let google: GoogleGenAI;
let cloud: GoogleGenAI;
let passed = 0;
beforeAll(async () => {
  gateway = await openTestGateway({
    clock: () => Date.now() + passed,
    // SDKs read ids out of addresses that begin so.
    server: "public_url: 'https://gateway.example'",
  });
  const httpOptions = { baseUrl: gateway.url };
  google = new GoogleGenAI({ apiKey: gateway.liveKey, httpOptions });
  cloud = new GoogleGenAI({ vertexai: true, apiKey: gateway.liveKey, httpOptions });
});
afterAll(() => gateway.close());

async function ask(method: string, path: string, body?: JsonObject, headers: Record<string, string> = {}) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'x-goog-api-key': gateway.liveKey, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, json: (await reply.json()) as JsonObject };
}
const start = (model: string, instance: JsonObject, parameters: JsonObject = {}, headers = {}) =>
  ask(
    'POST',
    `/v1beta/models/${encodeURIComponent(model)}:predictLongRunning`,
    { instances: [instance], parameters },
    headers,
  );
async function pass(): Promise<void> {
  passed += 60_000;
  await gateway.server.tasks.runDue();
}
async function ended(name: string): Promise<JsonObject> {
  for (let step = 0; step < 30; step++) {
    await pass();
    const { status, json } = await ask('GET', `/v1beta/${name}`);
    expect(status).toBe(200);
    if (json['done'] === true) return json;
  }
  throw new Error(`${name} does not end`);
}
const balance = async (): Promise<number> => (await gateway.server.parts.store.owners.get(1))?.balance ?? 0;
const videoModels = (): string[] =>
  [...gateway.server.parts.catalogue().models.values()].filter(({ kind }) => kind === 'video').map(({ code }) => code);
/** What a model needs beside a prompt. */
const NEEDS: Readonly<Record<string, JsonObject>> = {
  'happyhorse-1.0-i2v': { image },
  'runway/gen4_turbo': { image },
  'happyhorse-1.0-r2v': { referenceImages: [{ image, referenceType: 'asset' }] },
};

it('every video model: started, read, charged as by its own path, downloaded by the SDK', async () => {
  const models = videoModels().filter((model) => model !== 'happyhorse-1.0-video-edit');
  expect(models.length).toBeGreaterThan(10);
  const started = new Map<string, string>();
  for (const model of models) {
    const { status, json } = await start(model, { prompt: 'A kite over dunes', ...NEEDS[model] });
    expect([model, status, json['error']]).toEqual([model, 200, undefined]);
    expect(json).toMatchObject({ name: expect.stringMatching(/^models\/.+\/operations\/\w+$/) as string });
    expect(json).not.toHaveProperty('done');
    started.set(model, String(json['name']));
  }
  for (const [model, name] of started) {
    const before = new GenerateVideosOperation();
    before.name = name;
    await ended(name);
    const operation = await google.operations.getVideosOperation({ operation: before });
    expect([model, operation.done, operation.error]).toEqual([model, true, undefined]);
    const [made] = operation.response?.generatedVideos ?? [];
    expect(made?.video?.uri).toMatch(
      /^https:\/\/gateway\.example\/v1beta\/files\/video[0-9a-f]+n0:download\?alt=media$/,
    );
    const downloadPath = join(tmpdir(), `google-video-${model.replaceAll('/', '-')}.mp4`);
    await google.files.download({ file: made!, downloadPath });
    expect((await readFile(downloadPath)).subarray(4, 8).toString()).toBe('ftyp');
    await rm(downloadPath);
    const id = name.split('/').at(-1)!;
    const record = await ask('GET', `/v1/video/generations/${id}`);
    expect(record.json).toMatchObject({ data: { status: 'SUCCESS', properties: { input: 'A kite over dunes' } } });
  }
});

it('costs what the same video costs by the path of its family', async () => {
  const own = await ask('POST', '/v1/video/generations', { model: 'veo-3.1', prompt: 'Waves', duration: 4 });
  const before = await balance();
  const { json } = await start('veo-3.1', { prompt: 'Waves' }, { durationSeconds: 4 });
  const after = await balance();
  const holdOf = async (id: string): Promise<number> => {
    const entries = await gateway.server.parts.store.ledger.entries({ kind: 'hold', order: 'newest', limit: 20 });
    return entries.find(({ taskId }) => taskId === id)?.amount ?? 0;
  };
  const id = String(json['name']).split('/').at(-1)!;
  expect(await holdOf(id)).toBe(await holdOf(String(own.json['id'])));
  expect(after).toBeLessThan(before);
  await ended(String(json['name']));
});

it('a name in two forms, under either version', async () => {
  const { json } = await start('sora-2', { prompt: 'Waves' });
  const name = String(json['name']);
  for (const path of [`/v1beta/${name}`, `/v1/${name}`, `/v1beta/models/sora-2/operations/${encodeURIComponent(name)}`])
    expect((await ask('GET', path)).json['name']).toBe(name);
  await ended(name);
});

describe('what the video starts from', () => {
  it('frames and references reach a vendor of the same form as they are', async () => {
    const reference = { image, referenceType: 'asset' };
    const cases: readonly (readonly [JsonObject, JsonObject])[] = [
      [{ prompt: 'The tide', image, lastFrame: image }, { durationSeconds: 8 }],
      [{ prompt: 'The tide', referenceImages: [reference, reference] }, { aspectRatio: '16:9' }],
    ];
    for (const [instance, parameters] of cases) {
      const { status, headers } = await start('veo-3.1', instance, parameters);
      expect([status, headers.get('x-gateway-dropped')]).toEqual([200, null]);
      expect(gateway.twin.requests.last('vertex', 'create')?.json).toMatchObject({ instances: [instance], parameters });
    }
  });

  it('inlineData, as in Google’s examples, is a picture, too', async () => {
    const inline = { inlineData: { mimeType: 'image/png', data: image.bytesBase64Encoded } };
    expect((await start('sora-2', { prompt: 'The tide', image: inline })).status).toBe(200);
    expect((await start('kling-v3-omni', { image: { uri: 'https://example.com/a.png' }, prompt: 'x' })).status).toBe(
      200,
    );
  });

  it.each<[string, string, JsonObject, JsonObject, string]>([
    [
      'references',
      'sora-2',
      { referenceImages: [{ image }] },
      {},
      'instances[0].referenceImages[0].image.bytesBase64Encoded',
    ],
    ['a last frame', 'sora-2', { lastFrame: image }, {}, 'instances[0].lastFrame.bytesBase64Encoded'],
    ['a video to go on from', 'veo-3.1', { video: { uri: CLIP } }, {}, 'instances[0].video.uri'],
    ['a mask', 'veo-3.1', { mask: { image } }, {}, 'instances[0].mask'],
    ['a picture without bytes', 'veo-3.1', { image: { mimeType: 'image/png' } }, {}, 'instances[0].image'],
    ['a bucket', 'veo-3.1', { image: { gcsUri: 'gs://bucket/a.png' } }, {}, 'instances[0].image.gcsUri'],
    [
      'a style',
      'veo-3.1',
      { referenceImages: [{ image, referenceType: 'style' }] },
      {},
      'instances[0].referenceImages[0].referenceType',
    ],
    ['7 seconds', 'veo-3.1', {}, { durationSeconds: 7 }, 'parameters.durationSeconds'],
    ['seconds in words', 'veo-3.1', {}, { durationSeconds: 'eight' }, 'parameters.durationSeconds'],
    ['a ratio', 'veo-3.1', {}, { aspectRatio: '2:1' }, 'parameters.aspectRatio'],
  ])('%s that the model cannot take: a 400 that names the place', async (_name, model, instance, parameters, place) => {
    const before = await balance();
    const { status, json } = await start(model, { prompt: 'Waves', ...instance }, parameters);
    expect([status, json['error']]).toMatchObject([400, { status: 'INVALID_ARGUMENT' }]);
    expect(JSON.stringify(json)).toContain(`"field":"${place}"`);
    expect(await balance()).toBe(before);
  });

  it('no prompt and nothing to start from is refused', async () => {
    expect(JSON.stringify((await start('veo-3.1', {})).json)).toContain('"field":"instances[0].prompt"');
  });

  it('what has no place at the vendor is named', async () => {
    const { status, headers } = await start(
      'sora-2',
      { prompt: 'Waves' },
      { negativePrompt: 'gulls', seed: 4, personGeneration: 'allow_all', aspectRatio: '16:9' },
    );
    expect(status).toBe(200);
    expect(headers.get('x-gateway-dropped')?.split(', ').sort()).toEqual([
      'parameters.negativePrompt',
      'parameters.personGeneration',
      'parameters.seed',
    ]);
  });
});

it('several videos of one request: paid by their number, each with an address', async () => {
  const { json } = await start('veo-3.1', { prompt: 'Waves' }, { sampleCount: 2, durationSeconds: 4 });
  const one = await start('veo-3.1', { prompt: 'Waves' }, { durationSeconds: 4 });
  const done = await ended(String(json['name']));
  await ended(String(one.json['name']));
  const samples = (done['response'] as { generateVideoResponse: { generatedSamples: { video: { uri: string } }[] } })
    .generateVideoResponse.generatedSamples;
  expect(samples.map(({ video }) => /n(\d):download/.exec(video.uri)?.[1])).toEqual(['0', '1']);
  const quotaOf = async (name: unknown): Promise<number> => {
    const { json: record } = await ask('GET', `/v1/video/generations/${String(name).split('/').at(-1)!}`);
    return (record['data'] as { quota: number }).quota;
  };
  expect(await quotaOf(json['name'])).toBe(2 * (await quotaOf(one.json['name'])));
  for (const { video } of samples) {
    const reply = await fetch(`${gateway.url}${new URL(video.uri).pathname}?alt=media&key=${gateway.liveKey}`);
    expect([
      reply.status,
      Buffer.from(await reply.arrayBuffer())
        .subarray(4, 8)
        .toString(),
    ]).toEqual([200, 'ftyp']);
  }
});

it('goes on from the video that its address names, in any spelling, or from none', async () => {
  const { json } = await start('veo-3.1', { prompt: 'Waves' }, { sampleCount: 2, durationSeconds: 4 });
  const uris = (await ended(String(json['name'])))['response'] as {
    generateVideoResponse: { generatedSamples: { video: { uri: string } }[] };
  };
  const [first, second] = uris.generateVideoResponse.generatedSamples.map(({ video }) => video.uri);
  for (const name of ['uri', 'fileUri', 'file_uri', 'gcs_uri']) {
    const longer = await start('grok-imagine-video', { prompt: 'On', video: { [name]: first! } });
    expect([name, longer.status]).toEqual([name, 200]);
    expect(gateway.twin.requests.last()?.body).toMatch(/\/v1\/videos\/[^"]*signature=/);
    await ended(String(longer.json['name']));
    const other = await start('grok-imagine-video', { prompt: 'On', video: { [name]: second! } });
    expect([other.status, JSON.stringify(other.json)]).toEqual([400, expect.stringContaining('instances[0].video')]);
  }
});

it.each([
  { name: 'a failure', fault: { kind: 'fail' } as const, codes: [2, 13, 14, 3] },
  { name: 'moderation', fault: { kind: 'moderation' } as const, codes: [3] },
])('$name is the error of the operation, and costs nothing', async ({ fault, codes }) => {
  const before = await balance();
  gateway.twin.faults.next('openai', 'create', fault);
  const { json } = await start('sora-2', { prompt: 'Waves' });
  const done = await ended(String(json['name']));
  const { error } = done as { error?: { code: number; message: string } };
  expect(codes).toContain(error?.code);
  expect(error?.message.length).toBeGreaterThan(3);
  expect(done).not.toHaveProperty('response');
  expect(await balance()).toBe(before);
});

it('another owner, and the other mode, find neither the operation nor the file', async () => {
  const { json } = await start('sora-2', { prompt: 'Waves' });
  const name = String(json['name']);
  const done = await ended(name);
  const path = /\/v1beta\/files\/[^"?]+/.exec(JSON.stringify(done))?.[0] ?? '';
  for (const key of [gateway.otherKey, gateway.testKey]) {
    for (const [method, place, body] of [
      ['GET', `/v1beta/${name}`],
      ['GET', path],
      ['POST', '/v1beta1/publishers/google/models/sora-2:fetchPredictOperation', { operationName: name }],
    ] as const) {
      const reply = await ask(method, place, body, { 'x-goog-api-key': key });
      expect([place, reply.status, reply.json['error']]).toMatchObject([place, 404, { status: 'NOT_FOUND' }]);
    }
  }
});

it('an Idempotency-Key gives the operation again', async () => {
  const headers = { 'idempotency-key': 'google-video-1' };
  const one = await start('sora-2', { prompt: 'Waves' }, {}, headers);
  const again = await start('sora-2', { prompt: 'Waves' }, {}, headers);
  expect(again.json).toEqual(one.json);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await start('sora-2', { prompt: 'Wind' }, {}, headers)).status).toBe(409);
  await ended(String(one.json['name']));
});

it('by the SDK for Google’s cloud: the videos come with the operation, byte for byte', async () => {
  for (const model of ['veo-3.1', 'sora-2']) {
    let operation = await cloud.models.generateVideos({
      model,
      source: { prompt: 'Waves', image: { imageBytes: image.bytesBase64Encoded, mimeType: 'image/png' } },
      config: { durationSeconds: 8 },
    });
    expect(operation.name).toMatch(new RegExp(`^publishers/google/models/${model}/operations/`));
    while (operation.done !== true) {
      await pass();
      operation = await cloud.operations.getVideosOperation({ operation });
    }
    const [made] = operation.response?.generatedVideos ?? [];
    const id = operation.name?.split('/').at(-1) ?? '';
    const content = await fetch(`${gateway.url}/v1/videos/${id}/content`, {
      headers: { 'x-goog-api-key': gateway.liveKey },
    });
    expect(made?.video?.videoBytes).toBe(Buffer.from(await content.arrayBuffer()).toString('base64'));
    expect(made?.video?.mimeType).toBe('video/mp4');
  }
});

describe('pictures', () => {
  const draw = (model: string, parameters: JsonObject = {}, instance: JsonObject = {}) =>
    ask('POST', `/v1beta/models/${model}:predict`, { instances: [{ prompt: 'A kite', ...instance }], parameters });
  const imageModels = (): string[] =>
    [...gateway.server.parts.catalogue().models.values()]
      .filter(({ kind }) => kind === 'image' || kind === 'image-edit')
      .map(({ code }) => code);
  interface Drawn {
    readonly mimeType: string;
    readonly bytesBase64Encoded: string;
  }
  const drawn = (json: JsonObject): Drawn[] => json['predictions'] as unknown as Drawn[];

  /** They change pictures and draw none. */
  const CHANGES_ONLY = new Set(['qwen-image-edit-plus', 'stable-image-inpaint', 'fal/flux-kontext-pro']);
  /** As vendors are told it: a size, two sides, or a ratio. */
  const SIZE = /(?:size|ratio|resolution|width)\D{1,20}?(\d+)\D{1,12}(\d+)/i;

  it('of every image model: drawn wide, in base64, by the address of Google’s API', async () => {
    const models = imageModels();
    expect(models.length).toBeGreaterThan(4);
    for (const model of models) {
      if (CHANGES_ONLY.has(model)) continue;
      const { status, headers, json } = await draw(model, { aspectRatio: '16:9' });
      expect([model, status, json['error']]).toEqual([model, 200, undefined]);
      const [picture] = drawn(json);
      const sent = gateway.twin.requests.list().filter(({ operation }) => operation === 'image');
      const [, width = 0, height = 1] = SIZE.exec(sent.at(-1)?.body ?? '') ?? [];
      const isExact = Math.abs(Math.log(Number(width) / Number(height) / (16 / 9))) < 0.03;
      expect([model, picture?.mimeType, Number(width) > Number(height), headers.get('x-gateway-dropped')]).toEqual([
        model,
        expect.stringMatching(/^image\//),
        true,
        isExact ? null : 'parameters.aspectRatio',
      ]);
    }
  });

  it('cost what the same pictures cost by their own path', async () => {
    const own = await ask('POST', '/v1/images/generations', { model: 'doubao-seedream-4-5', prompt: 'A kite', n: 2 });
    const cost = own.headers.get('x-gateway-cost');
    expect(Number(cost)).toBeGreaterThan(0);
    expect((await draw('doubao-seedream-4-5', { sampleCount: 2 })).headers.get('x-gateway-cost')).toBe(cost);
  });

  it('by the SDK: several, as JPEG, and what the model has no word for is named', async () => {
    const made = await cloud.models.generateImages({
      model: 'gpt-image-2',
      prompt: 'A kite',
      config: {
        numberOfImages: 2,
        outputMimeType: 'image/jpeg',
        negativePrompt: 'gulls',
        personGeneration: undefined!,
      },
    });
    expect(made.generatedImages?.map(({ image: picture }) => picture?.mimeType)).toEqual(['image/jpeg', 'image/jpeg']);
    expect(made.sdkHttpResponse?.headers?.['x-gateway-dropped']).toBe('parameters.negativePrompt');
  });

  it.each<[string, string, JsonObject, JsonObject, string]>([
    ['eleven pictures', 'gpt-image-2', { sampleCount: 11 }, {}, 'parameters.sampleCount'],
    ['a ratio that is none', 'gpt-image-2', { aspectRatio: 'wide' }, {}, 'parameters.aspectRatio'],
    ['a class that is none', 'qwen-image-2.0', { sampleImageSize: '9K' }, {}, 'parameters.sampleImageSize'],
    ['a picture to change', 'gpt-image-2', {}, { referenceImages: [{}] }, 'instances[0].referenceImages'],
    [
      'a format that is none',
      'gpt-image-2',
      { outputOptions: { mimeType: 'text/html' } },
      {},
      'parameters.outputOptions.mimeType',
    ],
  ])('%s: a 400 that names the place', async (_name, model, parameters, instance, place) => {
    const { status, json } = await draw(model, parameters, instance);
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(`"field":"${place}"`)]);
  });
});
