import { dripMedia } from '../exhaustion/slow-media.mjs';

export const law = 3;
export const name = 'media addresses that drip';
export const before = 'eight addresses held every place of an account for a minute';
export const threshold = 'another owner waits ≤ 2 s; a drip is given up within 15 s';
export const run = dripMedia;
