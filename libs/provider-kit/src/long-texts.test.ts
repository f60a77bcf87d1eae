/** Replies that are nearly all long texts, against what JSON.parse makes of them. */
import { describe, expect, it } from 'vitest';
import { isBase64, parseLongTexts } from './long-texts.ts';

const LONG = Buffer.from(Array.from({ length: 300 }, (_none, index) => index % 256)).toString('base64');
const read = (text: string, pieces = 3) => {
  const bytes = Buffer.from(text);
  const length = Math.ceil(bytes.length / pieces);
  const chunks = Array.from({ length: pieces }, (_none, index) => bytes.subarray(index * length, (index + 1) * length));
  return parseLongTexts(chunks, bytes.length, 'embedding');
};
const list = (...data: readonly unknown[]) => ({ object: 'list', data, model: 'é', usage: { prompt_tokens: 3 } });

describe('read as JSON.parse reads it', () => {
  it.each([
    ['one', list({ index: 0, embedding: LONG })],
    [
      'several, in any order of their members',
      list({ embedding: LONG, index: 1 }, { index: 0, embedding: `${LONG}AAAA` }),
    ],
    ['beside a short one', list({ embedding: LONG }, { embedding: 'AAAA' }, { embedding: [1, 2] })],
    ['beside a long text of another name', list({ embedding: LONG, note: LONG })],
    ['a text like a place', list({ embedding: LONG, note: '0' }, { embedding: '0' })],
  ])('%s', (_name, body) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)])
      for (const pieces of [1, 2, 7]) expect(read(text, pieces)).toEqual(body);
  });

  it('the last reply is not seen in the next one', () => {
    const first = read(JSON.stringify(list({ embedding: LONG })));
    read(JSON.stringify(list({ embedding: LONG.replaceAll('A', 'B') })));
    expect(first).toEqual(list({ embedding: LONG }));
  });
});

it.each([
  ['nothing long', JSON.stringify(list({ embedding: 'AAAA' }))],
  ['numbers', JSON.stringify(list({ embedding: [0.1, 0.2] }))],
  ['an escape', JSON.stringify(list({ embedding: LONG, note: 'a "word"' }))],
  ['an escape that looks like a place', `{"a":"\\u00000","embedding":"${LONG}"}`],
  ['an integer beyond 2^53', `{"id":12345678901234567890,"embedding":"${LONG}"}`],
  ['letters that are no base64', JSON.stringify(list({ embedding: 'é'.repeat(300) }))],
  ['a line end in a text, which is no JSON', `{"embedding":"${LONG}\n${LONG}"}`],
  ['half a body', JSON.stringify(list({ embedding: LONG })).slice(0, -30)],
  ['half a text', `{"embedding":"${LONG}`],
  ['a text in the place of a name', `{"embedding":"${LONG}":1}`],
  ['no JSON', `<html>"embedding":"${LONG}"`],
])('is left to others: %s', (_name, text) => {
  expect(read(text)).toBeUndefined();
});

it.each([
  ['AACAPwAAAMA=', true],
  ['AACAPwAAAMA', true],
  ['', true],
  ['AA"A', false],
  ['AA A', false],
  ['AAA\n', false],
  ['ééAA', false],
])('base64 to the letter: %j is %s', (text, is) => {
  expect(isBase64(text)).toBe(is);
});
