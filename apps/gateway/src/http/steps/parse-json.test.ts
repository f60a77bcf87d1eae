/** The law: a text is parsed in slices to what JSON.parse makes of it, or refused as JSON.parse refuses it; beyond that a member that is there twice is refused. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { GatewayError } from '@model-gateway/contracts';
import { parseJsonInSlices } from '../steps/parse-json.ts';

const LIMITS = { deepest: 256, mostValues: 200_000 };
const MB = 1024 * 1024;

function parse(bytes: Buffer, limits = LIMITS): { value: unknown; steps: number } {
  const steps = parseJsonInSlices(bytes, limits);
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { value, steps: count };
  }
}
function native(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}
function sliced(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: parse(bytes).value };
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid_request')
      return error.message.includes('twice') ? TWICE : undefined;
    throw error;
  }
}
const TWICE = { value: Symbol('a member twice') };
function agree(bytes: Buffer): void {
  const own = sliced(bytes);
  const theirs = native(bytes);
  if (own === TWICE) {
    // JSON.parse says nothing, or finds something else wrong behind it.
    if (theirs !== undefined) expect(JSON.stringify(theirs.value).length).toBeLessThan(bytes.length - 3);
    return;
  }
  expect(own).toEqual(theirs);
  // The order of members, and -0, which toEqual takes for 0.
  expect(JSON.stringify(own)).toBe(JSON.stringify(theirs));
}

describe('agrees with JSON.parse', () => {
  it('about what JSON.stringify writes, in any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' ', '\t', '\r\n  '), (value, space) => {
        agree(Buffer.from(JSON.stringify(value, undefined, space)));
      }),
      { numRuns: 500 },
    );
  });

  it('about texts made of what JSON is made of', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '"a"',
        '"a":',
        '"\\u00',
        '41"',
        '\\"',
        '1',
        '-0',
        '1e5',
        '.5',
        '01',
        'tru',
        'true',
        'null',
        ' ',
        '\n',
      ],
      ...[
        '\u0000',
        '\ufeff',
        'é',
        '漢',
        '😀',
        '"__proto__":',
        '"\\ud83d',
        '\\ude00"',
        'NaN',
        '1E400',
        'Infinity',
        '\u00a0',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => agree(Buffer.from(pieces.join('')))),
      { numRuns: 3_000 },
    );
  });

  it('about a good text with one byte changed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.nat(255), (value, place, byte) => {
        const bytes = Buffer.from(JSON.stringify({ value }));
        bytes[place % bytes.length] = byte;
        agree(bytes);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['ascii', 'a'.repeat(2 * MB + 7), 1],
    ['two bytes a character', 'aé'.repeat(MB), 3],
    ['three', '漢'.repeat(MB), 3],
    ['four, odd', `x${'😀'.repeat(MB / 2)}`, 4],
    ['escapes', '\n'.repeat(MB), 2],
    ['backslashes', '\\'.repeat(MB + 1), 2],
    ['quotes', '"'.repeat(MB), 2],
    ['controls', `ab${'\u0001'.repeat(MB / 2)}`, 6],
    ['mixed', 'a\\"\n\u0002é😀'.repeat(120_000), 6],
  ])('about a long string: %s', (_name, text, shifts) => {
    // By as many bytes as one of its characters takes: so that a piece ends at each of them.
    for (let shift = 0; shift < shifts; shift++) {
      const bytes = Buffer.from(JSON.stringify({ [`k${'x'.repeat(shift)}`]: text, after: 1 }));
      expect(sliced(bytes)?.value).toStrictEqual(native(bytes)?.value);
    }
  });

  it.each([
    ['an escaped surrogate pair', '\\ud83d\\ude00'],
    ['bytes that are no UTF-8', '\xff'],
    ['a control character', '\u0001'],
    ['an escape that there is not', '\\x'],
    ['half an escape', '\\u12'],
  ])('about %s at any place around the end of a piece', (_name, part) => {
    for (let shift = -8; shift <= 8; shift++) {
      const text = `{"a":"${'a'.repeat(MB + shift)}${part}${'b'.repeat(100)}","c":"d"}`;
      const bytes = Buffer.from(text, part === '\xff' ? 'latin1' : 'utf8');
      const [own, theirs] = [sliced(bytes), native(bytes)];
      expect(own === undefined).toBe(theirs === undefined);
      if (own !== undefined) expect(own.value).toStrictEqual(theirs?.value);
    }
  });

  it.each(['', ' ', '"', '"a', '{"a":"', '[1', `{"a":"${'a'.repeat(3 * MB)}`, `"${'\\'.repeat(3 * MB)}`])(
    'about what ends too early (%#)',
    (text) => expect(sliced(Buffer.from(text))).toBeUndefined(),
  );
});

describe('the limits', () => {
  it.each([
    { name: 'objects', text: `[${Array(50).fill('{}').join(',')}]` },
    { name: 'numbers', text: `[${Array(50).fill('1').join(',')}]` },
    { name: 'members', text: JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at, 0]))) },
  ])('$name are counted', ({ text }) => {
    expect(() => parse(Buffer.from(text), { ...LIMITS, mostValues: 51 })).not.toThrow();
    expect(() => parse(Buffer.from(text), { ...LIMITS, mostValues: 50 })).toThrow('more than 50 values');
  });

  it('depth', () => {
    const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(() => parse(nested(256))).not.toThrow();
    expect(() => parse(nested(257))).toThrow('nested deeper than 256 levels');
  });

  it('white space in a row', () => {
    expect(() => parse(Buffer.from(`[${' '.repeat(1_000_001)}1]`))).toThrow('white spaces in a row');
    expect(parse(Buffer.from(`[${' '.repeat(999_999)}1]`)).value).toEqual([1]);
  });

  it('what is too much is refused before the rest is read', () => {
    const text = Buffer.from(`{"x":[${'{},'.repeat(300_000)}${'"'.repeat(10)}`);
    expect(() => parse(text)).toThrow('more than 200000 values');
  });
});

it('many values take many steps', () => {
  const text = Buffer.from(`[${Array.from({ length: 199_000 }, (_, at) => `"member ${at}"`).join(',')}]`);
  expect(parse(text).steps).toBeGreaterThan(2);
});

it.each([
  ['at the top', '{"n":9,"model":"m","n":1}', 'n'],
  ['within', '{"a":[{"b":{"max_uses":1,"max_uses":2}}]}', 'max_uses'],
  ['written in another way', '{"n":9,"\\u006e":1}', 'n'],
  ['__proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
])('a member that is there twice is refused by name: %s', (_name, text, member) => {
  expect(() => parse(Buffer.from(text))).toThrow(`the member '${member}' twice`);
});
