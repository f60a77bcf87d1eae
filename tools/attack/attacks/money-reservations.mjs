import { referElsewhere } from '../money/reservations.mjs';

export const law = 1;
export const name = 'bodies that say less than they cost';
export const before = 'a payer of $1: 64 answers, $1.00 charged, shortfall $383';
export const threshold = 'billed − funds ≤ the overdraft or one worst case, per payer; refusals name the field';
export const run = referElsewhere;
