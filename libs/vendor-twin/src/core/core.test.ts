import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageSize } from 'image-size';
import { startVendorTwin, TWIN_CREDENTIALS, TWIN_VENDORS, type VendorTwin } from '../index.ts';
import { nameOf, specOf } from '../media/media.ts';
import type { MediaSpec } from '../media/spec.ts';
import { MediaWorker, MediaWorkerBusy } from '../media/media-worker.ts';
import { ask } from '../test-kit.ts';
import { JobRegistry } from './jobs.ts';
import { readMarkers, withoutMarkers } from './markers.ts';

const SECRET = 'the links of this test';
const withTwin = async (use: (twin: VendorTwin) => Promise<void>, options = {}): Promise<void> => {
  const twin = await startVendorTwin({ mediaSecret: SECRET, ...options });
  try {
    await use(twin);
  } finally {
    await twin.close();
  }
};
const picture: MediaSpec = { kind: 'image', width: 64, height: 32, format: 'png', text: 'hi', seed: 1 };

describe('the twin', () => {
  it('has a base URL and credentials for every vendor', async () => {
    await withTwin(async (twin) => {
      for (const vendor of TWIN_VENDORS) {
        expect(twin.baseUrl(vendor)).toMatch(new RegExp(`^${twin.url}/${vendor}(/|$)`));
        expect(Object.keys(twin.credentials(vendor)).length).toBeGreaterThan(0);
        expect(Object.keys(TWIN_CREDENTIALS[vendor]).length).toBeGreaterThan(0);
      }
      expect(twin.baseUrl('ark')).toBe(`${twin.url}/ark/api/v3`);
      expect(twin.credentials('vertex')['token_uri']).toBe(`${twin.url}/vertex/token`);
    });
  });

  it('says itself whose accounts it answers for', async () => {
    await withTwin(async (twin) => {
      expect(twin.standInFor('openai-compatible', undefined)).toEqual({
        baseUrl: twin.baseUrl('openai'),
        credentials: twin.credentials('openai'),
      });
      for (const vendor of ['openai', 'openai-compatible'])
        expect(twin.standInFor(vendor, 'xai')?.baseUrl).toBe(twin.baseUrl('xai'));
      expect(twin.standInFor('veo', undefined)).toEqual(twin.standInFor('veo', 'gemini'));
      expect(twin.standInFor('veo', 'vertex')?.credentials['token_uri']).toBe(`${twin.url}/vertex/token`);
      expect(twin.standInFor('openai', 'kie')).toBeUndefined();
      expect(twin.standInFor('nobody', undefined)).toBeUndefined();
    });
  });

  it('says no to what nobody serves, in the vendor’s words where there is a vendor', async () => {
    await withTwin(async (twin) => {
      expect((await ask(`${twin.url}/nobody/x`)).status).toBe(404);
      expect(await ask(`${twin.url}/openai/v1/nothing`)).toMatchObject({
        status: 404,
        json: { error: { type: 'invalid_request_error' } },
      });
      expect(await ask(`${twin.url}/gemini/v1beta/nothing`)).toMatchObject({
        status: 404,
        json: { error: { status: 'NOT_FOUND' } },
      });
      const headers = { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']!}` };
      expect(await ask(`${twin.baseUrl('openai')}/chat/completions`, { body: '{"model":', headers })).toMatchObject({
        status: 400,
      });
      expect(await ask(`${twin.baseUrl('openai')}/chat/completions`, { body: '[]', headers })).toMatchObject({
        status: 400,
      });
    });
  });

  it('survives clients that hang up while sending', async () => {
    await withTwin(async (twin) => {
      const { hostname, port } = new URL(twin.url);
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            'POST /openai/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"half":',
            () => socket.destroy(),
          );
        });
        socket.on('close', () => resolve());
      });
      expect((await ask(`${twin.url}/openai/v1/models`)).status).toBe(401);
    });
  });

  it('is lean when asked: counters, but no logs', async () => {
    await withTwin(
      async (twin) => {
        const headers = { authorization: `Bearer ${TWIN_CREDENTIALS.openai['api_key']!}` };
        const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }] };
        await ask(`${twin.baseUrl('openai')}/chat/completions`, { body, headers });
        expect(twin.requests.list()).toEqual([]);
        expect(twin.ledger.answers()).toEqual([]);
        expect(twin.ledger.totals('openai')).toMatchObject({ answers: 1, outputTokens: 3 });
      },
      { lean: true },
    );
  });

  it('cannot have a port that is taken', async () => {
    await withTwin(async (twin) => {
      await expect(startVendorTwin({ port: Number(new URL(twin.url).port) })).rejects.toThrow('EADDRINUSE');
    });
  });
});

