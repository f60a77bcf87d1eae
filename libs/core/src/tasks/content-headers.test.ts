/** Which headers of the vendor travel with the bytes of a video. */
import { describe, expect, it } from 'vitest';
import { useTwoAccounts } from './testing/two-accounts.ts';

const bench = useTwoAccounts();
const { create, inState } = bench;

describe('W12: the content endpoint copies nothing it should not', () => {
  it('passes the range on and five headers back', async () => {
    const { task } = await create();
    await bench.harness.until(inState(task.id, 'SUCCESS'));
    bench.vendor.script = ({ path, headers }) =>
      path.startsWith('/file')
        ? {
            status: headers['range'] === undefined ? 200 : 206,
            bytes: Buffer.from('3456'),
            headers: {
              'content-type': 'text/html',
              'content-range': 'bytes 3-6/10',
              'accept-ranges': 'bytes',
              etag: '"e"',
              'set-cookie': 'session=1',
              'cache-control': 'public, max-age=31536000',
              'x-vendor-account': 'secret',
              server: 'vendor',
            },
          }
        : undefined;
    const { signal } = new AbortController();
    const part = { range: 'bytes=3-6', of: () => ({ first: 3, last: 6 }) };
    const content = await bench.harness.engine.openContent(bench.harness.caller(bench.key), task.id, { part, signal });
    const { body, ...about } = content;
    expect(about).toEqual({ mime: 'video/mp4', size: 10, part: { first: 3, last: 6 }, seekable: true, etag: '"e"' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('3456');
    expect(bench.vendor.asked.at(-1)?.headers['range']).toBe('bytes=3-6');
  });
});
