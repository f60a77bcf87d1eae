import { outgrow } from '../access/numbers.mjs';

export const law = 4;
export const name = 'numbers that no column takes, sessions without end';
export const before = 'an owner_id of 2^63 was a 500; every sign-in with one key left a row for eight days';
export const threshold = '0 server errors for integers of any size; ≤ 256 sessions of one key are kept';
export const run = outgrow;
