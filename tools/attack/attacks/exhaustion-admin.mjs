import { readMuch } from '../exhaustion/admin.mjs';

export const law = 3;
export const name = 'reports on a long ledger';
export const before = 'a verification of 50,000 requests held the process up for 49 s; a chat meanwhile took 52 s';
export const threshold =
  'every report is answered and every job done; the event loop is held up for at most 200 ms; a job is cancelled within 1 s';
export const isOfOneProcess = true;
export const run = readMuch;
