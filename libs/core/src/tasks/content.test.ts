import { createServer, type Server, type ServerResponse, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { KeyRecord, Store, TaskRecord } from '../ports.ts';
import { createSignedLinks, type SignedLinks } from './links.ts';
import {
  account,
  createClock,
  createHarness,
  makeKey,
  START,
  videoRow,
  type Clock,
  type Harness,
  type HarnessOptions,
} from './testing/harness.ts';
import { createMemoryBlobs, type MemoryBlobs } from './testing/memory-blobs.ts';
import { addressOf } from './testing/printing.ts';
import { openTestStore } from './testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from './testing/vendor.ts';
import type { AskedPart, Content, ContentOptions } from './types.ts';

const FILE = Buffer.from('0123456789');

let clock: Clock;
let vendor: TestVendor;
let stranger: { url: string; server: Server; asked: IncomingMessage[]; serve: (response: ServerResponse) => void };
let store: Store;
let key: KeyRecord;
let blobs: MemoryBlobs;
let links: SignedLinks;
let opened: Harness[];

beforeEach(async () => {
  clock = createClock();
  vendor = await startTestVendor();
  const asked: IncomingMessage[] = [];
  const place = { asked, serve: (response: ServerResponse): void => void response.end(FILE) };
  const server = createServer((request, response) => {
    asked.push(request);
    place.serve(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v.mp4`;
  stranger = Object.assign(place, { server, url });
  store = await openTestStore();
  key = await makeKey(store, { ownerId: 7 });
  blobs = createMemoryBlobs();
  links = createSignedLinks({ secret: 's'.repeat(32), addressOf, now: clock.now });
  opened = [];
});
afterEach(async () => {
  stranger.server.closeAllConnections();
  stranger.server.close();
  await vendor.close();
  await Promise.all(opened.map((each) => each.close()));
  await store.close();
});

const open = (over: Partial<HarnessOptions> = {}): Harness => {
  const one = account({ id: 1, vendor: 'scripted', baseUrl: vendor.url });
  const made = createHarness({
    store,
    clock,
    adapters: [testAdapter()],
    accounts: [one],
    models: [videoRow({ code: 'm', videoShape: 'prompt' }, one)],
    ...over,
    parts: { blobs: blobs, links, ...over.parts },
  });
  opened.push(made);
  return made;
};
const finished = async (harness: Harness, poll: JsonObject): Promise<TaskRecord> => {
  vendor.poll = { status: 'done', ...poll };
  const body = { model: 'm', prompt: 'A kite' };
  const { task } = await harness.engine.createVideo(harness.caller(key), body, { endpoint: 'generations' });
  clock.pass(60_000);
  await harness.engine.runDue();
  return harness.engine.get(harness.caller(key), task?.id ?? '');
};
/** A part as a caller may ask for it. */
const asked = (first: number, last: number): AskedPart => ({
  range: `bytes=${first}-${last}`,
  of: (size) => (first < size ? { first, last } : undefined),
});
const content = (harness: Harness, task: TaskRecord, options: ContentOptions = {}): Promise<Content> =>
  harness.engine.openContent(harness.caller(key), task.id, { ...options, signal: new AbortController().signal });
const read = async ({ body }: Content): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

describe('content', () => {
  it("a stranger's link is the result, and is streamed without our key", async () => {
    const harness = open();
    const task = await finished(harness, { url: stranger.url });
    expect(harness.engine.resultUrl(task)).toBe(stranger.url);
    const reply = await content(harness, task);
    expect(await read(reply)).toBe('0123456789');
    expect(stranger.asked[0]?.headers['authorization']).toBeUndefined();
  });

  it('a link that needs the key goes through the account; the result is our own signed link', async () => {
    const harness = open();
    const task = await finished(harness, { url: `${vendor.url}/file/1`, file: { credentialed: true } });
    const ours = new URL(harness.engine.resultUrl(task));
    expect(ours.origin + ours.pathname).toBe(addressOf('video', task.id));
    const query = Object.fromEntries(ours.searchParams);
    expect(links.verify('video', task.id, query)).toBe(true);
    expect(links.verify('video', 'task_other', query)).toBe(false);
    expect(links.verify('file', task.id, query)).toBe(false);
    expect(links.verify('video', task.id, { ...query, expires: Number(query['expires']) + 1 })).toBe(false);
    const signal = new AbortController().signal;
    expect(await read(await harness.engine.openContent(undefined, task.id, { signal }))).toBe('0123456789');
    expect(vendor.asked.at(-1)?.headers['authorization']).toBe('Bearer vendor-key-0123456789');
    clock.pass(8 * 86_400_000);
    expect(links.verify('video', task.id, query)).toBe(false);
  });

  it('bytes are kept by us, and any part of them can be had', async () => {
    const harness = open();
    const task = await finished(harness, { base64: FILE.toString('base64') });
    expect(harness.engine.resultUrl(task)).toContain(`${addressOf('video', task.id)}?expires=`);
    const whole = await content(harness, task);
    expect(whole).toMatchObject({ mime: 'video/mp4', size: 10, seekable: true });
    expect(whole.part).toBeUndefined();
    expect(await read(whole)).toBe('0123456789');
    for (const [first, last, text] of [
      [0, 3, '0123'],
      [7, 9, '789'],
    ] as const) {
      const reply = await content(harness, task, { part: asked(first, last) });
      expect(reply).toMatchObject({ part: { first, last }, size: 10 });
      expect(await read(reply)).toBe(text);
    }
    const outside = await content(harness, task, { part: asked(10, 12) });
    expect(outside).toMatchObject({ part: 'outside', size: 10 });
    expect(await read(outside)).toBe('');
  });

  it.each([
    {
      name: 'says so',
      refuse: (response: ServerResponse) => response.writeHead(416, { 'content-range': 'bytes */10' }),
    },
    { name: 'only refuses', refuse: (response: ServerResponse) => response.writeHead(416) },
    { name: 'calls it a bad request', refuse: (response: ServerResponse) => response.writeHead(400) },
  ])('a part behind the end of a file whose keeper $name lies outside', async ({ refuse }) => {
    const harness = open();
    const task = await finished(harness, { url: stranger.url });
    stranger.serve = (response) => {
      const range = stranger.asked.at(-1)?.headers.range;
      if (range === 'bytes=0-0') response.writeHead(206, { 'content-range': 'bytes 0-0/10' }).end('0');
      else refuse(response).end();
    };
    expect(await content(harness, task, { part: asked(10, 12) })).toMatchObject({ part: 'outside', size: 10 });
    // A part that is there and is refused all the same is no such thing.
    await expect(content(harness, task, { part: asked(2, 3) })).rejects.toThrow();
  });

  it('copies are made before SUCCESS; the result is our own link, and outlives the vendor', async () => {
    const harness = open({ settings: { copyResults: true } });
    const task = await finished(harness, { url: stranger.url });
    const url = new URL(harness.engine.resultUrl(task));
    expect(url.pathname).toMatch(/^\/file\//);
    const fileId = url.pathname.split('/').at(-1) ?? '';
    expect(links.verify('file', fileId, Object.fromEntries(url.searchParams))).toBe(true);
    stranger.server.closeAllConnections();
    stranger.server.close();
    const signal = new AbortController().signal;
    expect(await read(await harness.engine.openFile(fileId, { signal }))).toBe('0123456789');
    expect(await read(await content(harness, task))).toBe('0123456789');
    expect(harness.engine.resultUrl(await harness.engine.get(harness.caller(key), task.id))).toBe(url.href);
    clock.pass(8 * 86_400_000);
    await expect(harness.engine.openFile(fileId, { signal })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['soon and cannot be renewed', { life: 600, without: ['refresh'], kept: true }],
    ['soon, but can be renewed', { life: 600, without: [], kept: false }],
    ['after days', { life: 86_400, without: ['refresh'], kept: false }],
  ] as const)('a link that ends %s is copied only where it would be lost', async (_, { life, without, kept }) => {
    const harness = open({ adapters: [testAdapter('scripted', [...without])] });
    const task = await finished(harness, { url: stranger.url, file: { expiresAt: START / 1000 + life } });
    expect(task.files[0]?.fileId !== undefined).toBe(kept);
    expect(new URL(harness.engine.resultUrl(task)).pathname).toMatch(kept ? /^\/video\// : /^\/v\.mp4$/);
    stranger.server.closeAllConnections();
    stranger.server.close();
    if (kept) expect(await read(await content(harness, task))).toBe('0123456789');
  });

  it("a copy that cannot be made leaves the vendor's link, and the task succeeds", async () => {
    const harness = open({ settings: { copyResults: true } });
    stranger.serve = (response) => void response.writeHead(403).end();
    const task = await finished(harness, { url: stranger.url });
    expect(task.state).toBe('SUCCESS');
    expect(harness.engine.resultUrl(task)).toBe(stranger.url);
    expect(blobs.files.size).toBe(0);
  });

  it('a link that has expired is refreshed before it is used, and the fresh one is kept', async () => {
    const harness = open();
    const task = await finished(harness, { url: `${stranger.url}?old`, file: { expiresAt: START / 1000 + 100 } });
    vendor.script = ({ path }) => (path.endsWith('/link') ? { json: { url: stranger.url } } : undefined);
    clock.pass(200_000);
    expect(await read(await content(harness, task))).toBe('0123456789');
    expect(stranger.asked.map(({ url }) => url)).toEqual(['/v.mp4']);
    expect((await store.tasks.get(task.id))?.files[0]?.url).toBe(stranger.url);
  });

  it('a link that has died early is refreshed once', async () => {
    const harness = open();
    const task = await finished(harness, { url: `${stranger.url}?dead` });
    vendor.script = ({ path }) => (path.endsWith('/link') ? { json: { url: stranger.url } } : undefined);
    stranger.serve = (response) => {
      const dead = stranger.asked.at(-1)?.url?.endsWith('?dead') === true;
      response.writeHead(dead ? 403 : 200).end(dead ? '' : FILE);
    };
    expect(await read(await content(harness, task))).toBe('0123456789');
  });

  it('a link that has died for good is not found, whatever the vendor says', async () => {
    const harness = open({ adapters: [testAdapter('scripted', ['refresh'])] });
    const task = await finished(harness, { url: stranger.url });
    stranger.serve = (response) => void response.writeHead(404).end('secret page');
    await expect(content(harness, task)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a file of any length is passed on as fast as it is read, and no faster', async () => {
    const harness = open();
    const task = await finished(harness, { url: stranger.url });
    const chunk = Buffer.alloc(1024 * 1024, 7);
    let sent = 0;
    stranger.serve = (response) => {
      const more = (): void => {
        while (sent < 64) {
          sent++;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    let size = 0;
    for await (const part of (await content(harness, task)).body) {
      if (size === 0) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        expect(sent).toBeLessThan(24);
      }
      size += part.byteLength;
    }
    expect(size).toBe(64 * 1024 * 1024);
  });

  it('a caller who hangs up ends the download at the vendor', async () => {
    const harness = open();
    const task = await finished(harness, { url: stranger.url });
    let hungUp = (): void => undefined;
    const closed = new Promise<void>((resolve) => (hungUp = resolve));
    stranger.serve = (response) => {
      response.on('close', () => hungUp());
      response.write(FILE);
    };
    const hangUp = new AbortController();
    const reply = await harness.engine.openContent(harness.caller(key), task.id, { signal: hangUp.signal });
    await expect(
      (async () => {
        for await (const chunk of reply.body) {
          expect(chunk.byteLength).toBe(10);
          hangUp.abort();
        }
      })(),
    ).rejects.toThrow();
    await closed;
  });

  it('before the end it is a 400; for another owner there is nothing; variants are told apart', async () => {
    const harness = open();
    const task = await finished(harness, { url: stranger.url });
    await expect(content(harness, task, { variant: 'thumbnail' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(content(harness, task, { variant: 'spritesheet' })).rejects.toMatchObject({ code: 'not_found' });
    const other = await makeKey(store, { ownerId: 8 });
    const signal = new AbortController().signal;
    await expect(harness.engine.openContent(harness.caller(other), task.id, { signal })).rejects.toMatchObject({
      code: 'task_not_exist',
    });
    vendor.poll = { status: 'working' };
    const { task: young } = await harness.engine.createVideo(
      harness.caller(key),
      { model: 'm', prompt: 'x' },
      { endpoint: 'videos' },
    );
    await expect(harness.engine.openContent(harness.caller(key), young?.id ?? '', { signal })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'there is no video: the task is NOT_START',
    });
  });
});
