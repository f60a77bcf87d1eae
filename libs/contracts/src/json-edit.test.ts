import { describe, expect, it } from 'vitest';
import { setTopLevel, withoutTopLevel } from './json-edit.ts';

describe('members left out', () => {
  it.each([
    ['the first', '{ "model": "x", "a": 1 }', '{"a": 1}'],
    ['the last two', '{"a":1,"model":"x" ,\n"stream":true}', '{"a":1}'],
    ['all there are', '{"stream":true,"model":"x"}', '{}'],
    ['one that is there twice', '{"model":1,"a":2,"model":3}', '{"a":2}'],
    ['one whose name is written otherwise', '{"mod\\u0065l":"x","a":2}', '{"a":2}'],
    [
      'none of those further in',
      '{"a":{"model":"x","s":"\\"}, model"},"b":[{"stream":1}]}',
      '{"a":{"model":"x","s":"\\"}, model"},"b":[{"stream":1}]}',
    ],
    [
      'nothing of what stays',
      '{"model":"x","n":12345678901234567890,"f":1.0e2,"t":"\\u00e9"}',
      '{"n":12345678901234567890,"f":1.0e2,"t":"\\u00e9"}',
    ],
    ['none of an empty object', ' { } ', ' { } '],
  ])('%s', (_, given, left) => {
    expect(withoutTopLevel(Buffer.from(given), new Set(['model', 'stream'])).toString()).toBe(left);
  });
});

describe('members set', () => {
  it.each([
    ['in place', '{"a":1, "b":2}', '{"a":7, "b":2}'],
    ['behind the last', '{"b":2}', '{"b":2,"a":7}'],
    ['in an empty object', '{}', '{"a":7}'],
  ])('%s', (_, given, then) => {
    expect(setTopLevel(Buffer.from(given), new Map([['a', '7']])).toString()).toBe(then);
  });
});
