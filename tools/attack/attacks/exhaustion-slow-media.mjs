import { dripMedia } from '../exhaustion/slow-media.mjs';

export const law = 3;
export const name = 'media addresses that drip';
export const threshold = 'another owner waits ≤ 2 s; a drip is given up within 15 s';
export const run = dripMedia;
