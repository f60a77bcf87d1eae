import { expect, it } from 'vitest';
import { createSealing } from './sealing.ts';

const key = (byte: number): Uint8Array => Buffer.alloc(32, byte);
const VALUE = { text: 'A word '.repeat(100), items: [1, null, { deep: true }] };

it('gives back what was sealed, in its place and by its key only', () => {
  const sealing = createSealing([key(1)]);
  const sealed = sealing.seal(VALUE, 'reply resp_1 1 live');
  expect(sealing.open(sealed, 'reply resp_1 1 live')).toEqual(VALUE);
  expect(() => sealing.open(sealed, 'reply resp_1 2 live')).toThrow(/it is damaged/);
  expect(() => createSealing([key(2)]).open(sealed, 'reply resp_1 1 live')).toThrow(
    /a key that this gateway does not have/,
  );
  expect(Buffer.from(sealed).includes('A word')).toBe(false);
  // The same twice is not the same bytes.
  expect(Buffer.from(sealing.seal(VALUE, 'p')).equals(Buffer.from(sealing.seal(VALUE, 'p')))).toBe(false);
});

it('seals with the first key and opens with each', () => {
  const before = createSealing([key(1)]).seal(VALUE, 'p');
  const both = createSealing([key(2), key(1)]);
  expect(both.open(before, 'p')).toEqual(VALUE);
  expect(createSealing([key(2)]).open(both.seal(VALUE, 'p'), 'p')).toEqual(VALUE);
});

it('finds every byte that was changed, and every one that is missing', () => {
  const sealing = createSealing([key(1)]);
  const sealed = Buffer.from(sealing.seal({ a: 1 }, 'p'));
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealing.open(changed, 'p')).toThrow();
    expect(() => sealing.open(sealed.subarray(0, at), 'p')).toThrow();
  }
});

it('takes keys of 32 bytes only', () => {
  expect(() => createSealing([])).toThrow(/no encryption key/);
  expect(() => createSealing([Buffer.alloc(31)])).toThrow(/32 bytes, not 31/);
});
