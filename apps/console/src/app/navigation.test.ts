import { expect, it } from 'vitest';
import { PAGES } from './navigation.ts';

it('each page has a letter of its own, none of them `g`', () => {
  const letters = PAGES.map(({ letter }) => letter);
  expect(letters.filter((letter, at) => letters.indexOf(letter) !== at || !/^[a-fh-z]$/.test(letter))).toEqual([]);
});
