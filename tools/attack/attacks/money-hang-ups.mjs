import { hangUpEarly } from '../money/hang-ups.mjs';

export const law = 2;
export const name = 'callers who hang up';
export const before = 'a reasoning answer for $0.00008 of $0.2006; sound, pictures and drafts for nothing';
export const threshold =
  'read on: all that the vendor bills; cut: what it had generated; never more than a quarter above the whole answer; ledger adds up';
export const run = hangUpEarly;
