import { outliveMoneyAndKeys } from '../money/sessions.mjs';

export const law = 1;
export const name = 'sessions past their money and their key';
export const before = 'not measured';
export const threshold =
  'six sessions at once of each kind (realtime, translated, Google’s, Responses), opened again when they are closed, cost no more than balance and overdraft, and everything that the vendor bills is charged; a revoked key begins nothing more in open sessions, and its client secrets open none';
export const run = outliveMoneyAndKeys;
