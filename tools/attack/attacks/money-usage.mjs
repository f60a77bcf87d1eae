import { reportAnything } from '../money/usage.mjs';

export const law = 2;
export const name = 'a vendor that reports any usage';
export const before = 'cut streams, drafts and sound for nothing where no report came';
export const threshold =
  'nothing delivered is free but what the vendor says is; no debt beyond the overdraft; ledger adds up';
export const run = reportAnything;
