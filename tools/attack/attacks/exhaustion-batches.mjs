import { attackBatches } from '../exhaustion/batches.mjs';

export const law = 3;
export const name = 'Batches: 100,000 lines, a line of 60 MB, others’ ids, models out of reach, cancels without end';
export const before = 'there were no batches';
export const threshold =
  'at most 500 MB more; lines beyond 100,000 and of 60 MB are refused by name; another owner’s id is a 404 by every way; a model that the key may not use is refused when its line runs; another owner waits at most 2 s meanwhile';
export const run = attackBatches;
