import { describe, expect, it } from 'vitest';
import { createEventNumbering, eventBehind } from './event-ids.ts';

/** What is sent, what is kept, and how many events that are. */
function numbered(...chunks: readonly (string | Buffer)[]) {
  const numbering = createEventNumbering();
  const told = chunks.map((chunk) => numbering.push(chunk));
  return {
    sent: Buffer.concat(told.map(({ bytes }) => bytes)).toString(),
    kept: Buffer.concat(told.map(({ events }) => events)).toString(),
    counts: told.map(({ count }) => count),
  };
}

describe('numbers of events', () => {
  it.each([
    { name: 'one', chunks: ['data: a\n\n'], sent: 'id: 1\ndata: a\n\n', counts: [1] },
    { name: 'one with a name', chunks: ['event: x\ndata: a\n\n'], sent: 'id: 1\nevent: x\ndata: a\n\n', counts: [1] },
    { name: 'its id last', chunks: ['data: a\nid: 9\n\n'], sent: 'id: 1\ndata: a\n\n', counts: [1] },
    {
      name: 'one behind another’s rest',
      chunks: ['data: a', 'data\n\n', 'data: b\n\n'],
      sent: 'id: 1\ndata: adata\n\nid: 2\ndata: b\n\n',
      counts: [1, 0, 1],
    },
    {
      name: 'several at once',
      chunks: ['data: a\n\nevent: x\ndata: b\n\n'],
      sent: 'id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\n\n',
      counts: [2],
    },
    {
      name: 'over chunks',
      chunks: ['data: a\n\n', '', 'data: b\n\n'],
      sent: 'id: 1\ndata: a\n\nid: 2\ndata: b\n\n',
      counts: [1, 0, 1],
    },
    {
      name: 'CRLF',
      chunks: ['data: a\r\n\r\ndata: b\r\n\r\n'],
      sent: 'id: 1\ndata: a\r\n\r\nid: 2\ndata: b\r\n\r\n',
      counts: [2],
    },
    { name: 'CR', chunks: ['data: a\r\rdata: b\r\r'], sent: 'id: 1\ndata: a\r\rid: 2\ndata: b\r\r', counts: [2] },
    { name: 'a number of the vendor’s', chunks: ['id: 9\ndata: a\nid\n\n'], sent: 'id: 1\ndata: a\n\n', counts: [1] },
    { name: 'a number in the data', chunks: ['data: id: 9\n\n'], sent: 'id: 1\ndata: id: 9\n\n', counts: [1] },
    {
      name: 'a word that begins like it',
      chunks: ['idea: 9\ndata: a\n\n'],
      sent: 'id: 1\nidea: 9\ndata: a\n\n',
      counts: [1],
    },
    {
      name: 'an event larger than is held',
      chunks: ['data: a', 'b\ndata', ': c\n\ndata: d\n\n'],
      sent: 'id: 1\ndata: ab\ndata: c\n\nid: 2\ndata: d\n\n',
      counts: [1, 0, 1],
    },
  ])('$name', ({ chunks, sent, counts }) => {
    expect(numbered(...chunks)).toEqual({ sent, kept: sent, counts });
    expect(numbered(...chunks.map((chunk) => Buffer.from(chunk)))).toEqual({ sent, kept: sent, counts });
  });

  it.each([
    {
      name: 'comments',
      chunks: [': hello\n\n', 'data: a\n\n: there\n\n'],
      sent: ': hello\nid: 1\ndata: a\n\n: there\n',
    },
    {
      name: 'empty lines',
      chunks: ['\n', 'data: a\n\n', '\ndata: b\n\n'],
      sent: 'id: 1\ndata: a\n\nid: 2\ndata: b\n\n',
    },
    { name: 'an event without data', chunks: ['event: ping\n\n', 'event: data\n\n'], sent: '' },
  ])('$name: only comments are sent, without an empty line of their own, and none is kept', ({ chunks, sent }) => {
    const told = numbered(...chunks);
    expect(told.sent).toBe(sent);
    expect(told.kept).toBe(sent.replace(/^:.*\n/gm, ''));
  });

  it('letters of any length stay what they are, as text and as bytes', () => {
    const event = 'data: élan 海 😀\n\n';
    expect(numbered(event).sent).toBe(`id: 1\n${event}`);
    expect(numbered(Buffer.from(event)).sent).toBe(`id: 1\n${event}`);
  });
});

it('an event is found by its number, and by no other words', () => {
  const bytes = Buffer.from('id: 9\ndata: id: 10\n\nid: 10\ndata: é\n\nid: 11\ndata: id: 12\n\n');
  expect(eventBehind(bytes, 8)).toBe(0);
  expect(bytes.subarray(eventBehind(bytes, 9)).toString()).toMatch(/^id: 10\ndata: é/);
  expect(bytes.subarray(eventBehind(bytes, 10)).toString()).toMatch(/^id: 11/);
  expect(eventBehind(bytes, 11)).toBe(bytes.length);
  expect(eventBehind(bytes, 0)).toBe(bytes.length);
});
