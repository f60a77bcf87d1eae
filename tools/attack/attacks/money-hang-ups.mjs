import { hangUpEarly } from '../money/hang-ups.mjs';

export const law = 2;
export const name = 'callers who hang up';
export const before = 'a reasoning answer for $0.00008 of $0.2006; sound, pictures and drafts for nothing';
export const threshold = 'the usual setting: all that the vendor bills; `abort`: never nothing; ledger adds up';
export const run = hangUpEarly;
