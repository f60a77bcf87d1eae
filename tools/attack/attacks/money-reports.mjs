import { reportOfAnyKind } from '../money/reports.mjs';

export const law = 1;
export const name = 'a vendor that reports any usage of films, sound, pictures, vectors, scores';
export const before = '$9,999,999.90 for four seconds of film; a task that never ends on 1e308';
export const threshold = 'no charge beyond 1.25 times its quote, none of nothing, no hold left; ledger adds up';
export const run = reportOfAnyKind;
