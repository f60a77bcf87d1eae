import { guessKeys } from '../exhaustion/guesses.mjs';

export const law = 4;
export const name = 'guesses of keys, repetitions of an answer';
export const before = 'every guess was looked up; repetitions counted against no limit';
export const threshold =
  '≤ 700 guesses looked up one by one (300 a minute); a right key still works; repetitions count as requests';
export const run = guessKeys;
