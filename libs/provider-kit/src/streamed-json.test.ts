import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { UpstreamRequest } from './adapter.ts';
import { StreamedFiles } from './streamed-json.ts';

const file = (bytes: Buffer, cut = bytes.byteLength) => ({
  size: bytes.byteLength,
  open: async function* () {
    for (let at = 0; at < bytes.byteLength; at += cut) yield bytes.subarray(at, at + cut);
  },
});
async function sent({ source }: Pick<UpstreamRequest, 'source'>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source?.open() ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('StreamedFiles', () => {
  it('is plain JSON without files', () => {
    expect(new StreamedFiles().body({ a: 1 })).toEqual({ json: { a: 1 } });
  });

  it.each([0, 1, 2, 3, 4, 100])(
    'puts %i bytes where they belong, however they are cut, and knows the length',
    async (size) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 37) % 256));
      for (let cut = 1; cut <= Math.max(size, 1); cut++) {
        const files = new StreamedFiles();
        const body = files.body({ 'ключ"': [`data:x;base64,${files.add(file(bytes, cut))}`, 'after'] });
        const whole = await sent(body);
        expect(JSON.parse(whole.toString())).toEqual({
          'ключ"': [`data:x;base64,${bytes.toString('base64')}`, 'after'],
        });
        expect(body.source?.size).toBe(whole.byteLength);
        expect(body.headers).toEqual({ 'content-type': 'application/json' });
      }
    },
  );

  it('keeps several files apart, and can be sent again', async () => {
    const files = new StreamedFiles();
    const body = files.body([files.add(file(Buffer.from('one'))), files.add(file(Buffer.from('two'))), 'x']);
    const expected = JSON.stringify([
      Buffer.from('one').toString('base64'),
      Buffer.from('two').toString('base64'),
      'x',
    ]);
    expect((await sent(body)).toString()).toBe(expected);
    expect((await sent(body)).toString()).toBe(expected);
  });

  it('leaves a text alone that only looks like a file', async () => {
    const files = new StreamedFiles();
    const text = 'file-00000000-0000-0000-0000-000000000000';
    const body = files.body([text, files.add(file(Buffer.from('a')))]);
    expect(JSON.parse((await sent(body)).toString())).toEqual([text, 'YQ==']);
  });

  it('never holds a file', async () => {
    const files = new StreamedFiles();
    const piece = Buffer.alloc(64 * 1024, 1);
    const huge = {
      size: 300 * piece.byteLength,
      open: async function* () {
        for (let count = 0; count < 300; count++) yield piece;
      },
    };
    const { source } = files.body({ image: files.add(huge) });
    const hash = createHash('sha256');
    let largest = 0;
    let size = 0;
    for await (const chunk of source?.open() ?? []) {
      largest = Math.max(largest, chunk.byteLength);
      size += chunk.byteLength;
      hash.update(chunk);
    }
    expect(size).toBe(source?.size);
    expect(largest).toBeLessThan(128 * 1024);
  });
});
