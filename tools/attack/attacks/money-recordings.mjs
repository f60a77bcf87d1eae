import { sendLyingRecordings } from '../money/recordings.mjs';

export const law = 1;
export const name = 'recordings that lie about their length';
export const before = 'a chained Ogg was billed as its first link, a WAV as its chunk said';
export const threshold =
  'a file is billed within 10 % of what its bytes hold, whatever it says of itself or its vendor reports; ledger adds up';
export const run = sendLyingRecordings;
