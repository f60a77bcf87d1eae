import { MOST_DELAY_MS, oneBodyAtATime } from '../exhaustion/bodies.mjs';

export const law = 3;
export const name = 'one body stalls all';
export const before = '62 MB of `{}` in an unknown field: 10 s, 2.7 GB';
export const threshold = `the event loop is held up for at most ${MOST_DELAY_MS} ms, whatever one body says`;
export const run = oneBodyAtATime;
