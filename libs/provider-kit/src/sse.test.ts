import { describe, expect, it } from 'vitest';
import { readSse, type SseMessage } from './events-or-body.ts';

async function read(bytes: Uint8Array, size: number): Promise<SseMessage[]> {
  async function* cut(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
  }
  const messages: SseMessage[] = [];
  for await (const message of readSse(cut())) messages.push(message);
  return messages;
}

describe('readSse', () => {
  const wire = Buffer.from(
    ': hello\n\nevent: delta\ndata: {"text":"Grüße 你好 🎬"}\n\ndata: one\ndata: two\r\n\r\ndata: [DONE]',
  );
  const messages = [
    { event: 'delta', data: '{"text":"Grüße 你好 🎬"}' },
    { event: '', data: 'one\ntwo' },
    { event: '', data: '[DONE]' },
  ];

  it('a stream cut at any byte yields the same events', async () => {
    for (let size = 1; size <= wire.byteLength; size++) expect(await read(wire, size)).toEqual(messages);
  });

  it('nothing is nothing', async () => {
    expect(await read(Buffer.alloc(0), 1)).toEqual([]);
  });
});
