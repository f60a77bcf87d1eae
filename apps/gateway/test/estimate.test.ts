/** Estimates of every operation that models answer, against what the same request is charged and refused with. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type JsonObject, type OperationFacts } from '@model-gateway/contracts';
import { OF_EARLIER_ONES, openTestGateway, type TestGateway } from '@model-gateway/testing';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

interface Reply {
  readonly status: number;
  readonly json: JsonObject;
}
async function post(path: string, body: JsonObject): Promise<Reply> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}
const estimate = (endpoint: string, body: JsonObject): Promise<Reply> => post('/v1/estimate', { endpoint, body });
const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

/** One good body for every paid operation: a new one without a line here fails the first test. */
interface Paid {
  readonly path?: string;
  readonly body: JsonObject;
  /** Absent: its model is free. */
  readonly item?: string;
}
const LONG = 'tide '.repeat(100);
const embedded = { content: { parts: [{ text: LONG }] } };
const googleImage = { instances: [{ prompt: 'a kite' }], parameters: { sampleCount: 2 } };
const googleVideo = { instances: [{ prompt: 'a kite' }] };
const PAID: Readonly<Record<string, Paid>> = {
  createChatCompletion: { body: { model: 'gpt-5.2', messages }, item: 'input' },
  createResponse: { body: { model: 'gpt-5.2', input: 'hi' }, item: 'input' },
  compactResponse: { body: { model: 'gpt-5.2', input: 'hi' }, item: 'input' },
  createCompletion: { body: { model: 'deepseek-v4-flash', prompt: LONG, max_tokens: 10 }, item: 'input' },
  createMessage: { body: { model: 'gpt-5.2', messages, max_tokens: 10 }, item: 'input' },
  generateContent: { path: '/v1beta/models/gpt-5.2:generateContent', body: { contents }, item: 'input' },
  generateContentV1: { path: '/v1/models/gpt-5.2:generateContent', body: { contents }, item: 'input' },
  streamGenerateContent: { path: '/v1beta/models/gpt-5.2:streamGenerateContent', body: { contents }, item: 'input' },
  streamGenerateContentV1: { path: '/v1/models/gpt-5.2:streamGenerateContent', body: { contents }, item: 'input' },
  createImage: { body: { model: 'doubao-seedream-4-5', prompt: 'a kite', n: 2 }, item: 'image' },
  editImage: {
    body: { model: 'gpt-image-2', prompt: 'a kite', images: [{ image_url: 'https://example.com/a.png' }] },
    item: 'input',
  },
  createImageVariation: { body: { model: 'gpt-image-2', n: 2 }, item: 'input' },
  generateImages: { path: '/v1beta/models/gpt-image-2:predict', body: googleImage, item: 'input' },
  generateImagesV1: { path: '/v1/models/doubao-seedream-4-5:predict', body: googleImage, item: 'image' },
  generateImagesVertex: {
    path: '/v1beta1/publishers/google/models/qwen-image-2.0:predict',
    body: googleImage,
    item: 'image',
  },
  createSpeech: { body: { model: 'mimo-v2.5-tts', input: 'hello', voice: 'Mia' }, item: 'character' },
  createMusic: { body: { model: 'elevenlabs/music_v2', prompt: 'a shanty', seconds: 60 }, item: 'second' },
  createTranscription: { body: { model: 'whisper-1', seconds: 60 }, item: 'second' },
  createTranslation: { body: { model: 'whisper-1', seconds: 60 }, item: 'second' },
  createEmbedding: { body: { model: 'text-embedding-3-small', input: LONG }, item: 'input' },
  embedContent: { path: '/v1beta/models/text-embedding-v4:embedContent', body: embedded, item: 'input' },
  embedContentV1: { path: '/v1/models/text-embedding-v4:embedContent', body: embedded, item: 'input' },
  batchEmbedContents: {
    path: '/v1beta/models/text-embedding-v4:batchEmbedContents',
    body: { requests: [embedded] },
    item: 'input',
  },
  batchEmbedContentsV1: {
    path: '/v1/models/text-embedding-v4:batchEmbedContents',
    body: { requests: [embedded] },
    item: 'input',
  },
  createModeration: { body: { model: 'omni-moderation-latest', input: 'hello' } },
  createRerank: { body: { model: 'rerank-v3.5', query: 'hello', documents: ['hi'] }, item: 'search_unit' },
  createRerankV2: { body: { model: 'rerank-v3.5', query: 'hello', documents: ['hi'] }, item: 'search_unit' },
  createEmbed: { body: { model: 'text-embedding-3-small', texts: [LONG] }, item: 'input' },
  createEmbedV2: { body: { model: 'text-embedding-3-small', texts: [LONG] }, item: 'input' },
  createVideoTask: { body: { model: 'veo-3.1', prompt: 'a kite' }, item: 'second' },
  createVideo: { body: { model: 'veo-3.1', prompt: 'a kite' }, item: 'second' },
  generateVideos: { path: '/v1beta/models/veo-3.1:predictLongRunning', body: googleVideo, item: 'second' },
  generateVideosV1: { path: '/v1/models/veo-3.1:predictLongRunning', body: googleVideo, item: 'second' },
  generateVideosVertex: {
    path: '/v1beta1/publishers/google/models/veo-3.1:predictLongRunning',
    body: googleVideo,
    item: 'second',
  },
};

