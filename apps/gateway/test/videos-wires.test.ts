/**
 * Family × wire × mode × fault, through the running gateway against the vendors' twin: every wire alone behind its model, every reply checked
 * against the document, in controlled time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import type { TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import sharp from 'sharp';

/** What every video of these models costs: 0.2 dollars. */
const PRICE = 100_000;
const MINUTE_MS = 60_000;
const LONG_MS = 30 * MINUTE_MS;
const IMAGE = 'https://example.com/a.png';
const VIDEO = 'https://example.com/v.mp4';
const background = { r: 40, g: 90, b: 160 };
const png = await sharp({ create: { width: 400, height: 400, channels: 3, background } })
  .png()
  .toBuffer();
const PICTURE = `data:image/png;base64,${png.toString('base64')}`;

interface Wire {
  readonly family: string;
  readonly wire: string;
  readonly vendor: TwinVendor;
  /** YAML of the account, without id and name. */
  readonly account: string;
  /** YAML of the model row: its body shape, and what its vendor calls it. */
  readonly body: string;
  readonly upstream: string;
  readonly limits?: string;
  readonly modes: Readonly<Record<string, JsonObject>>;
  /** What can be stopped, and when. */
  readonly cancels?: 'queued' | 'always';
  /** Its family answers in OpenAI's words at /v1/videos. */
  readonly openai?: boolean;
  /** False where earlier gateways had no number for the vendor. */
  readonly hasPlatform?: false;
}

const content = (...items: JsonObject[]): JsonObject => ({ content: items, duration: 5 });
const said = (text: string): JsonObject => ({ type: 'text', text });
const shown = (role: string, url = IMAGE): JsonObject => ({ type: 'image_url', role, image_url: { url } });
const media = (type: string, url = IMAGE): JsonObject => ({ type, url });
const filed = (Usage: string): JsonObject => ({ Type: 'Url', Category: 'Image', Url: IMAGE, Usage });

const omni: Wire['modes'] = {
  text: { prompt: 'A tram', duration: 5, size: '720P', aspect_ratio: '16:9', audio_generation: true },
  'first and last frame': {
    prompt: 'A bud opens',
    duration: 5,
    file_infos: [filed('FirstFrame')],
    last_frame_url: IMAGE,
  },
  references: { prompt: 'A hat', duration: 5, aspect_ratio: '1:1', file_infos: [filed('Reference')] },
};
const pictures = (url: string): Wire['modes'] => ({
  text: { prompt: 'Waves', aspect_ratio: '16:9', resolution: '720p' },
  image: { prompt: 'The tide', imageUrls: [url], aspect_ratio: '16:9' },
  'first and last frame': { prompt: 'The tide', imageUrls: [url, url] },
  references: { prompt: 'The tide', imageUrls: [url, url, url] },
});
const happyhorse = (mode: string, body: JsonObject): Wire => ({
  family: 'B',
  wire: `DashScope ${mode}`,
  vendor: 'dashscope',
  account: "vendor: dashscope, credentials: { api_key: '${UNSET}' }",
  body: 'input',
  upstream: `happyhorse-1.0-${mode}`,
  limits: `mode: ${mode}`,
  modes: { [mode]: body },
  cancels: 'queued',
});
const prompted = (text: string, more: JsonObject = {}): JsonObject => ({ input: { prompt: text, ...more } });

