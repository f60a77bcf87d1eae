import { attackRealtime } from '../exhaustion/realtime.mjs';

export const law = 3;
export const name = 'realtime sessions: idle, unread, flooding, tiny, huge';
export const before = 'sound for a vendor that never began was kept without a bound of its bytes';
export const threshold =
  'an idle session takes at most 120 KB at the peak; 1,001st of an owner is refused; unread answers, sound that no vendor takes, 20,000 tiny events and unfinished frames take at most 500 MB, each with OpenAI’s events, Google’s, and translated; a frame over 16 MB closes with 1009; another owner is answered in at most 2 s meanwhile; no connection is left open';
export const run = attackRealtime;
