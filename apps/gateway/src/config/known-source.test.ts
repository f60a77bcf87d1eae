/** A text whose value is known already: nobody parses it to read it, and places are told all the same. */
import { expect, it } from 'vitest';
import { readSource } from './source.ts';

const TEXT = 'accounts:\n  - name: one\n    vendor: ${VENDOR}\n';
const VALUE = { accounts: [{ name: 'one', vendor: '${VENDOR}' }] };

it('is what the text says, with the environment in it and the same places', () => {
  const known = readSource(TEXT, { VENDOR: 'ark' }, 'a.yaml', VALUE);
  const parsed = readSource(TEXT, { VENDOR: 'ark' }, 'a.yaml');
  expect(known.value).toEqual(parsed.value);
  expect(known.value).toEqual({ accounts: [{ name: 'one', vendor: 'ark' }] });
  const fault = { path: ['accounts', 0, 'vendor'], message: 'no' };
  expect(known.said(fault)).toEqual(parsed.said(fault));
  expect(known.said(fault)).toMatchObject({ line: 3, column: 5 });
});

it('is not parsed for its value: a text that is no YAML is no fault until a place in it is asked for', () => {
  const known = readSource('a: [', {}, 'broken.yaml', { a: 1 });
  expect(known.value).toEqual({ a: 1 });
  expect(() => known.said({ path: ['a'], message: 'no' })).toThrow();
});
