import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { fileOf, formOf, type Upload } from './uploads.ts';

const folder = mkdtempSync(join(tmpdir(), 'uploads-'));
const path = join(folder, 'cat.png');
writeFileSync(path, 'PNG bytes');
afterAll(() => rmSync(folder, { recursive: true }));

const web = (): ReadableStream<Uint8Array> => new Blob(['PNG bytes']).stream() as ReadableStream<Uint8Array>;

describe('an upload', () => {
  it.each<{ name: string; upload: () => Upload; file: string; type: string }>([
    { name: 'a path', upload: () => ({ path }), file: 'cat.png', type: 'image/png' },
    {
      name: 'a path with another name',
      upload: () => ({ path, name: 'dog.webp' }),
      file: 'dog.webp',
      type: 'image/webp',
    },
    {
      name: 'a File',
      upload: () => new File(['PNG bytes'], 'a.jpg', { type: 'image/jpeg' }),
      file: 'a.jpg',
      type: 'image/jpeg',
    },
    { name: 'a Blob', upload: () => new Blob(['PNG bytes'], { type: 'image/gif' }), file: 'image', type: 'image/gif' },
    { name: 'a Blob that says nothing', upload: () => new Blob(['PNG bytes']), file: 'image', type: '' },
    { name: 'a Buffer', upload: () => Buffer.from('PNG bytes'), file: 'image', type: '' },
    {
      name: 'a view of a larger buffer',
      upload: () => Buffer.from('xxPNG bytesxx').subarray(2, 11),
      file: 'image',
      type: '',
    },
    { name: 'an ArrayBuffer', upload: () => Uint8Array.from(Buffer.from('PNG bytes')).buffer, file: 'image', type: '' },
    {
      name: 'a described Buffer',
      upload: () => ({ data: Buffer.from('PNG bytes'), name: 'b.JPEG' }),
      file: 'b.JPEG',
      type: 'image/jpeg',
    },
    {
      name: 'a stream of Node',
      upload: () => Readable.from([Buffer.from('PNG '), Buffer.from('bytes')]),
      file: 'image',
      type: '',
    },
    { name: 'a file stream of Node', upload: () => createReadStream(path), file: 'cat.png', type: 'image/png' },
    { name: 'a stream of the web', upload: web, file: 'image', type: '' },
    {
      name: 'a described stream',
      upload: () => ({ data: web(), type: 'image/png' }),
      file: 'image',
      type: 'image/png',
    },
    {
      name: 'a Response',
      upload: () => new Response('PNG bytes', { headers: { 'content-type': 'image/png' } }),
      file: 'image',
      type: 'image/png',
    },
  ])('from $name', async ({ upload, file, type }) => {
    const { blob, name } = await fileOf(upload(), 'image');
    expect(await blob.text()).toBe('PNG bytes');
    expect(name).toBe(file);
    expect(blob.type).toBe(type);
  });

  it('that is an endless stream is refused before it fills the memory', async () => {
    const piece = new Uint8Array(8 * 1024 * 1024);
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += piece.length;
        yield piece;
      }
    }
    await expect(fileOf(endless(), 'image')).rejects.toBeInstanceOf(RangeError);
    expect(given).toBeLessThanOrEqual(72 * 1024 * 1024);
  });

  it('in a form: numbers are text, what is absent is left out, several files share their name', async () => {
    const fields = { model: 'm', n: 0, stream: true, user: undefined, size: null };
    const form = await formOf(fields, { image: [Buffer.from('a'), { path }], mask: undefined });
    expect([...form.entries()].map(([key, value]) => [key, typeof value === 'string' ? value : value.name])).toEqual([
      ['model', 'm'],
      ['n', '0'],
      ['stream', 'true'],
      ['image', 'image'],
      ['image', 'cat.png'],
    ]);
  });
});