const WIRES: readonly Wire[] = [
  {
    family: 'A',
    wire: 'Ark',
    vendor: 'ark',
    account: "vendor: ark, credentials: { api_key: '${UNSET}' }",
    body: 'content',
    upstream: 'doubao-seedance-2-0-fast-260128',
    modes: {
      text: content(said('A boat')),
      'first frame': content(said('A cat'), shown('first_frame', PICTURE)),
      'first and last frame': content(shown('first_frame'), shown('last_frame')),
      references: content(
        said('Image 1 dances'),
        shown('reference_image', 'asset://asset-1'),
        { type: 'video_url', role: 'reference_video', video_url: { url: VIDEO } },
        { type: 'audio_url', role: 'reference_audio', audio_url: { url: 'https://example.com/a.mp3' } },
      ),
    },
    cancels: 'queued',
  },
  happyhorse('t2v', { ...prompted('Snow'), parameters: { resolution: '720P', duration: 5 } }),
  happyhorse('i2v', prompted('She turns', { media: [media('first_frame')] })),
  happyhorse('r2v', prompted('character1 waves', { media: [media('reference_image'), media('reference_image')] })),
  happyhorse('video-edit', prompted('A jacket', { media: [media('video', VIDEO), media('reference_image')] })),
  {
    family: 'C',
    wire: 'Gemini API',
    vendor: 'veo',
    account: "vendor: veo, wire: gemini, credentials: { api_key: '${UNSET}' }",
    body: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    modes: pictures(PICTURE),
  },
  {
    family: 'C',
    wire: 'Vertex',
    vendor: 'vertex',
    account:
      "vendor: veo, wire: vertex, credentials: { client_email: '${UNSET}', private_key: '${UNSET}' }, settings: { project: twin-project, location: us-central1 }",
    body: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    modes: pictures(PICTURE),
  },
  {
    family: 'C',
    wire: 'kie.ai',
    vendor: 'kie',
    account: "vendor: veo, wire: kie, credentials: { api_key: '${UNSET}' }",
    body: 'image-urls',
    upstream: 'veo3_fast',
    modes: pictures(IMAGE),
  },
  {
    family: 'D',
    wire: 'Tencent VOD',
    vendor: 'tencent-vod',
    account:
      "vendor: tencent-vod, credentials: { secret_id: '${UNSET}', secret_key: '${UNSET}', sub_app_id: '${UNSET}' }",
    body: 'omni',
    upstream: 'Kling/3.0-Omni',
    limits: 'omni: true',
    modes: omni,
    cancels: 'always',
  },
  {
    family: 'D',
    wire: 'Kling',
    vendor: 'kling',
    account: "vendor: kling, credentials: { access_key: '${UNSET}', secret_key: '${UNSET}' }",
    body: 'omni',
    upstream: 'kling-v3-omni',
    limits: 'omni: true',
    modes: omni,
  },
  {
    family: 'E',
    wire: 'MiniMax',
    vendor: 'minimax',
    account: "vendor: minimax, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'MiniMax-Hailuo-02',
    modes: {
      text: { prompt: 'A lantern', duration: 6 },
      'first frame': { prompt: 'A lantern', first_frame_image: IMAGE },
      'first and last frame': { prompt: 'A lantern', first_frame_image: IMAGE, last_frame_image: IMAGE },
    },
  },
  {
    family: 'F',
    wire: 'OpenAI',
    vendor: 'openai',
    account: "vendor: openai, credentials: { api_key: '${UNSET}' }",
    body: 'seconds',
    upstream: 'sora-2',
    modes: {
      text: { prompt: 'A kite', seconds: '4', size: '1280x720' },
      image: { prompt: 'A kite', seconds: '8', input_reference: { image_url: PICTURE } },
    },
    openai: true,
  },
  {
    family: 'F',
    wire: 'xAI',
    vendor: 'xai',
    account: "vendor: openai, wire: xai, credentials: { api_key: '${UNSET}' }",
    body: 'seconds',
    upstream: 'grok-imagine-video',
    modes: {
      text: { prompt: 'A kite', seconds: '5' },
      image: { prompt: 'A kite', seconds: '5', input_reference: IMAGE },
    },
    openai: true,
  },
  {
    family: 'E',
    wire: 'fal',
    vendor: 'fal',
    hasPlatform: false,
    account: "vendor: fal, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'fal-ai/kling-video/v2.5-turbo/pro/text-to-video',
    ...{ modes: { text: { prompt: 'A tram', aspect_ratio: '16:9' } }, cancels: 'queued' },
  },
  {
    family: 'E',
    wire: 'Replicate',
    vendor: 'replicate',
    hasPlatform: false,
    account: "vendor: replicate, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'bytedance/seedance-1-pro',
    modes: { frames: { prompt: 'A tram', duration: 5, first_frame_image: PICTURE, last_frame_image: IMAGE } },
    cancels: 'queued',
  },
  {
    family: 'E',
    wire: 'Black Forest Labs',
    vendor: 'bfl',
    hasPlatform: false,
    account: "vendor: bfl, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'flux-3-video',
    modes: { frames: { prompt: 'A tram', first_frame_image: PICTURE, last_frame_image: IMAGE } },
  },
  {
    family: 'E',
    wire: 'Runway',
    vendor: 'runway',
    hasPlatform: false,
    account: "vendor: runway, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'gen4.5',
    modes: { frame: { prompt: 'A tram', first_frame_image: PICTURE, aspect_ratio: '1:1' } },
    cancels: 'queued',
  },
  {
    family: 'E',
    wire: 'Luma',
    vendor: 'luma',
    hasPlatform: false,
    account: "vendor: luma, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'ray-2',
    modes: { frames: { prompt: 'A tram', first_frame_image: IMAGE, last_frame_image: IMAGE, loop: true } },
  },
];
const codeOf = ({ family, wire }: Wire): string => `${family} ${wire}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const titled = WIRES.map((wire) => ({ ...wire, code: codeOf(wire), title: `family ${wire.family} by ${wire.wire}` }));

let now = Date.now() - 48 * 3_600_000;
let gateway: TestGateway;
/** Everything that callers were told, to be searched for what they must not be told. */
const told: string[] = [];

beforeAll(async () => {
  const accounts = titled.map(({ account, code }, index) => `  - { id: ${index + 1}, name: '${code}', ${account} }`);
  const models = titled.map(
    ({ code, body, upstream, limits }) =>
      `  - { code: ${code}, kind: video, body: ${body}, usual_seconds: 60, deadline_hours: 3, ${limits === undefined ? '' : `limits: { ${limits} }, `}offers: [{ account: ${code}, model: ${upstream} }], price: { video: 0.2 } }`,
  );
  gateway = await openTestGateway({
    clock: () => now,
    yaml: `extends: none\naccounts:\n${accounts.join('\n')}\nmodels:\n${models.join('\n')}\nsecurity: { allow_private: ['127.0.0.1'] }`,
  });
});
afterAll(() => gateway.close());
beforeAll(() => gateway.server.parts.store.ledger.topUp(1, 1000 * PRICE, {}, now));
beforeEach(() => {
  // Cool-downs of the test before are over.
  now += LONG_MS;
});
afterEach(() => {
  const unmet = gateway.twin.faults.pending();
  gateway.twin.faults.clear();
  expect(unmet).toBe(0);
});

async function call(path: string, body?: JsonObject, method?: string) {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  told.push(JSON.stringify([...reply.headers]), text);
  return { status: reply.status, headers: reply.headers, json: JSON.parse(text) as JsonObject };
}

const create = ({ code, openai }: (typeof titled)[number], body: JsonObject) =>
  call(openai === true ? '/v1/videos' : '/v1/video/generations', { model: code, ...body });

async function created(wire: (typeof titled)[number], body: JsonObject): Promise<string> {
  const { status, json } = await create(wire, body);
  expect({ status, json }).toMatchObject({ status: 200, json: { object: 'video', status: 'queued', progress: 0 } });
  const { id, task_id: taskId } = json;
  // Family F is acknowledged in OpenAI's words: `id` alone, milliseconds, seconds.
  if (wire.openai === true) {
    expect(json).toMatchObject({ seconds: body['seconds'], created_at: expect.any(Number) });
    expect(String(json['created_at'])).toHaveLength(13);
    expect(taskId).toBeUndefined();
    expect(json['size']).toEqual(body['size'] ?? expect.stringMatching(/^\d+x\d+$/));
  } else {
    expect(taskId).toBe(id);
    expect(id).toMatch(/^task_/);
  }
  return String(id);
}

async function recordOf(id: string): Promise<JsonObject> {
  const { status, json } = await call(`/v1/video/generations/${id}`);
  expect({ status, code: json['code'] }).toEqual({ status: 200, code: 'success' });
  return json['data'] as JsonObject;
}

/** Time goes by, in steps, until the task has ended. */
async function ended(id: string, stepMs = MINUTE_MS): Promise<JsonObject> {
  for (let step = 0; step < 30; step++) {
    now += stepMs;
    await gateway.server.tasks.runDue();
    const record = await recordOf(id);
    if (record['status'] === 'SUCCESS' || record['status'] === 'FAILURE') return record;
  }
  throw new Error(`${id} does not end`);
}

async function firstBytes(id: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/videos/${id}/content`, {
    headers: { authorization: `Bearer ${gateway.liveKey}`, range: 'bytes=4-7' },
  });
  expect(reply.status).toBe(206);
  return reply.text();
}

