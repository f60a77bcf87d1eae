import { tryForeignTasks } from '../isolation/modes.mjs';

export const law = 5;
export const name = 'tasks of another owner, or of the other mode';
export const before = '32 of 32 tries with a test key on live tasks succeeded; a live task was deleted';
export const threshold =
  '0 tries succeed or tell that there is one; nothing changes for the owner; his own key does all';
export const run = tryForeignTasks;
