/** Every family and mode through its real adapter and its simulated vendor: from the caller's body to a file that opens. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import * as arkVendor from '@model-gateway/provider-ark';
import * as dashscopeVendor from '@model-gateway/provider-dashscope';
import * as klingVendor from '@model-gateway/provider-kling';
import * as minimaxVendor from '@model-gateway/provider-minimax';
import type { ProviderAdapter, VideoShape } from '@model-gateway/provider-kit';
import * as openaiVendor from '@model-gateway/provider-openai';
import * as tencentVodVendor from '@model-gateway/provider-tencent-vod';
import * as veoVendor from '@model-gateway/provider-veo';
import { startVendorTwin, type TwinVendor, type VendorTwin } from '@model-gateway/vendor-twin';
import type { ModelRow } from '../catalogue.ts';
import type { KeyRecord, Store } from '../ports.ts';
import { createSignedLinks, type SignedLinks } from './links.ts';
import {
  account,
  createClock,
  createHarness,
  makeKey,
  PRICE,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { bitmap, clip, dataUrl, picture, wav } from './testing/media.ts';
import { createMemoryBlobs, type MemoryBlobs } from './testing/memory-blobs.ts';
import { addressOf } from './testing/printing.ts';
import { openTestStore } from './testing/store.ts';

const ark = await arkVendor.ark.load();
const dashscope = await dashscopeVendor.dashscope.load();
const kling = await klingVendor.kling.load();
const minimax = await minimaxVendor.minimax.load();
const openai = await openaiVendor.openai.load();
const tencentVod = await tencentVodVendor.tencentVod.load();
const veo = await veoVendor.veo.load();

const IMAGE = 'https://media.example/a.png';
const VIDEO = 'https://media.example/v.mp4';
const PICTURE = dataUrl(await picture(400, 400, 'png'), 'image/png');

interface Model {
  readonly code: string;
  readonly vendor: TwinVendor;
  readonly adapter: ProviderAdapter;
  readonly shape: VideoShape;
  readonly upstream: string;
  readonly limits?: JsonObject;
  readonly settings?: Readonly<Record<string, string>>;
  /** The result is our own link: the vendor hands over bytes, or a link that needs its key. */
  readonly ownLink?: boolean;
  /** The vendor finds a job by our key. */
  readonly dedupes?: boolean;
}
const MODELS: readonly Model[] = [
  { code: 'a', vendor: 'ark', adapter: ark, shape: 'content', upstream: 'doubao-seedance-2-0-fast-260128' },
  ...['t2v', 'i2v', 'r2v', 'video-edit'].map((mode) => ({
    code: `b-${mode}`,
    vendor: 'dashscope' as const,
    adapter: dashscope,
    shape: 'input' as const,
    upstream: `happyhorse-1.0-${mode}`,
    limits: { mode },
  })),
  {
    code: 'c',
    vendor: 'vertex',
    adapter: veo,
    shape: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    settings: { wire: 'vertex', project: 'twin-project', location: 'us-central1' },
    ownLink: true,
  },
  {
    code: 'c-gemini',
    vendor: 'veo',
    adapter: veo,
    shape: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    settings: { wire: 'gemini' },
    ownLink: true,
  },
  { code: 'c-kie', vendor: 'kie', adapter: veo, shape: 'image-urls', upstream: 'veo3_fast', settings: { wire: 'kie' } },
  { code: 'd', vendor: 'tencent-vod', adapter: tencentVod, shape: 'omni', upstream: 'Kling/3.0-Omni', dedupes: true },
  { code: 'd-kling', vendor: 'kling', adapter: kling, shape: 'omni', upstream: 'kling-v3-omni', dedupes: true },
  { code: 'e', vendor: 'minimax', adapter: minimax, shape: 'prompt', upstream: 'MiniMax-Hailuo-02' },
  { code: 'f', vendor: 'openai', adapter: openai, shape: 'seconds', upstream: 'sora-2', ownLink: true },
  {
    code: 'f-xai',
    vendor: 'xai',
    adapter: openai,
    shape: 'seconds',
    upstream: 'grok-imagine-video',
    settings: { wire: 'xai' },
  },
];

