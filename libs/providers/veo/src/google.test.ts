import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import {
  asItIs,
  startScriptedVendor,
  videoCreate,
  type ScriptedReply,
  type ScriptedVendor,
} from '@model-gateway/testing';
import { jwtVerify } from 'jose';
import { fromOperation, toGoogleVideo } from './google.ts';
import { veo } from './adapter.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as JsonObject;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const noFetch = { fetchMedia: () => Promise.reject(new Error('fetched')) };
const image = (role: 'first_frame' | 'last_frame' | 'reference', content: string = role) => ({
  role,
  url: `data:image/png;base64,${content}`,
  param: `image-${content}`,
});
const kit = { ...asItIs, now: () => 1_790_000_000_000 };

describe('toGoogleVideo', () => {
  const bytes = (content: string) => ({ bytesBase64Encoded: content, mimeType: 'image/png' });
  const cases: {
    name: string;
    wire?: 'gemini' | 'vertex';
    input: Partial<VideoCreate>;
    instance?: JsonObject;
    parameters: JsonObject;
    seconds?: number;
    dropped?: string[];
  }[] = [
    { name: 'a prompt alone', input: { prompt: 'p' }, instance: { prompt: 'p' }, parameters: {} },
    {
      name: 'classes in lower case; the better ones take eight seconds',
      input: { resolution: '1080P', ratio: '9:16' },
      parameters: { resolution: '1080p', aspectRatio: '9:16', durationSeconds: 8 },
    },
    {
      name: 'another duration beside them is named',
      input: { resolution: '4K', duration: 4 },
      parameters: { resolution: '4k', durationSeconds: 8 },
      dropped: ['duration'],
    },
    {
      name: 'a duration of its own',
      input: { duration: 6, resolution: '720p' },
      parameters: { durationSeconds: 6, resolution: '720p' },
      seconds: 6,
    },
    {
      name: 'pixels',
      input: { shape: 'seconds', size: '1920x1080', duration: 8 },
      parameters: { resolution: '1080p', aspectRatio: '16:9', durationSeconds: 8 },
    },
    {
      name: 'a first frame',
      input: { images: [image('first_frame')] },
      instance: { image: bytes('first_frame') },
      parameters: {},
    },
    {
      name: 'first and last',
      input: { images: [image('first_frame'), image('last_frame')] },
      instance: { image: bytes('first_frame'), lastFrame: bytes('last_frame') },
      parameters: { durationSeconds: 8 },
    },
    {
      name: 'references',
      input: { images: [image('reference')] },
      instance: { referenceImages: [{ image: bytes('reference'), referenceType: 'asset' }] },
      parameters: { durationSeconds: 8 },
    },
    {
      name: 'what the Gemini API has not',
      input: { seed: 0, watermark: false, audio: false, ratio: '1:1' },
      parameters: {},
      dropped: ['watermark', 'seed', 'generate_audio', 'aspect_ratio'],
    },
    { name: 'sound is always there: asking for it drops nothing', input: { audio: true }, parameters: {} },
    {
      name: 'what Vertex has',
      wire: 'vertex',
      input: { seed: 0, audio: false, negativePrompt: 'n' },
      parameters: { seed: 0, generateAudio: false, negativePrompt: 'n' },
    },
    {
      name: 'new parameters pass in the family’s own shape; buckets and kie.ai’s own do not',
      input: { extra: { person_generation: 'allow_adult', tomorrow: 1, storageUri: 'gs://b', seeds: 1 } },
      parameters: { personGeneration: 'allow_adult', tomorrow: 1 },
      dropped: ['storageUri', 'seeds'],
    },
    {
      name: 'another family’s words are named',
      input: { shape: 'content', extra: { camera_fixed: true, sampleCount: 1 } },
      parameters: { sampleCount: 1 },
      dropped: ['camera_fixed'],
    },
  ];
  it.each(cases)('$name', async ({ wire = 'gemini', input, instance = {}, parameters, seconds = 8, dropped = [] }) => {
    expect(await toGoogleVideo(videoCreate({ shape: 'image-urls', ...input }), wire, noFetch)).toEqual({
      body: { instances: [instance], parameters },
      seconds,
      dropped,
    });
  });

  it.each<[string, Partial<VideoCreate>, string]>([
    ['a video', { videos: [{ role: 'base', url: 'u', param: 'v' }] }, 'v'],
    ['an audio', { audios: [{ role: 'reference', url: 'u', param: 'a' }] }, 'a'],
    ['a subject', { subjects: ['1'] }, 'subject_infos'],
    ['a last frame alone', { images: [image('last_frame')] }, 'image-last_frame'],
    ['references beside a frame', { images: [image('first_frame'), image('reference')] }, 'image-reference'],
    [
      'a fourth reference',
      { images: [1, 2, 3, 4].map((n) => ({ ...image('reference'), param: `ref-${n}` })) },
      'ref-4',
    ],
    ['another vendor’s asset', { images: [{ role: 'first_frame', url: 'asset://x', param: 'x' }] }, 'x'],
    [
      'an image over 20 MB',
      { images: [{ ...image('first_frame', 'A'.repeat(29 * 1024 * 1024)), param: 'big' }] },
      'big',
    ],
  ])('refuses %s, naming it', async (_name, input, param) => {
    await expect(
      toGoogleVideo(videoCreate({ shape: 'image-urls', ...input }), 'gemini', noFetch),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param },
    });
  });
});

