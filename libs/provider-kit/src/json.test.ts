import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Json } from '@model-gateway/contracts';
import { parseVendorJson, writeVendorJson } from './json.ts';

describe('parseVendorJson', () => {
  it.each<[string, Json | undefined]>([
    ['{"element_id":860000000000000123}', { element_id: '860000000000000123' }],
    ['[9007199254740991]', [9007199254740991]],
    ['[9007199254740992]', ['9007199254740992']],
    ['[-9007199254740993]', ['-9007199254740993']],
    ['{"a":"860000000000000123"}', { a: '860000000000000123' }],
    ['{"cost":0.1234567890123456789}', { cost: 0.12345678901234568 }],
    ['{"n":1e30}', { n: 1e30 }],
    ['0', 0],
    ['null', null],
    ['', undefined],
    ['{"torn":', undefined],
    ['<html>', undefined],
    ['\u0000', undefined],
  ])('%s', (text, value) => {
    expect(parseVendorJson(text)).toEqual(value);
  });

  it('a key named __proto__ is a key', () => {
    const parsed = parseVendorJson('{"__proto__":{"polluted":12345678901234567890}}') as object;
    expect(Object.hasOwn(parsed, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('finds a long integer wherever it stands', () => {
    for (let before = 0; before < 40; before++) {
      for (const digits of ['9007199254740991', '9007199254740993', '86000000000000012345']) {
        const text = `["${'x'.repeat(before)}",${digits}]`;
        const exact = BigInt(digits) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(digits) : digits;
        expect(parseVendorJson(text)).toEqual(['x'.repeat(before), exact]);
      }
    }
  });

  it('fractions are numbers, however many digits they have', () => {
    expect(parseVendorJson('[0.1234567890123456789,-1.00000000000000002e5,12345678901234567890]')).toEqual([
      0.1234567890123456789,
      -1.00000000000000002e5,
      '12345678901234567890',
    ]);
    expect(parseVendorJson('[0.01234567890123456789]')).toEqual([0.01234567890123456789]);
  });

  it('is JSON.parse for everything without long integers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
        const text = JSON.stringify(value);
        if (/\d{16}/.test(text)) return;
        expect(parseVendorJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('writeVendorJson', () => {
  const integers = new Set(['element_id']);
  it.each<[Json, string]>([
    [{ element_id: '860000000000000123' }, '{"element_id":860000000000000123}'],
    [[{ element_id: '0' }, { element_id: '-5' }], '[{"element_id":0},{"element_id":-5}]'],
    [{ element_id: '007' }, '{"element_id":"007"}'],
    [{ element_id: '1,"injected":2' }, '{"element_id":"1,\\"injected\\":2"}'],
    [{ element_id: '' }, '{"element_id":""}'],
    [{ element_id: 5, other: '860000000000000123' }, '{"element_id":5,"other":"860000000000000123"}'],
  ])('%j', (value, text) => {
    expect(writeVendorJson(value, integers)).toBe(text);
  });

  it('what goes out comes back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 10n ** 25n }), (id) => {
        const value = { element_id: String(id) };
        expect(parseVendorJson(writeVendorJson(value, integers))).toEqual(value);
      }),
    );
  });
});