const omniModes = (code: string): Case[] => [
  {
    mode: 'text',
    model: code,
    body: { prompt: 'A tram', duration: 5, size: '720P', aspect_ratio: '16:9', audio_generation: true },
  },
  {
    mode: 'first and last frame',
    model: code,
    body: {
      prompt: 'x',
      duration: 5,
      file_infos: [{ Type: 'Url', Category: 'Image', Url: IMAGE }],
      last_frame_url: IMAGE,
    },
  },
  {
    mode: 'references',
    model: code,
    body: {
      prompt: 'x',
      duration: 5,
      aspect_ratio: '1:1',
      file_infos: [{ Type: 'Url', Category: 'Image', Url: IMAGE, Usage: 'Reference' }],
    },
  },
];

interface Case {
  readonly mode: string;
  readonly model: string;
  readonly body: JsonObject;
  readonly endpoint?: 'videos';
}
const CASES: readonly Case[] = [
  { mode: 'text', model: 'a', body: { content: [{ type: 'text', text: 'A boat' }], resolution: '480p', duration: 4 } },
  {
    mode: 'first frame, embedded',
    model: 'a',
    body: { content: [{ type: 'image_url', image_url: { url: dataUrl(bitmap(400, 400), 'image/bmp') } }] },
  },
  {
    mode: 'first and last frame',
    model: 'a',
    body: {
      content: [
        { type: 'image_url', role: 'first_frame', image_url: { url: IMAGE } },
        { type: 'image_url', role: 'last_frame', image_url: { url: IMAGE } },
      ],
    },
  },
  {
    mode: 'multimodal reference',
    model: 'a',
    body: {
      content: [
        { type: 'text', text: 'Image 1 dances' },
        { type: 'image_url', role: 'reference_image', image_url: { url: 'asset://asset-1' } },
        { type: 'video_url', video_url: { url: VIDEO } },
        { type: 'audio_url', audio_url: { url: dataUrl(wav(3), 'audio/wav') } },
      ],
    },
  },
  {
    mode: 'text',
    model: 'b-t2v',
    body: { input: { prompt: 'Snow' }, parameters: { resolution: '720P', duration: 5 } },
  },
  { mode: 'image', model: 'b-i2v', body: { input: { prompt: 'x', media: [{ type: 'first_frame', url: IMAGE }] } } },
  {
    mode: 'reference',
    model: 'b-r2v',
    body: { input: { prompt: 'character1', media: [{ type: 'reference_image', url: IMAGE }] } },
  },
  {
    mode: 'editing',
    model: 'b-video-edit',
    body: {
      input: {
        prompt: 'x',
        media: [
          { type: 'video', url: VIDEO },
          { type: 'reference_image', url: IMAGE },
        ],
      },
    },
  },
  ...['c', 'c-gemini', 'c-kie'].flatMap((model): Case[] => [
    { mode: 'text', model, body: { prompt: 'Waves, gulls calling', aspect_ratio: '16:9', resolution: '720p' } },
    // kie.ai takes links only, Google takes embedded pictures only (ours fetches what is a link).
    ...[1, 2, 3].map((count) => ({
      mode: `${count} images`,
      model,
      body: { prompt: 'x', imageUrls: Array.from({ length: count }, () => (model === 'c-kie' ? IMAGE : PICTURE)) },
    })),
  ]),
  ...omniModes('d'),
  ...omniModes('d-kling'),
  { mode: 'text', model: 'e', body: { prompt: 'A lantern', duration: 6, resolution: '768P' } },
  {
    mode: 'first and last frame',
    model: 'e',
    body: { prompt: 'x', first_frame_image: IMAGE, last_frame_image: IMAGE },
  },
  { mode: 'text', model: 'f', body: { prompt: 'A kite', seconds: '4', size: '1280x720' }, endpoint: 'videos' },
  { mode: 'text', model: 'f-xai', body: { prompt: 'A kite', seconds: '4' }, endpoint: 'videos' },
  ...['a', 'b-t2v', 'c', 'c-gemini', 'c-kie', 'd', 'd-kling', 'e'].map((model) => ({
    mode: "OpenAI's shape",
    model,
    body: { prompt: 'A kite', seconds: /^[ce]/.test(model) ? '6' : '5', size: '1280x720' },
    endpoint: 'videos' as const,
  })),
];

let clock: Clock;
let twin: VendorTwin;
let store: Store;
let key: KeyRecord;
let harness: Harness;
let options: HarnessOptions;
let blobs: MemoryBlobs;
let links: SignedLinks;
const rows: ModelRow[] = [];

