import { attackSockets } from '../exhaustion/sockets.mjs';

export const law = 3;
export const name = 'WebSockets: idle, flooding, unread, too large';
export const before = 'without a room for messages 200 unfinished ones took 1.7 GB';
export const threshold =
  'an idle socket takes at most 80 KB; 1,001st of an owner is refused; 200 sockets with unfinished messages of 8 MB, floods of 2,000 questions and unread answers take at most 500 MB; a message over the limit closes with 1009; another owner is answered in at most 2 s meanwhile';
export const run = attackSockets;
