import { describe, expect, it } from 'vitest';
import { createSseParser, formatSse, SSE_COMMENT } from './sse.ts';

const STREAM =
  '\uFEFF: hello\r\nevent: one\r\ndata: {"a":"ü€😀"}\r\n\r\ndata: first\ndata: second\n\n' +
  SSE_COMMENT +
  formatSse('{"b":1}') +
  formatSse('{"c":2}', 'three');
const EVENTS = [
  { event: 'one', data: '{"a":"ü€😀"}' },
  { event: '', data: 'first\nsecond' },
  { event: '', data: '{"b":1}' },
  { event: 'three', data: '{"c":2}' },
];

describe('createSseParser', () => {
  it('gives the same events wherever the bytes are cut', () => {
    const bytes = Buffer.from(STREAM);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const parser = createSseParser();
      const events = [...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut)), ...parser.end()];
      expect(events).toEqual(EVENTS);
    }
  });

  it('takes one byte at a time', () => {
    const parser = createSseParser();
    const events = [...Buffer.from(STREAM)].flatMap((byte) => parser.push(Uint8Array.of(byte)));
    expect(events).toEqual(EVENTS);
  });

  it.each([
    { name: 'an event without its blank line', text: 'data: [DONE]', events: [{ event: '', data: '[DONE]' }] },
    { name: 'half an event', text: 'data: {"a', events: [{ event: '', data: '{"a' }] },
    { name: 'half a field name', text: 'dat', events: [] },
    { name: 'nothing', text: '', events: [] },
  ])('delivers at the end: $name', ({ text, events }) => {
    const parser = createSseParser();
    expect(parser.push(Buffer.from(text))).toEqual([]);
    expect(parser.end()).toEqual(events);
  });
});