describe('marks', () => {
  const read = (text: string): ReturnType<typeof readMarkers> => readMarkers(text, new Map());

  it('ask for faults and for words', () => {
    expect(read('[[twin:429=7]] and [[twin:tool]] [[twin:long=20]]')).toEqual({
      faults: [{ kind: 'status', status: 429, headers: { 'retry-after': '7' } }],
      words: new Map([
        ['tool', ''],
        ['long', '20'],
      ]),
    });
    expect(read('plain [[other:429]]').faults).toEqual([]);
    expect(read('[[twin:slow=250]]').faults).toEqual([{ kind: 'slow', ms: 250 }]);
  });

  it('are not part of what is said', () => {
    expect(withoutMarkers('a [[twin:tool]] b')).toBe('a b');
  });
});

describe('jobs', () => {
  const order = {
    kind: 'video',
    model: 'm',
    prompt: 'p',
    fate: 'succeed',
    usage: {},
    details: {},
    seconds: 10,
  } as const;

  it('move with the clock alone, never back', () => {
    let now = 1000;
    const book = new JobRegistry(() => now);
    const job = book.create('ark', { ...order, id: 'a' });
    const percents: number[] = [];
    const states = new Set<string>();
    for (; now < 20_000; now += 250) {
      states.add(book.stateOf(job));
      percents.push(book.percentOf(job));
    }
    expect([...states]).toEqual(['queued', 'running', 'succeeded']);
    expect(percents.toSorted((left, right) => left - right)).toEqual(percents);
    expect(book.endedAt(job) - 1000).toBeGreaterThanOrEqual(8500);
    expect(book.endedAt(job) - 1000).toBeLessThanOrEqual(11_500);
  });

  it('do not end all at once, yet always the same way', () => {
    const ends = (): number[] => {
      const book = new JobRegistry(() => 0);
      return Array.from({ length: 20 }, (_, index) =>
        book.endedAt(book.create('ark', { ...order, id: String(index) })),
      );
    };
    expect(new Set(ends()).size).toBe(20);
    expect(ends()).toEqual(ends());
  });

  it('are kept apart by vendor', () => {
    const book = new JobRegistry(() => 0);
    book.create('ark', { ...order, id: 'same' });
    expect(book.find('kling', 'same')).toBeUndefined();
    expect(book.find('ark', 'same')).toBeDefined();
  });
});

