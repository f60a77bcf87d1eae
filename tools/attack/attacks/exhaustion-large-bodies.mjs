import { sendLargeBodies } from '../exhaustion/large-bodies.mjs';

export const law = 3;
export const name = 'ten large bodies, and idle senders of more';
export const before = 'all ten were refused, one got through with two repetitions';
export const threshold =
  'ten of 60 MB at once are all answered, without a repetition; behind senders that declare 64 MB and send nothing another owner is answered within 15 s';
export const run = sendLargeBodies;