beforeAll(async () => {
  clock = createClock();
  twin = await startVendorTwin({ clock: clock.now, media: 'tiny' });
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7, balance: 10_000_000 });
  const accounts = new Map(
    [...new Set(MODELS.map(({ vendor }) => vendor))].map((vendor, index) => [
      vendor,
      account({
        id: index + 1,
        vendor: MODELS.find((model) => model.vendor === vendor)?.adapter.id ?? '',
        baseUrl: twin.baseUrl(vendor),
        credentials: twin.credentials(vendor),
        settings: MODELS.find((model) => model.vendor === vendor)?.settings ?? {},
      }),
    ]),
  );
  for (const { code, vendor, shape, upstream, limits = {} } of MODELS) {
    const home = accounts.get(vendor);
    if (home === undefined) throw new Error(vendor);
    const row = videoRow({ code, videoShape: shape, limits, usualSeconds: 10 }, home);
    rows.push({ ...row, offers: row.offers.map((offer) => ({ ...offer, model: upstream })) });
  }
  blobs = createMemoryBlobs();
  links = createSignedLinks({ secret: 's'.repeat(32), addressOf, now: clock.now });
  options = {
    store,
    clock,
    adapters: [ark, dashscope, kling, minimax, openai, tencentVod, veo],
    accounts: [...accounts.values()],
    models: rows,
    settings: { reconcileAfterMs: [1, 5] },
    parts: { blobs: blobs, links },
  };
  harness = createHarness(options);
});
beforeEach(() => {
  twin.faults.clear();
  clock.pass(600_000);
});
afterAll(async () => {
  await harness.close();
  await store.close();
  await twin.close();
});

const create = async ({ model, body, endpoint }: Pick<Case, 'model' | 'body' | 'endpoint'>) => {
  const created = await harness.engine.createVideo(
    harness.caller(key),
    { model, ...body },
    { endpoint: endpoint ?? 'generations' },
  );
  if (created.replayed !== undefined) throw new Error('replayed');
  return created;
};
const ended = async (id: string): Promise<boolean> =>
  ['SUCCESS', 'FAILURE'].includes((await harness.engine.get(harness.caller(key), id)).state);
const balance = async (): Promise<number> => (await store.owners.get(7))?.balance ?? 0;
const modelOf = (code: string): Model => MODELS.find((model) => model.code === code) ?? MODELS[0]!;
const textCase = (code: string): Case => CASES.find(({ model }) => model === code) ?? CASES[0]!;

describe('every family and mode', () => {
  it.each(CASES.map((each) => ({ ...each, name: `${each.model}: ${each.mode}` })))('$name', async (each) => {
    const before = await balance();
    const jobs = twin.ledger.jobs().length;
    const { task } = await create(each);
    await harness.until(() => ended(task.id));
    const done = await harness.engine.get(harness.caller(key), task.id);
    expect(done.failReason).toBe('');
    expect(done.state).toBe('SUCCESS');
    expect(before - (await balance())).toBe(PRICE);
    expect(twin.ledger.jobs()).toHaveLength(jobs + 1);
    const { signal } = new AbortController();
    const content = await harness.engine.openContent(harness.caller(key), task.id, { signal });
    expect(content.mime).toBe('video/mp4');
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).subarray(4, 8).toString('latin1')).toBe('ftyp');
    const result = harness.engine.resultUrl(done);
    const ours = `${addressOf('video', task.id)}?expires=`;
    expect(result.startsWith(ours)).toBe(modelOf(each.model).ownLink === true);
    expect(result).toMatch(/^https?:/);
    expect(JSON.stringify(done.payload)).not.toMatch(/sk-twin|testSecretKey/);
  });

  it('family E carries file, download_url and video_url in its payload', async () => {
    const { task } = await create(textCase('e'));
    await harness.until(() => ended(task.id));
    const { payload } = await harness.engine.get(harness.caller(key), task.id);
    expect(payload).toMatchObject({
      base_resp: { status_code: 0 },
      status: 'Success',
      file: { download_url: expect.any(String), file_id: expect.any(String) },
      download_url: expect.any(String),
      video_url: expect.any(String),
    });
  });
});

