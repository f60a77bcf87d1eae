import { takeFiles } from '../isolation/files.mjs';

export const law = 5;
export const name = 'files: another owner’s ids, names that are paths, types that browsers run';
export const before = 'there were no files';
export const threshold =
  'another owner’s file, upload or part is a 404 by every way and spelling, and none of its bytes goes to a vendor; no file lies outside the folder; nothing is sent with a type that a browser runs';
export const run = takeFiles;
