/** Nobody makes the twin work or keep more than it gave out links for. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startVendorTwin } from '../index.ts';
import { ask } from '../test-kit.ts';
import { createDiskCache } from './disk-cache.ts';
import { nameOf } from './media.ts';
import { encodeSpec, type MediaSpec } from './spec.ts';

const SECRET = 'the links of this test';
const picture: MediaSpec = { kind: 'image', width: 64, height: 32, format: 'png', text: 'hi', seed: 1 };
const sha = (digit: string): string => digit.repeat(64);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twin-media-'));
});
afterEach(async () => rm(folder, { recursive: true }));

describe('links', () => {
  const signed = nameOf(SECRET, picture);
  const [spec = '', signature = '', extension = ''] = signed.split('.');
  it.each([
    ['as given out', signed, 200],
    ['without a signature', `${spec}.${extension}`, 404],
    ['with another’s signature', nameOf('another', picture), 404],
    ['of another file', `${encodeSpec({ ...picture, width: 4096, height: 4096 })}.${signature}.${extension}`, 404],
    ['with another extension', `${spec}.${signature}.mp4`, 404],
    ['with a shorter signature', `${spec}.${signature.slice(0, -2)}.${extension}`, 404],
  ])('%s', async (_, name, status) => {
    const twin = await startVendorTwin({ mediaSecret: SECRET, mediaCacheFolder: folder });
    try {
      expect((await ask(`${twin.url}/media/${name}`)).status).toBe(status);
      expect(await readdir(folder)).toHaveLength(status === 200 ? 1 : 0);
    } finally {
      await twin.close();
    }
  });

  it('HEAD makes no file; of one that was made it tells the length', async () => {
    const twin = await startVendorTwin({ mediaSecret: SECRET, mediaCacheFolder: folder });
    const link = `${twin.url}/media/${signed}`;
    try {
      const before = await ask(link, { method: 'HEAD' });
      expect([before.status, before.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect([before.headers.get('content-length'), await readdir(folder)]).toEqual([null, []]);
      const { bytes } = await ask(link);
      const after = await ask(link, { method: 'HEAD' });
      expect(after.headers.get('content-length')).toBe(String(bytes.length));
    } finally {
      await twin.close();
    }
  });

  it('without a secret they die with the process', async () => {
    const twin = await startVendorTwin({ media: 'tiny' });
    expect((await ask(`${twin.url}/media/${nameOf('', picture)}`)).status).toBe(404);
    await twin.close();
  });
});

describe('the files that are kept', () => {
  const names = async (): Promise<string[]> => (await readdir(folder)).map((name) => name.slice(0, 1)).toSorted();

  it('never hold more than they may; what was read last stays', async () => {
    const cache = createDiskCache(folder, 250);
    await cache.write(sha('a'), Buffer.alloc(100));
    await cache.write(sha('b'), Buffer.alloc(100));
    expect((await cache.read(sha('a')))?.length).toBe(100);
    await cache.write(sha('c'), Buffer.alloc(100));
    expect(await names()).toEqual(['a', 'c']);
    expect(await cache.read(sha('b'))).toBeUndefined();
    expect(await cache.sizeOf(sha('b'))).toBeUndefined();
  });

  it('one that is larger than all may be is not kept', async () => {
    const cache = createDiskCache(folder, 250);
    await cache.write(sha('a'), Buffer.alloc(100));
    await cache.write(sha('b'), Buffer.alloc(251));
    expect(await names()).toEqual(['a']);
  });

  it('what earlier runs left is swept: drafts, strangers, and what is too much', async () => {
    await writeFile(join(folder, `${sha('d')}.123`), 'half a file');
    await writeFile(join(folder, 'stranger'), 'x');
    const earlier = createDiskCache(folder, 1_000);
    for (const digit of ['a', 'b', 'c']) await earlier.write(sha(digit), Buffer.alloc(100));
    // Read last, so that it is the one to stay.
    await earlier.read(sha('a'));
    const cache = createDiskCache(folder, 150);
    expect(await cache.sizeOf(sha('a'))).toBe(100);
    expect(await names()).toEqual(['a']);
  });

  it('a file that somebody removed is made again', async () => {
    const cache = createDiskCache(folder, 250);
    await cache.write(sha('a'), Buffer.alloc(100));
    await rm(join(folder, sha('a')));
    expect(await cache.read(sha('a'))).toBeUndefined();
    await cache.write(sha('a'), Buffer.alloc(50));
    expect((await stat(join(folder, sha('a')))).size).toBe(50);
  });
});
