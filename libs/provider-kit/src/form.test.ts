import { describe, expect, it } from 'vitest';
import type { FormPart } from './adapter.ts';
import { encodeForm } from './form.ts';

const file = (filename: string, bytes: Uint8Array, contentType = 'image/png'): FormPart => ({
  name: 'image',
  filename,
  contentType,
  size: bytes.byteLength,
  open: async function* () {
    // In pieces, as files come.
    for (let at = 0; at < bytes.byteLength; at += 2) yield bytes.subarray(at, at + 2);
  },
});

async function whole(parts: readonly FormPart[]): Promise<{ text: string; headers: Record<string, string> }> {
  const { headers, stream } = encodeForm(parts);
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream()) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString('utf8'), headers };
}

describe('encodeForm', () => {
  it('writes fields and files in order, and knows its length beforehand', async () => {
    const { text, headers } = await whole([
      { name: 'prompt', value: 'zwei Wörter' },
      file('a.png', Buffer.from('12345')),
      { name: 'empty', value: '' },
    ]);
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
    expect(text).toBe(
      [
        `--${boundary}`,
        'content-disposition: form-data; name="prompt"',
        '',
        'zwei Wörter',
        `--${boundary}`,
        'content-disposition: form-data; name="image"; filename="a.png"',
        'content-type: image/png',
        '',
        '12345',
        `--${boundary}`,
        'content-disposition: form-data; name="empty"',
        '',
        '',
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  it('can be sent twice', async () => {
    const { stream } = encodeForm([file('a.png', Buffer.from('12345'))]);
    for (let attempt = 0; attempt < 2; attempt++) {
      let size = 0;
      for await (const chunk of stream()) size += chunk.byteLength;
      expect(size).toBeGreaterThan(5);
    }
  });

  it('lets no name or file name break out of its line', async () => {
    const { text } = await whole([
      { name: 'a"\r\nx-injected: 1', value: 'v' },
      file('b"\r\ncontent-type: text/html\r\n\r\n<script>', Buffer.from('')),
    ]);
    expect(text).not.toMatch(/^x-injected/m);
    expect(text).not.toMatch(/^content-type: text\/html/m);
    expect(text).toContain('name="a%22%0D%0Ax-injected: 1"');
  });

  it('lets no declared type break out of its line either', async () => {
    const { text } = await whole([file('a.png', Buffer.from('x'), 'image/png\r\nx-injected: 1')]);
    expect(text).not.toMatch(/^x-injected/m);
  });

  it('has another boundary every time', () => {
    const one = encodeForm([]).headers['content-type'];
    expect(encodeForm([]).headers['content-type']).not.toBe(one);
  });
});
