import { leaveAnswersUnread } from '../exhaustion/unread-answers.mjs';

export const law = 3;
export const name = 'large answers that nobody reads';
export const before = '100 sockets took 1.2 GB in 30 s; a batch of 62 MB held everybody up for 1 s';
export const threshold =
  'at most 750 MB more for 100 unread answers of 15 MB, vectors and pictures; another owner is answered meanwhile; readers who take nothing are hung up on; a batch of 60 MB arrives whole and holds nobody up for 200 ms';
export const run = leaveAnswersUnread;
