import { crowdAnAccount } from '../exhaustion/full-account.mjs';

export const law = 3;
export const name = 'fifty at once at an account with 8 places';
export const before = 'another owner with one request at a time had 5 answers of 213, and everybody else a 500';
export const threshold =
  'the other owner is always answered, within 24 answers of the vendor at the median, 40 nine of ten times; no 500; refusals say when to come back';
export const run = crowdAnAccount;
