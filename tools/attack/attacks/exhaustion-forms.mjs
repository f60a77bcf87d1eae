import { sendForms } from '../exhaustion/forms.mjs';

export const law = 3;
export const name = 'forms that announce no length';
export const before = '225 MB of one chunked form were taken, past the limit of 64 MB';
export const threshold =
  '413 at 64 MB; at most 64 MB on disk; at most 128 MB more read and thrown away while the answer travels; nothing left';
export const run = sendForms;
