import { spendTheLastCents } from '../money/small-balances.mjs';

export const law = 1;
export const name = 'owners with six cents';
export const before = 'four chats of $0.00006 at once were one answer and three 429s';
export const threshold =
  'four small chats at once are all answered; 64 dear ones cost no more than balance and overdraft';
export const run = spendTheLastCents;