describe('media', () => {
  let shared: VendorTwin;
  beforeAll(async () => {
    shared = await startVendorTwin({ mediaSecret: SECRET });
  });
  afterAll(async () => shared.close());

  it('is served from links that say everything, also by a later twin', async () => {
    let link = '';
    await withTwin(async (twin) => {
      link = `/media/${nameOf(SECRET, picture)}`;
      const reply = await ask(`${twin.url}${link}`);
      expect(reply.headers.get('content-type')).toBe('image/png');
      expect(imageSize(reply.bytes)).toMatchObject({ width: 64, height: 32 });
      const head = await ask(`${twin.url}${link}`, { method: 'HEAD' });
      expect([head.headers.get('content-length'), head.bytes.length]).toEqual([String(reply.bytes.length), 0]);
    });
    await withTwin(async (twin) => expect((await ask(`${twin.url}${link}`)).status).toBe(200));
  });

  it.each<[string, string | undefined, number, string | null]>([
    ['all of it', undefined, 200, null],
    ['a beginning', 'bytes=0-3', 206, 'bytes 0-3/'],
    ['an end', 'bytes=-4', 206, 'bytes '],
    ['the rest', 'bytes=10-', 206, 'bytes 10-'],
    ['nothing there', 'bytes=9999999-', 416, 'bytes */'],
    ['nonsense', 'lines=1-2', 200, null],
  ])('gives %s', async (_, range, status, contentRange) => {
    const reply = await ask(
      `${shared.url}/media/${nameOf(SECRET, picture)}`,
      range === undefined ? {} : { headers: { range } },
    );
    expect(reply.status).toBe(status);
    if (contentRange === null) expect(reply.headers.get('content-range')).toBeNull();
    else expect(reply.headers.get('content-range')).toContain(contentRange);
  });

  it('gives nothing for links that nobody gave out', async () => {
    await withTwin(async (twin) => {
      const forged = nameOf(SECRET, { ...picture, width: 100_000 });
      for (const name of ['x.png', 'e30.png', forged])
        expect((await ask(`${twin.url}/media/${name}`)).status).toBe(404);
      expect((await ask(`${twin.url}/media/${nameOf(SECRET, picture)}`, { method: 'DELETE' })).status).toBe(405);
    });
    expect(specOf(SECRET, nameOf(SECRET, picture))).toEqual(picture);
  });

  it('is kept on disk between runs', async () => {
    const mediaCacheFolder = await mkdtemp(join(tmpdir(), 'twin-media-'));
    const path = `/media/${nameOf(SECRET, picture)}`;
    const first = await new Promise<Buffer>((resolve, reject) => {
      withTwin(async (twin) => resolve((await ask(`${twin.url}${path}`)).bytes), { mediaCacheFolder }).catch(reject);
    });
    expect(await readdir(mediaCacheFolder)).toHaveLength(1);
    await withTwin(async (twin) => expect((await ask(`${twin.url}${path}`)).bytes.equals(first)).toBe(true), {
      mediaCacheFolder,
    });
    await rm(mediaCacheFolder, { recursive: true });
  });

  it('never makes other requests wait', async () => {
    await withTwin(async (twin) => {
      const video: MediaSpec = {
        kind: 'video',
        width: 1280,
        height: 720,
        seconds: 5,
        audio: true,
        text: 'slow',
        seed: 2,
      };
      const order: string[] = [];
      const file = ask(`${twin.url}/media/${nameOf(SECRET, video)}`).finally(() => order.push('video'));
      for (let count = 0; count < 20; count += 1) await ask(`${twin.url}/openai/v1/models`);
      order.push('twenty answers');
      expect((await file).status).toBe(200);
      expect(order).toEqual(['twenty answers', 'video']);
    });
  });

  it('is the smallest there is when asked', async () => {
    await withTwin(
      async (twin) => {
        const video: MediaSpec = {
          kind: 'video',
          width: 1280,
          height: 720,
          seconds: 5,
          audio: true,
          text: '',
          seed: 2,
        };
        const reply = await ask(`${twin.url}/media/${nameOf(SECRET, video)}`);
        expect(reply.bytes.length).toBeLessThan(1000);
        expect(reply.bytes.subarray(4, 8).toString()).toBe('ftyp');
      },
      { media: 'tiny' },
    );
  });

  it('fails what waits when the worker closes, and takes nothing afterwards', async () => {
    const worker = new MediaWorker();
    const orders = [1, 2, 3].map(async (seed) => worker.make({ ...picture, seed }));
    const outcomes = Promise.allSettled(orders);
    await worker.close();
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(worker.make(picture)).rejects.toBeInstanceOf(MediaWorkerBusy);
  });
});
