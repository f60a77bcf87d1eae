import { endByDeadline } from '../money/hang-ups.mjs';

export const law = 2;
export const name = 'callers whose own deadline ends it';
export const before = 'only the input was charged of what the vendor went on with';
export const threshold =
  'read on: all that the vendor bills; cut: what it had generated; never more than a quarter above the whole answer; ledger adds up';
export const run = endByDeadline;