const textOf = ({ modes }: Wire): JsonObject => Object.values(modes)[0] ?? {};
/** The body with the twin's mark in its prompt. */
function marked(body: JsonObject, mark: string): JsonObject {
  const text = (value: unknown): string => `${String(value)} [[twin:${mark}]]`;
  if (Array.isArray(body['content'])) return { ...body, content: [said(text('A boat'))] };
  const { input } = body;
  if (isJsonObject(input)) return { ...body, input: { ...input, prompt: text(input['prompt']) } };
  return { ...body, prompt: text(body['prompt']) };
}
const jobsOf = ({ vendor }: Wire): number => gateway.twin.ledger.jobs(vendor).length;
async function balance(): Promise<number> {
  return (await gateway.server.parts.store.owners.get(1))?.balance ?? 0;
}

describe.each(titled)('$title', (wire) => {
  const { vendor, openai } = wire;

  it.each(Object.entries(wire.modes))('%s: create, poll, record, file', async (_mode, body) => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    const id = await created(wire, body);
    expect(await recordOf(id)).toMatchObject({ status: 'NOT_START', progress: '0%', result_url: '', fail_reason: '' });
    expect(await ended(id)).toMatchObject({
      task_id: id,
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      quota: PRICE,
      action: 'generate',
      platform: wire.hasPlatform === false ? '0' : expect.stringMatching(/^[1-9]\d*$/),
      result_url: expect.stringMatching(/^http/),
      properties: { origin_model_name: wire.code, upstream_model_name: wire.upstream },
      data: expect.anything(),
    });
    expect([await balance(), jobsOf(wire)]).toEqual([before - PRICE, jobs + 1]);
    expect(await firstBytes(id)).toBe('ftyp');
    expect((await call(`/v1/videos/${id}`)).json).toMatchObject({
      id,
      status: 'completed',
      progress: 100,
      error: null,
    });
  });

  it.each<[string, TwinFault | string, string]>([
    ['a failure', { kind: 'fail' }, ''],
    ['moderation after accept', { kind: 'moderation' }, 'content_refused'],
    ['expiry at the vendor', 'expire', ''],
  ])('%s: FAILURE with a reason, nothing charged', async (_name, fault, code) => {
    const before = await balance();
    if (typeof fault !== 'string') gateway.twin.faults.next(vendor, 'create', fault);
    const id = await created(wire, typeof fault === 'string' ? marked(textOf(wire), fault) : textOf(wire));
    const record = await ended(id);
    expect(record).toMatchObject({ status: 'FAILURE', progress: '100%', quota: 0, result_url: '' });
    expect(String(record['fail_reason']).length).toBeGreaterThan(3);
    const video = (await call(`/v1/videos/${id}`)).json;
    expect(video).toMatchObject({ status: 'failed', error: { message: record['fail_reason'] } });
    if (code !== '') expect(video).toMatchObject({ error: { code } });
    expect(await balance()).toBe(before);
    expect((await call(`/v1/videos/${id}/content`)).status).toBe(400);
  });

  it('a job that never ends: the deadline ends the task, nothing charged', async () => {
    const before = await balance();
    gateway.twin.faults.next(vendor, 'create', { kind: 'never' });
    const id = await created(wire, textOf(wire));
    const record = await ended(id, LONG_MS);
    expect(record).toMatchObject({ status: 'FAILURE', quota: 0, data: null });
    expect(record['fail_reason']).toContain('3 hours');
    expect(await balance()).toBe(before);
  });

  it('429 on submit: no job, the caller hears when to come back', async () => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    gateway.twin.faults.next(vendor, 'create', { kind: 'status', status: 429, headers: { 'retry-after': '4' } });
    const { status, json, headers } = await create(wire, textOf(wire));
    expect([status, (json['error'] as JsonObject)['code']]).toEqual([
      ...(openai === true ? [429, 'rate_limit_exceeded'] : [503, 'upstream_rate_limited']),
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    if (openai !== true) expect(json).toMatchObject({ code: 'upstream_rate_limited', data: null });
    expect([await balance(), jobsOf(wire)]).toEqual([before, jobs]);
  });

  it.each<[string, TwinFault]>([
    ['5xx', { kind: 'status', status: 500 }],
    ['torn JSON', { kind: 'torn-json' }],
  ])('%s on submit: asked once, and nothing is charged that nobody can see', async (_name, fault) => {
    const [before, jobs] = [await balance(), jobsOf(wire)];
    gateway.twin.faults.next(vendor, 'create', fault);
    const { status, json } = await create(wire, textOf(wire));
    const id = json['task_id'] ?? json['id'];
    if (status === 200) {
      // The vendor was asked by our own key and has it: the very job.
      expect((await ended(String(id)))['status']).toBe('SUCCESS');
      expect([await balance(), jobsOf(wire)]).toEqual([before - PRICE, jobs + 1]);
    } else {
      expect([status, (json['error'] as JsonObject)['code']]).toEqual([
        openai === true ? 500 : 503,
        'submission_unknown',
      ]);
      expect(await balance()).toBe(before);
    }
    expect(jobsOf(wire) - jobs).toBeLessThanOrEqual(1);
  });

  it.each<[string, TwinFault]>([
    ['429', { kind: 'status', status: 429 }],
    ['5xx', { kind: 'status', status: 503 }],
    ['torn JSON', { kind: 'torn-json' }],
    ['an unknown status word', { kind: 'unknown-status', word: 'pondering' }],
  ])('%s at a poll: no failure of the task', async (_name, fault) => {
    // Google's operations are done or not: they have no word for it.
    if (fault.kind === 'unknown-status' && (vendor === 'veo' || vendor === 'vertex')) return;
    const id = await created(wire, textOf(wire));
    gateway.twin.faults.next(vendor, 'poll', fault);
    now += MINUTE_MS;
    await gateway.server.tasks.runDue();
    expect(gateway.twin.faults.pending()).toBe(0);
    expect(['NOT_START', 'IN_PROGRESS']).toContain((await recordOf(id))['status']);
    expect(await ended(id)).toMatchObject({ status: 'SUCCESS', quota: PRICE });
  });

  it('cancel: stopped with its money back where the vendor can, else told that it cannot', async () => {
    const before = await balance();
    const id = await created(wire, textOf(wire));
    const { status, json } = await call(`/v1/video/generations/${id}`, undefined, 'DELETE');
    if (wire.cancels === undefined) {
      expect({ status, json }).toMatchObject({ status: 409, json: { code: 'conflict', data: null } });
      expect(await ended(id)).toMatchObject({ status: 'SUCCESS' });
      return;
    }
    expect(status).toBe(200);
    expect(json).toMatchObject({ data: { status: 'FAILURE', fail_reason: 'task cancelled', quota: 0 } });
    expect(gateway.twin.ledger.jobs(vendor).at(-1)?.state).toBe('cancelled');
    expect(await balance()).toBe(before);
    expect((await call(`/v1/video/generations/${id}`, undefined, 'DELETE')).status).toBe(409);
  });
});