describe.each(MODELS.filter(({ code }) => !/^b-[irv]/.test(code)))(
  'when things go wrong: $code ($vendor)',
  ({ code, vendor, dedupes }) => {
    it('a lost answer starts no second job: it is found again where the vendor can, else the money is back', async () => {
      const before = await balance();
      const jobs = twin.ledger.jobs().length;
      twin.faults.next(vendor, 'create', { kind: 'no-answer' });
      const outcome = await create(textCase(code)).catch((error: unknown) => error as Error);
      expect(twin.ledger.jobs()).toHaveLength(jobs + 1);
      if (dedupes === true) {
        if (outcome instanceof Error) throw outcome;
        await harness.until(() => ended(outcome.task.id));
        expect(before - (await balance())).toBe(PRICE);
      } else {
        expect(outcome).toBeInstanceOf(GatewayError);
        expect(outcome).toMatchObject({ code: 'submission_unknown' });
        expect(await balance()).toBe(before);
      }
    });

    it.each([
      { name: '429', fault: { kind: 'status', status: 429, headers: { 'retry-after': '4' } } as const },
      { name: '503', fault: { kind: 'status', status: 503 } as const },
      { name: 'torn JSON', fault: { kind: 'torn-json' } as const },
    ])('$name on polls is lived through', async ({ fault }) => {
      const { task } = await create(textCase(code));
      twin.faults.next(vendor, 'poll', fault, 2);
      await harness.until(() => ended(task.id));
      expect((await harness.engine.get(harness.caller(key), task.id)).state).toBe('SUCCESS');
    });

    it('refused after acceptance: FAILURE, a reason, and the money back', async () => {
      const before = await balance();
      twin.faults.next(vendor, 'create', { kind: 'moderation' });
      const { task } = await create(textCase(code));
      await harness.until(() => ended(task.id));
      const failed = await harness.engine.get(harness.caller(key), task.id);
      expect(failed).toMatchObject({ state: 'FAILURE', failCode: 'content_refused', quota: 0 });
      expect(failed.failReason).not.toBe('');
      expect(await balance()).toBe(before);
    });

    it('429 on create is told with when to come back, and costs nothing', async () => {
      const before = await balance();
      twin.faults.next(vendor, 'create', { kind: 'status', status: 429, headers: { 'retry-after': '4' } });
      const error: unknown = await create(textCase(code)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'upstream_rate_limited' });
      expect((error as GatewayError).details.retryAfterSeconds).toBeGreaterThan(0);
      expect(await balance()).toBe(before);
    });
  },
);

it('the ledger adds up, and every hold is closed once', async () => {
  const open = await store.tasks.countOpen();
  expect(open.reduce((sum, { count }) => sum + count, 0)).toBe(0);
  expect(await store.ledger.verify()).toEqual([]);
});

describe('an embedded video, which the vendor does not take', () => {
  const request = async (): Promise<JsonObject> => ({
    content: [
      { type: 'text', text: 'Continue Video 1' },
      { type: 'video_url', video_url: { url: dataUrl(await clip({ seconds: 3 }), 'video/mp4') } },
    ],
  });

  it('is measured, kept for a while, and handed on as a link of our own', async () => {
    const { task } = await create({ model: 'a', body: await request() });
    expect(task.input['videos']).toEqual([{ role: 'reference', url: expect.stringContaining('characters of media') }]);
    const sent = twin.requests.last('ark', 'create')?.json as {
      content: { role: string; video_url: { url: string } }[];
    };
    const url = new URL(sent.content[1]?.video_url.url ?? '');
    expect(sent.content[1]?.role).toBe('reference_video');
    expect(url.origin).toBe('https://gateway.example');
    const id = url.pathname.split('/').at(-1) ?? '';
    expect(links.verify('file', id, Object.fromEntries(url.searchParams))).toBe(true);
    const file = await harness.engine.openFile(id, { signal: new AbortController().signal });
    expect(file.size).toBe([...blobs.files.values()].at(-1)?.length);
    await harness.until(() => ended(task.id));
  });

  it('is refused before anything is stored where no vendor could fetch it', async () => {
    const before = (await store.tasks.list({ limit: 1000 })).length;
    const inside = createHarness({ ...options, parts: { ...options.parts, publicUrl: () => 'http://127.0.0.1:8080' } });
    await expect(
      inside.engine.createVideo(inside.caller(key), { model: 'a', ...(await request()) }, { endpoint: 'generations' }),
    ).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'content[1].video_url.url' } });
    expect(await store.tasks.list({ limit: 1000 })).toHaveLength(before);
    await inside.close();
  });
});
