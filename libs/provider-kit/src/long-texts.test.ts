/** Replies that are nearly all long texts, against what JSON.parse makes of them. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { parseVendorJson } from './json.ts';
import { isBase64, parseLargeJson, parseLongTexts } from './long-texts.ts';

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

describe('a large reply in slices', () => {
  const readLarge = (text: string | Buffer): unknown => {
    const steps = parseLargeJson(Buffer.from(text));
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  };
  const vector = (length: number): number[] => Array.from({ length }, (_none, at) => Math.fround(Math.sin(at)) / 3);

  it.each([
    ['vectors of numbers', list({ index: 0, embedding: vector(3000) }, { embedding: vector(3000), index: 1 })],
    ['vectors in base64', list({ embedding: LONG }, { embedding: LONG })],
    ['one list of many parts', vector(60_000)],
    ['one long text', 'a "text" \\ of é 漢 😀\n'.repeat(100_000)],
    ['lists in lists', [[vector(100), vector(100)], [[vector(200)]], [], {}]],
    ['a long name', { ['a'.repeat(1000)]: { ['b"\\'.repeat(1000)]: vector(300) } }],
    ['brackets in texts', { a: '[1,2,3]'.repeat(100), b: '{"[', c: vector(100) }],
    ['texts and lists together', { data: [{ b64_json: LONG, sizes: vector(100), text: ']"[' }] }],
    ['integers beyond 2^53', { ids: Array.from({ length: 100 }, () => 5) }],
  ])('is what JSON.parse makes of it: %s', (_name, body) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) expect(readLarge(text)).toEqual(body);
  });

  it('keeps integers beyond 2^53 as texts, wherever they are', () => {
    const text = `{"id":12345678901234567890,"ids":[${'12345678901234567890,'.repeat(50)}1],"embedding":"${LONG}"}`;
    expect(readLarge(text)).toEqual(parseVendorJson(text));
  });

  it.each([
    ['a list in the place of a name', `{[${'1,'.repeat(300)}1]:1}`],
    ['a text in the place of a comma', `["${LONG}""${LONG}"]`],
    ['a comma too many', `[${'1,'.repeat(300_000)}]`],
    ['no comma', `[${'1 '.repeat(300)}]`],
    ['two commas where parts meet', `[${'1,'.repeat(131_072)},1${',1'.repeat(131_072)}]`],
    ['a line end in a text', `{"embedding":"${LONG}\n${LONG}"}`],
    ['half a text', `{"embedding":"${LONG}`],
    ['half a list', `{"embedding":[${'1,'.repeat(300)}`],
    ['something behind it', `{"embedding":"${LONG}"}}`],
    ['nothing', ''],
  ])('is none where JSON.parse throws: %s', (_name, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(readLarge(text)).toBeUndefined();
  });

  it('agrees with JSON.parse about anything, whole or with a byte changed', () => {
    // As the unit `binary`, for which fast-check first makes a table of all of them.
    const character = fc
      .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
      .map((code) => String.fromCodePoint(code));
    const piece = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 60, maxLength: 90 }),
      fc.string({ minLength: 250, maxLength: 300, unit: character }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.nat(), fc.option(fc.nat(255)), (pieces, place, byte) => {
        const bytes = Buffer.from(JSON.stringify({ pieces }));
        if (byte !== null) bytes[place % bytes.length] = byte;
        expect(readLarge(bytes)).toEqual(parseVendorJson(bytes.toString('utf8')));
      }),
      { numRuns: 400 },
    );
  });

  it('takes many steps', () => {
    const steps = parseLargeJson(Buffer.from(JSON.stringify(Array.from({ length: 200 }, () => vector(3000)))));
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(5);
  });
});