it('nothing that was told names a key, an account or the project of a vendor', () => {
  const all = told.join('\n');
  expect(all.length).toBeGreaterThan(10_000);
  expect(all).not.toContain('twin-project');
  for (const { vendor } of titled)
    for (const [name, secret] of Object.entries(gateway.twin.credentials(vendor)))
      // Tencent writes the application's number into every task id.
      if (name !== 'sub_app_id') expect([vendor, name, all.includes(secret)]).toEqual([vendor, name, false]);
});

it('W13: no key of a caller and no credential of a vendor stands in the database', async () => {
  const path = gateway.databaseUrl.replace(/^sqlite:/, '');
  const stored = [path, `${path}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each, 'latin1'));
  const all = stored.join('\n');
  // It is the right file, and what it says is not enciphered.
  expect(all).toContain('harness-live');
  for (const key of [gateway.liveKey, gateway.testKey, gateway.otherKey, gateway.adminKey])
    expect(all.includes(key)).toBe(false);
  for (const { vendor } of titled)
    for (const [name, secret] of Object.entries(gateway.twin.credentials(vendor)))
      // Kling's is the beginning of every test key; the names of Vertex's operations, our tickets there, begin with the project.
      if (name !== 'sub_app_id' && name !== 'project_id' && secret.length > 10)
        expect([vendor, name, all.includes(secret)]).toEqual([vendor, name, false]);
});

it('every hold is closed, and the ledger adds up', async () => {
  const { store } = gateway.server.parts;
  expect(await store.tasks.countOpen()).toEqual([]);
  expect(await store.ledger.verify()).toEqual([]);
});
