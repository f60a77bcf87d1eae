/** Calls whose arguments come in pieces, put together. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { CallPieces } from './call-pieces.ts';

const part = (functionCall: JsonObject): JsonObject => ({ functionCall });
const piece = (jsonPath: string, value: JsonObject, goesOn = true): JsonObject =>
  part({ partialArgs: [{ jsonPath, ...value }], ...(goesOn && { willContinue: true }) });
const BEGIN = part({ name: 'f', id: 'c', willContinue: true });
const END = part({});

function joined(...parts: readonly JsonObject[]): JsonObject[] {
  const pieces = new CallPieces();
  return [...parts.flatMap((each) => pieces.push(each)), ...pieces.end()];
}
const whole = (args: JsonObject): JsonObject => part({ name: 'f', id: 'c', args });

describe('one call', () => {
  it.each<[string, JsonObject[], JsonObject]>([
    ['no argument', [], {}],
    ['a text in two pieces', [piece('$.a', { stringValue: 'x' }), piece('$.a', { stringValue: 'y' })], { a: 'xy' }],
    [
      'values of every kind',
      [
        piece('$.n', { numberValue: 0 }),
        piece('$.b', { boolValue: false }),
        piece('$.z', { nullValue: 'NULL_VALUE' }),
        piece('$.s', { stringValue: '' }),
      ],
      { n: 0, b: false, z: null, s: '' },
    ],
    [
      'lists and objects within',
      [
        piece('$.steps[0]', { stringValue: 'mix' }),
        piece('$.steps[1]', { stringValue: 'bake' }),
        piece("$.items[0]['how many']", { numberValue: 2 }),
        piece('$.items[0]["__proto__"]', { numberValue: 3 }),
      ],
      { steps: ['mix', 'bake'], items: [JSON.parse('{"how many":2,"__proto__":3}') as JsonObject] },
    ],
    ['a piece without a value', [part({ willContinue: true }), piece('$.a', { willContinue: true })], {}],
  ])('%s', (_name, pieces, args) => {
    expect(joined(BEGIN, ...pieces, END)).toEqual([whole(args)]);
    expect(joined(BEGIN, ...pieces)).toEqual([whole(args)]);
  });

  it('ends with the piece that does not go on', () => {
    const text = { text: 'x' };
    expect(joined(BEGIN, piece('$.a', { numberValue: 1 }, false), text)).toEqual([whole({ a: 1 }), text]);
  });

  it('keeps the signature it began with', () => {
    expect(joined({ ...BEGIN, thoughtSignature: 'QUFB' }, END)).toEqual([{ ...whole({}), thoughtSignature: 'QUFB' }]);
  });

  it.each(['', '$', '$.a[2]', '$.a.b', '$..a', '$[0]', 'a b'])('whose arguments have no place %j', (path) => {
    const pieces = [piece('$.a[0]', { numberValue: 1 }), piece(path, { numberValue: 2 })];
    expect(() => joined(BEGIN, ...pieces)).toThrow('no such place');
  });
});

it('calls one after the other, with and without an end of their own', () => {
  const first = piece('$.a', { numberValue: 1 });
  const second = piece('$.a', { numberValue: 2 });
  const calls = [whole({ a: 1 }), whole({ a: 2 })];
  expect(joined(BEGIN, first, END, BEGIN, second, END)).toEqual(calls);
  expect(joined(BEGIN, first, BEGIN, second)).toEqual(calls);
});

it.each([{ text: 'x' }, part({ name: 'f', args: { a: 1 } }), part({ name: 'f' }), part({})])(
  'what is none of it stays what it is: %j',
  (other) => {
    expect(joined(other)).toEqual([other]);
  },
);
