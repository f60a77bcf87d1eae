import { endByDeadline } from '../money/hang-ups.mjs';

export const law = 2;
export const name = 'callers whose own deadline ends it';
export const before = 'only the input was charged of what the vendor went on with';
export const threshold = 'the usual setting: all that the vendor bills; `abort`: never nothing; ledger adds up';
export const run = endByDeadline;
