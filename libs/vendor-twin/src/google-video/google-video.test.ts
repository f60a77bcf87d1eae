import { createPrivateKey, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, TWIN_CREDENTIALS, type VendorTwin } from '../index.ts';
import { ask, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;
const MODEL = 'veo-3.1-generate-001';

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
});
afterAll(async () => twin.close());

const IMAGE = { bytesBase64Encoded: 'iVBORw0KGgo=', mimeType: 'image/png' };

describe('Veo over the Gemini API', () => {
  const headers = { 'x-goog-api-key': TWIN_CREDENTIALS.veo['api_key']! };
  const create = async (instance: object, parameters: object = {}, model = MODEL): Promise<Heard> =>
    ask(`${twin.baseUrl('veo')}/v1beta/models/${model}:predictLongRunning`, {
      body: { instances: [instance], parameters },
      headers,
    });

  it('gives an operation, then an address that needs the key and leads on to the file', async () => {
    const created = await create({ prompt: 'waves' }, { aspectRatio: '9:16', durationSeconds: 4 });
    const path = `${twin.baseUrl('veo')}/v1beta/${created.json.name as string}`;
    expect((await ask(path, { headers })).json).toEqual({ name: created.json.name });
    now += 10_000;
    const done = await ask(path, { headers });
    const uri = done.json.response.generateVideoResponse.generatedSamples[0].video.uri as string;
    expect(await ask(uri)).toMatchObject({ status: 403 });
    const file = await ask(uri, { headers });
    expect(file.status).toBe(200);
    expect(file.bytes.subarray(4, 8).toString()).toBe('ftyp');
  });

  it('ends blocked without samples, or broken with a number', async () => {
    const blocked = await create({ prompt: '[[twin:moderation]]' });
    const broken = await create({ prompt: '[[twin:fail]]' });
    now += 10_000;
    const poll = async (created: Heard): Promise<Heard> =>
      ask(`${twin.baseUrl('veo')}/v1beta/${created.json.name as string}`, { headers });
    expect((await poll(blocked)).json).toMatchObject({
      done: true,
      response: { generateVideoResponse: { raiMediaFilteredCount: 1 } },
    });
    expect((await poll(broken)).json).toMatchObject({ done: true, error: { code: 13 } });
    expect(await ask(`${twin.baseUrl('veo')}/v1beta/models/${MODEL}/operations/none`, { headers })).toMatchObject({
      status: 404,
    });
  });

  it.each<[string, object, object, string?]>([
    ['an address for an image', { prompt: 'a', image: { url: 'https://a.b/c.png' } }, {}],
    ['a last frame alone', { prompt: 'a', lastFrame: IMAGE }, {}],
    [
      'four references',
      { prompt: 'a', referenceImages: Array.from({ length: 4 }, () => ({ image: IMAGE, referenceType: 'asset' })) },
      {},
    ],
    ['six seconds of 1080p', { prompt: 'a' }, { resolution: '1080p', durationSeconds: 6 }],
    ['five seconds', { prompt: 'a' }, { durationSeconds: 5 }],
    ['seconds as text', { prompt: 'a' }, { durationSeconds: '8' }],
    ['a seed', { prompt: 'a' }, { seed: 1 }],
    ['switching the sound off', { prompt: 'a' }, { generateAudio: false }],
    ['a square', { prompt: 'a' }, { aspectRatio: '1:1' }],
    ['large letters', { prompt: 'a' }, { resolution: '1080P' }],
    ['nothing to go by', {}, {}],
  ])('refuses %s', async (_, instance, parameters) => {
    expect(await create(instance, parameters)).toMatchObject({
      status: 400,
      json: { error: { status: 'INVALID_ARGUMENT' } },
    });
  });

  it('has no previews any more', async () => {
    expect(await create({ prompt: 'a' }, {}, 'veo-3.1-generate-preview')).toMatchObject({ status: 404 });
  });
});

describe('Veo over Vertex AI', () => {
  const assertion = (changes: object = {}, key = TWIN_CREDENTIALS.vertex['private_key']!): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { client_email: iss, token_uri: aud } = twin.credentials('vertex');
    const iat = now / 1000;
    const claims = {
      iss,
      aud,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat,
      exp: iat + 3600,
      ...changes,
    };
    const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), createPrivateKey(key)).toString('base64url')}`;
  };
  const exchange = async (given: string): Promise<Heard> =>
    ask(twin.credentials('vertex')['token_uri']!, {
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: given }),
    });
  const base = (project = 'twin-project'): string =>
    `${twin.baseUrl('vertex')}/v1/projects/${project}/locations/us-central1/publishers/google/models/${MODEL}`;

  it('gives tokens for an hour, and bytes without a bucket', async () => {
    const { json } = await exchange(assertion());
    expect(json).toMatchObject({ expires_in: 3599, token_type: 'Bearer' });
    const headers = { authorization: `Bearer ${json.access_token as string}` };
    const body = {
      instances: [{ prompt: 'waves' }],
      parameters: { sampleCount: 2, generateAudio: false, seed: 3, durationSeconds: 4 },
    };
    const created = await ask(`${base()}:predictLongRunning`, { body, headers });
    const bucket = await ask(`${base()}:predictLongRunning`, {
      body: { instances: [{ prompt: 'x' }], parameters: { storageUri: 'gs://b/' } },
      headers,
    });
    now += 10_000;
    const poll = async (name: unknown): Promise<Heard> =>
      ask(`${base()}:fetchPredictOperation`, { body: { operationName: name }, headers });
    const { videos } = (await poll(created.json.name)).json.response as {
      videos: { bytesBase64Encoded: string; mimeType: string }[];
    };
    expect(videos).toHaveLength(2);
    expect(Buffer.from(videos[0]!.bytesBase64Encoded, 'base64').subarray(4, 8).toString()).toBe('ftyp');
    expect((await poll(bucket.json.name)).json.response.videos[0].gcsUri).toMatch(/^gs:\/\/b\/op.*\.mp4$/);
    expect(await ask(`${base('other')}:predictLongRunning`, { body, headers })).toMatchObject({ status: 403 });
    now += 3_600_000;
    expect(await poll(created.json.name)).toMatchObject({
      status: 401,
      json: { error: { status: 'UNAUTHENTICATED' } },
    });
  });

  it.each<[string, () => string, string]>([
    ['another account', () => assertion({ iss: 'x@y' }), 'invalid_grant'],
    ['another audience', () => assertion({ aud: 'https://elsewhere.example/token' }), 'invalid_grant'],
    ['another scope', () => assertion({ scope: 'email' }), 'invalid_scope'],
    ['two hours', () => assertion({ exp: now / 1000 + 7200 }), 'invalid_grant'],
    ['yesterday', () => assertion({ iat: now / 1000 - 90_000, exp: now / 1000 - 86_400 }), 'invalid_grant'],
    ['a spoilt signature', () => `${assertion().slice(0, -4)}AAAA`, 'invalid_grant'],
  ])('refuses %s', async (_, given, error) => {
    expect(await exchange(given())).toMatchObject({ status: 400, json: { error } });
  });
});
