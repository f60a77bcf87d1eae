/** What of a vendor's report on a recording is billed. */
import { describe, expect, it } from 'vitest';
import { billedSeconds, isAnotherLength } from './expected.ts';

describe('billed seconds', () => {
  it.each([
    { name: 'as measured without a report', reported: undefined, mostSeconds: undefined, billed: 10 },
    { name: 'as measured when the vendor made less of it', reported: 3, mostSeconds: undefined, billed: 10 },
    { name: 'as measured when the vendor says nothing', reported: 0, mostSeconds: undefined, billed: 10 },
    { name: 'as measured when the vendor owes some', reported: -5, mostSeconds: undefined, billed: 10 },
    { name: 'as measured when the report is no number', reported: NaN, mostSeconds: undefined, billed: 10 },
    { name: 'as the vendor rounded', reported: 10.8, mostSeconds: undefined, billed: 10.8 },
    { name: 'within the margin where bytes tell nothing', reported: 1e9, mostSeconds: undefined, billed: 12 },
    { name: 'as the vendor heard, where the bytes can hold it', reported: 25, mostSeconds: 30, billed: 25 },
    { name: 'what the bytes can hold, not what is reported', reported: Infinity, mostSeconds: 30, billed: 30 },
    { name: 'never less than measured', reported: 20, mostSeconds: 5, billed: 10 },
  ])('are $name', ({ reported, mostSeconds, billed }) => {
    expect(billedSeconds(reported, { seconds: 10, ...(mostSeconds !== undefined && { mostSeconds }) })).toBe(billed);
  });
});

describe('another length', () => {
  it.each([
    { reported: 11, seconds: 10, is: false },
    { reported: 3, seconds: 2.4, is: false },
    { reported: 11.5, seconds: 10, is: true },
    { reported: 8, seconds: 10, is: true },
    { reported: 108, seconds: 100, is: false },
    { reported: NaN, seconds: 100, is: true },
  ])('is $is for $reported of $seconds', ({ reported, seconds, is }) => {
    expect(isAnotherLength(reported, seconds)).toBe(is);
  });
});
