import { repeatPaid } from '../money/repeats.mjs';

export const law = 1;
export const name = 'one Idempotency-Key, many requests';
export const before = 'every repetition of an answer in the background was another answer with a bill of its own';
export const threshold =
  'every paid operation, in every way it can be asked: one bill for a key; another body is a 409';
export const run = repeatPaid;
