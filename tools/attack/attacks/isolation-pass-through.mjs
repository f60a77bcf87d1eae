import { attackPassThrough } from '../isolation/pass-through.mjs';

export const law = 5;
export const name =
  'Pass-through: other paths, other hosts, the caller’s key, the account’s credential, prices, bodies without end';
export const before = 'there was no pass-through';
export const threshold =
  'nothing but the opened paths is asked, however a server reads them; the vendor sees no key of the gateway, the caller no credential; every answer that is not read or not told costs all that was held; at most 128 MB more';
export const run = attackPassThrough;
