import { fillFiles } from '../exhaustion/files.mjs';

export const law = 3;
export const name = 'files: sizes that lie, parts never finished, uploads that drip, tiny files without end';
export const before = 'there were no files';
export const threshold =
  'an owner’s files, parts and half uploads never lie beyond their room and count; what broke off or is deleted leaves nothing; 32 uploads of an owner under way; another owner uploads within 2 s; at most 256 MB more';
export const run = fillFiles;
