import { describe, expect, it } from 'vitest';
import { readEventsOrBody, type VendorEvent } from './events-or-body.ts';

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}
async function read(text: string, size = 1e6): Promise<VendorEvent[]> {
  const events: VendorEvent[] = [];
  for await (const event of readEventsOrBody(cut(text, size))) events.push(event);
  return events;
}

describe('readEventsOrBody', () => {
  const stream =
    'event: a\ndata: {"x":"é"}\n\n: ping\n\ndata: {"type":"b","y":1}\n\ndata: [DONE]\n\ndata: {"late":1}\n\n';

  it('names events by the wire, then by their type, and stops at [DONE]', async () => {
    expect(await read(stream)).toEqual([
      { name: 'a', json: { x: 'é' }, whole: false },
      { name: 'b', json: { type: 'b', y: 1 }, whole: false },
      { name: '[DONE]', json: {}, whole: false },
    ]);
  });

  it('gives the same events however the bytes are cut', async () => {
    const expected = await read(stream);
    for (let size = 1; size < 40; size++) expect(await read(stream, size)).toEqual(expected);
  });

  it.each([1, 3, 1000])('takes one JSON body for what it is, cut into %d bytes', async (size) => {
    expect(await read('\n {"error":{"code":"x"}}', size)).toEqual([
      { name: '', json: { error: { code: 'x' } }, whole: true },
    ]);
  });

  it('is empty for an empty body', async () => {
    expect(await read('')).toEqual([]);
  });

  it.each(['{"torn":', 'data: {"torn":\n\n', 'data: [1]\n\n'])('refuses %j', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'upstream_malformed' });
  });

  it('lets go of the body when its reader leaves', async () => {
    let released = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('data: {"n":1}\n\n');
      } finally {
        released = true;
      }
    }
    for await (const event of readEventsOrBody(body())) {
      expect(event.json).toEqual({ n: 1 });
      break;
    }
    expect(released).toBe(true);
  });
});
