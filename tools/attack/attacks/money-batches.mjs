import { raceBatches } from '../money/batches.mjs';

export const law = 1;
export const name = 'Many batches at once with little money, cancelled at every moment, over another’s file';
export const before = 'batches went to their vendors line by line';
export const threshold =
  'no owner is charged more than there is, its vendor bills that and at most one line more; every batch ends and holds nothing; another’s input file is a 404';
export const run = raceBatches;
