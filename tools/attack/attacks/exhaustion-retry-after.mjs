import { waitForYears } from '../exhaustion/retry-after.mjs';

export const law = 3;
export const name = 'a vendor that asks to wait for years';
export const before =
  'one odd header paused an account for all tenants until a restart, and a finished film was not looked at again';
export const threshold = 'callers are told ≤ 300 s, accounts cool ≤ 300 s, polls come again within 300 s';
export const run = waitForYears;
