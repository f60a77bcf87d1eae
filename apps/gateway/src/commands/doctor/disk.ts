/** Whether there is room, and leave to write. */
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { codeOf } from '../../server/start-fault.ts';
import type { Finding } from './finding.ts';

const MB = 1024 * 1024;
const TOO_LITTLE_MB = 100;
const LITTLE_MB = 1024;

/** Looks at the folders of the database and of kept files. */
export async function lookAtDisk({ databaseUrl, files }: Config): Promise<readonly Finding[]> {
  const database = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  const folders = new Map([
    ...(database === undefined || database === ':memory:'
      ? []
      : [[dirname(resolve(database)), 'database.url'] as const]),
    ...(files.s3 === undefined ? [[resolve(files.folder), 'files.folder'] as const] : []),
  ]);
  return Promise.all([...folders].map(([folder, setting]) => look(folder, setting)));
}

async function look(folder: string, setting: string): Promise<Finding> {
  const there = await nearest(folder);
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    return {
      name: 'disk',
      state: 'fault',
      message: `${folder} cannot be written (${codeOf(error)})`,
      advice: `give the gateway's user leave to, or name another place in ${setting}`,
    };
  }
  const { bavail, bsize } = await statfs(there);
  const free = Math.floor((bavail * bsize) / MB);
  const message = `${free.toLocaleString('en-US')} MB free for ${folder}`;
  if (free >= LITTLE_MB) return { name: 'disk', state: 'ok', message };
  const advice = `free some, or name another place in ${setting}: a full disk stops every write`;
  return { name: 'disk', state: free < TOO_LITTLE_MB ? 'fault' : 'warning', message, advice };
}

/** The folder, or what is there of its path: the first start makes the rest. */
async function nearest(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return exists || folder === dirname(folder) ? folder : nearest(dirname(folder));
}