const KEEPING = new Set(['createCachedContent', 'createCachedContentV1']);

describe('every paid operation', () => {
  // What a vendor's own path costs is said by the call, or by the answer; what keeping costs, by its answer.
  const paid = (Object.entries(OPERATIONS) as [string, OperationFacts][]).filter(
    ([id, facts]) => facts.paid && facts.forwards !== true && !KEEPING.has(id) && !OF_EARLIER_ONES.has(id),
  );

  it.each(paid.map(([id, { path }]) => ({ id, path })))('$id is quoted', async ({ id, path }) => {
    const known = PAID[id];
    expect(known).toBeDefined();
    if (known === undefined) return;
    const { status, json } = await estimate(known.path ?? path, known.body);
    expect([status, json['error']]).toEqual([200, undefined]);
    expect(json).toMatchObject({
      object: 'estimate',
      model: known.body['model'] ?? /models\/([^:]+)/.exec(known.path ?? '')?.[1],
    });
    const items = (json['items'] as { item: string }[]).map(({ item }) => item);
    if (known.item === undefined) expect(json['quota']).toBe(0);
    else {
      expect(json['quota']).toBeGreaterThan(0);
      expect(items).toContain(known.item);
    }
  });
});

describe('an estimate', () => {
  it('of speech through chat-completions counts characters', async () => {
    const body = { model: 'mimo-v2.5-tts', messages: [{ role: 'assistant', content: 'é𝄞a' }], audio: { voice: 'Mia' } };
    const { status, json } = await estimate('/v1/chat/completions', body);
    expect([status, json['error']]).toEqual([200, undefined]);
    expect(json['items']).toMatchObject([{ item: 'character', quantity: 3 }]);
  });

  it.each([
    {
      name: 'counting Anthropic’s tokens',
      endpoint: '/v1/messages/count_tokens',
      body: { model: 'gpt-5.2', messages },
    },
    { name: 'counting Gemini’s tokens', endpoint: '/v1beta/models/gpt-5.2:countTokens', body: { contents } },
  ])('$name costs nothing', async ({ endpoint, body }) => {
    expect((await estimate(endpoint, body)).json).toMatchObject({ quota: 0, items: [] });
  });

  it('forgives a slash and a query', async () => {
    const { json } = await estimate('/v1beta/models/gpt-5.2:streamGenerateContent/?alt=sse', { contents });
    expect(json['model']).toBe('gpt-5.2');
  });

  it.each([
    { name: 'a path that is none', endpoint: '/v1/nothing', body: { model: 'gpt-5.2' }, param: 'endpoint' },
    { name: 'a path that costs nothing', endpoint: '/v1/models', body: { model: 'gpt-5.2' }, param: 'endpoint' },
    { name: 'no model', endpoint: '/v1/chat/completions', body: { messages }, param: 'body.model' },
    {
      name: 'a model of another kind',
      endpoint: '/v1/images/generations',
      body: { model: 'gpt-5.2', prompt: 'a kite' },
      param: 'body.model',
    },
    {
      name: 'a body that the operation refuses',
      endpoint: '/v1/images/generations',
      body: { model: 'doubao-seedream-4-5', prompt: 7 },
      param: 'body.prompt',
    },
    {
      name: 'a subject that the operation refuses',
      endpoint: '/v1/general/advanced-custom-elements',
      body: {},
      param: 'body.element_name',
    },
    {
      name: 'a path that is no text',
      endpoint: '/v1beta/models/%ff:generateContent',
      body: { contents },
      param: 'body.model',
    },
  ])('$name is a 400 that names the place', async ({ endpoint, body, param }) => {
    const { status, json } = await estimate(endpoint, body);
    expect([status, json['error']]).toMatchObject([400, { param }]);
  });
});
