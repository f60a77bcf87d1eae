import { lockOut } from '../access/lockout.mjs';

export const law = 3;
export const name = 'wrong keys from the address of an office';
export const before =
  '300 wrong keys a minute refused every right key that the process had not seen, the admin key and sign-in';
export const threshold =
  '0 right keys, admin keys or sessions refused, and nobody kept from signing in; most of the wrong keys get 429';
export const run = lockOut;