describe('fromOperation', () => {
  const ticket = { wire: 'gemini', operation: 'op', seconds: 6 };
  it.each<[string, JsonObject]>([
    ['absent', { name: 'models/m/operations/1' }],
    ['false', { name: 'models/m/operations/1', done: false, metadata: {} }],
  ])('done %s is running', (_name, operation) => {
    expect(fromOperation(operation, ticket, kit)).toEqual({ state: 'running', payload: operation });
  });

  it('a sample of the Gemini API is a link that wants the key', () => {
    expect(fromOperation(fixture('gemini-check.done.200.json'), ticket, kit)).toMatchObject({
      state: 'succeeded',
      files: [
        {
          url: 'https://generativelanguage.googleapis.com/v1beta/files/abc:download?alt=media',
          mime: 'video/mp4',
          credentialed: true,
          expiresAt: 1790000000 + 172800,
        },
      ],
      usage: { videos: 1, seconds: 6 },
    });
  });

  it('a video of Vertex is bytes', () => {
    const progress = fromOperation(fixture('vertex-check.done.200.json'), ticket, kit);
    expect(progress).toMatchObject({ state: 'succeeded', files: [{ mime: 'video/mp4' }] });
    const file = progress.state === 'succeeded' ? progress.files[0] : undefined;
    expect(file !== undefined && 'bytes' in file && Buffer.from(file.bytes).toString('latin1', 4, 8)).toBe('ftyp');
  });

  it('the operator’s project stays at home', () => {
    const name = 'projects/acme-prod/locations/l/publishers/google/models/m/operations/1';
    expect(fromOperation({ name }, ticket, kit).payload).toEqual({ name: name.replace('acme-prod', '-') });
    const error = { code: 3, message: `bad input for '${name}'` };
    expect(JSON.stringify(fromOperation({ name, done: true, error }, ticket, kit))).not.toContain('acme');
  });

  it('done, but filtered, is refused content', () => {
    expect(fromOperation(fixture('gemini-check.filtered.200.json'), ticket, kit)).toMatchObject({
      state: 'failed',
      fault: { code: 'content_refused', message: expect.stringContaining('safety filters') },
    });
    const vertex = { name: 'o', done: true, response: { raiMediaFilteredCount: 1 } };
    expect(fromOperation(vertex, ticket, kit)).toMatchObject({ state: 'failed', fault: { code: 'content_refused' } });
  });

  it('done with an error, or with nothing, has failed', () => {
    expect(
      fromOperation({ name: 'o', done: true, error: { code: 13, message: 'internal' } }, ticket, kit),
    ).toMatchObject({ state: 'failed', fault: { code: 'upstream_unavailable', vendorCode: '13' } });
    expect(fromOperation({ name: 'o', done: true, response: {} }, ticket, kit)).toMatchObject({ state: 'failed' });
  });

  it.each<[string, Json]>([
    ['an error body on a 200', { error: { code: 500 } }],
    ['a list', []],
  ])('%s is a poll’s fault', (_name, body) => {
    expect(() => fromOperation(body, ticket, kit)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });
});

describe('over a socket', () => {
  let vendor: ScriptedVendor;
  let answer: (call: string) => ScriptedReply = () => ({ json: {} });
  const calls = () => vendor.requests.map(({ method, path }) => `${method} ${path}`);
  const videos = veo.videos!;
  beforeAll(async () => {
    vendor = await startScriptedVendor(({ method, path }) => answer(`${method} ${path}`));
  });
  beforeEach(() => {
    vendor.requests.length = 0;
  });
  afterAll(() => vendor.close());

  describe('Gemini API', () => {
    const open = (basePath = '') => vendor.upstream(veo, { basePath, model: 'veo-3.1-generate-001' });

    it('starts and polls by the operation’s name, the key in a header', async () => {
      answer = () => ({ json: { name: 'models/veo-3.1-generate-001/operations/op1' } });
      const { ticket } = await videos.start(videoCreate({ shape: 'image-urls', prompt: 'p', duration: 4 }), open());
      expect(ticket).toEqual({ wire: 'gemini', operation: 'models/veo-3.1-generate-001/operations/op1', seconds: 4 });
      expect(await videos.check(ticket, open())).toMatchObject({ state: 'running' });
      expect(calls()).toEqual([
        'POST /v1beta/models/veo-3.1-generate-001:predictLongRunning',
        'GET /v1beta/models/veo-3.1-generate-001/operations/op1',
      ]);
      expect(vendor.requests[0]?.headers['x-goog-api-key']).toBe('vendor-key-0123456789');
    });

    it('takes a base that has the version already', async () => {
      answer = () => ({ json: { name: 'models/m/operations/op1' } });
      await videos.start(videoCreate({ shape: 'image-urls', prompt: 'p' }), open('/v1beta'));
      expect(calls()).toEqual(['POST /v1beta/models/veo-3.1-generate-001:predictLongRunning']);
    });

    it('fetches the caller’s images and sends them as bytes', async () => {
      answer = (call) =>
        call === 'GET /front.png'
          ? { bytes: PNG, headers: { 'content-type': 'text/plain' } }
          : { json: { name: 'models/m/operations/op1' } };
      const images = [{ role: 'first_frame' as const, url: `${vendor.url}/front.png`, param: 'imageUrls[0]' }];
      await videos.start(videoCreate({ shape: 'image-urls', prompt: 'p', images }), open());
      expect(vendor.requests.at(-1)?.json).toMatchObject({
        instances: [{ image: { bytesBase64Encoded: PNG.toString('base64'), mimeType: 'image/png' } }],
      });
      // The caller's host learns no key.
      expect(vendor.requests[0]?.headers).not.toHaveProperty('x-goog-api-key');
    });

    it('an image that cannot be had is the caller’s, before anything is started', async () => {
      answer = () => ({ status: 404 });
      const images = [{ role: 'first_frame' as const, url: `${vendor.url}/gone.png`, param: 'imageUrls[0]' }];
      await expect(videos.start(videoCreate({ shape: 'image-urls', images }), open())).rejects.toMatchObject({
        code: 'invalid_request',
        details: { param: 'imageUrls[0]' },
      });
      expect(calls()).toEqual(['GET /gone.png']);
    });

    it('an operation that is gone is missing; a model that is gone is not', async () => {
      answer = () => ({
        status: 404,
        json: { error: { code: 404, status: 'NOT_FOUND', message: 'no longer available' } },
      });
      expect(await videos.check({ wire: 'gemini', operation: 'models/m/operations/1' }, open())).toMatchObject({
        state: 'missing',
      });
      await expect(videos.start(videoCreate({ shape: 'image-urls' }), open())).rejects.toMatchObject({
        code: 'upstream_unavailable',
        details: { taken: 'no' },
      });
    });
  });

  describe('Vertex AI', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    let now = 1_790_000_000_000;
    let people = 0;
    let exchanges = 0;
    /** Every test is a service account of its own: tokens outlive a test. */
    const open = (credentials: Record<string, string> = {}, email = `person-${people}@p.iam.gserviceaccount.com`) =>
      vendor.upstream(veo, {
        model: 'veo-3.1-generate-001',
        now: () => now,
        settings: { wire: 'vertex', project: 'p', location: 'us-central1' },
        credentials: { client_email: email, private_key: pem, token_uri: `${vendor.url}/token`, ...credentials },
      });
    const OPERATION = 'projects/p/locations/us-central1/publishers/google/models/veo-3.1-generate-001/operations/op1';
    const token: ScriptedReply = { json: { access_token: 'ya29.first', expires_in: 3600 } };
    const running: ScriptedReply = { json: { name: OPERATION } };
    const ask = (upstream = open()) => videos.check({ wire: 'vertex', operation: OPERATION, seconds: 8 }, upstream);
    beforeEach(() => {
      people += 1;
      exchanges = 0;
      now = 1_790_000_000_000;
      answer = (call) => {
        if (call !== 'POST /token') return running;
        exchanges += 1;
        return { json: { access_token: `ya29.token-${exchanges}`, expires_in: 3600 } };
      };
    });

    it('signs in with the service account’s own JWT', async () => {
      const { ticket } = await videos.start(videoCreate({ shape: 'image-urls', prompt: 'p' }), open());
      expect(ticket).toEqual({ wire: 'vertex', operation: OPERATION, seconds: 8 });
      expect(calls()).toEqual([
        'POST /token',
        'POST /v1/projects/p/locations/us-central1/publishers/google/models/veo-3.1-generate-001:predictLongRunning',
      ]);
      expect(vendor.requests[1]?.headers.authorization).toBe('Bearer ya29.token-1');
      const form = new URLSearchParams(vendor.requests[0]?.text);
      expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        currentDate: new Date(now),
      });
      expect(protectedHeader).toMatchObject({ alg: 'RS256' });
      expect(payload).toEqual({
        iss: `person-${people}@p.iam.gserviceaccount.com`,
        aud: `${vendor.url}/token`,
        scope: 'https://www.googleapis.com/auth/cloud-platform',
        iat: 1_790_000_000,
        exp: 1_790_003_600,
      });
    });

    it('asks for the operation by its own model', async () => {
      await ask();
      expect(vendor.requests.at(-1)).toMatchObject({
        path: '/v1/projects/p/locations/us-central1/publishers/google/models/veo-3.1-generate-001:fetchPredictOperation',
        json: { operationName: OPERATION },
      });
    });

    it('keeps the token for four fifths of its life, and a minute before its end waits for the next', async () => {
      await ask();
      now += 2_879_000;
      await ask();
      expect(exchanges).toBe(1);
      now += 661_000;
      await ask();
      expect(exchanges).toBe(2);
      expect(vendor.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.token-2');
    });

    it('signs in once for requests that come together', async () => {
      await Promise.all([ask(), ask(), ask()]);
      expect(exchanges).toBe(1);
    });

    it('one account’s token is not another’s', async () => {
      await ask();
      await ask(open({}, 'somebody-else@p.iam.gserviceaccount.com'));
      expect(exchanges).toBe(2);
    });

    it('a refused token is renewed once, and the marker never leaves the house', async () => {
      await ask();
      const refusedFirst = answer;
      let polls = 0;
      answer = (call) => {
        if (call === 'POST /token') return refusedFirst(call);
        polls += 1;
        return polls === 1
          ? { status: 401, json: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'expired' } } }
          : running;
      };
      expect(await ask()).toMatchObject({ state: 'running' });
      expect(exchanges).toBe(2);
      expect(vendor.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.token-2');
      expect(vendor.requests.every(({ headers }) => !('x-gateway-fresh-token' in headers))).toBe(true);
      answer = (call) =>
        call === 'POST /token'
          ? token
          : { status: 401, json: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'no' } } };
      const before = vendor.requests.length;
      await expect(ask()).rejects.toMatchObject({ code: 'upstream_rejected_key' });
      expect(
        vendor.requests
          .slice(before)
          .map(({ path }) => path)
          .filter((path) => path !== '/token'),
      ).toHaveLength(2);
    });

    it.each<[string, ScriptedReply, string]>([
      [
        'refused',
        { status: 400, json: { error: 'invalid_grant', error_description: 'account gateway@p' } },
        'upstream_rejected_key',
      ],
      ['busy', { status: 429, json: {} }, 'upstream_rate_limited'],
      ['broken', { status: 500, json: {} }, 'upstream_unavailable'],
      ['senseless', { json: {} }, 'upstream_unavailable'],
      ['cut off', 'hang-up', 'upstream_unavailable'],
    ])('a sign-in that is %s took no job, and is not kept', async (_name, reply, code) => {
      answer = () => reply;
      const error: unknown = await videos
        .start(videoCreate({ shape: 'image-urls' }), open())
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, details: { taken: 'no' } });
      expect(String(error)).not.toContain('gateway@p');
      answer = (call) => (call === 'POST /token' ? token : running);
      expect(await ask()).toMatchObject({ state: 'running' });
    });

    it('a key that cannot be read is not quoted', async () => {
      const error: unknown = await ask(open({ private_key: 'not-a-key-at-all' })).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'upstream_rejected_key' });
      expect(JSON.stringify(error)).not.toContain('not-a-key');
    });

    it('reads a whole key file, its line ends escaped', async () => {
      const file = JSON.stringify({
        client_email: `file-${people}@p`,
        private_key: pem,
        token_uri: `${vendor.url}/token`,
        project_id: 'p',
      });
      const upstream = vendor.upstream(veo, {
        model: 'm',
        settings: { wire: 'vertex', project: 'p' },
        credentials: { service_account: file },
      });
      expect(await ask(upstream)).toMatchObject({ state: 'running' });
      expect(await ask(open({ private_key: pem.replaceAll('\n', '\\n') }))).toMatchObject({ state: 'running' });
    });

    it('takes the project from the key where the settings have none', async () => {
      const credentials = {
        client_email: `p-${people}@p`,
        private_key: pem,
        token_uri: `${vendor.url}/token`,
        project_id: 'from-the-key',
      };
      const upstream = vendor.upstream(veo, { model: 'm', settings: { wire: 'vertex', project: '' }, credentials });
      await videos.start(videoCreate({ shape: 'image-urls' }), upstream);
      expect(calls().at(-1)).toBe(
        'POST /v1/projects/from-the-key/locations/us-central1/publishers/google/models/m:predictLongRunning',
      );
    });
  });
});
