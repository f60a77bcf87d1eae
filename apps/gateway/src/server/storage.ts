/** What survives a restart: the database, and the files that are kept. */
import { constants, rmdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { BlobStore, Log, Store } from '@model-gateway/core';
import { makeFolder, openStore } from '@model-gateway/store';
import type { Config } from '../config/config.ts';
import { createBlobFolder } from './blob-folder.ts';
import { createBlobS3 } from './blob-s3.ts';
import { BAD_CONFIGURATION, codeOf, StartFault } from './start-fault.ts';

export interface Storage {
  readonly store: Store;
  readonly blobs: BlobStore;
  /** No other gateway works on the same database. */
  readonly soleProcess: boolean;
}

export interface StorageOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'files'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'info'>;
  /** One of several workers: the primary has the SQLite file, and this process writes to it beside others. */
  readonly worker: boolean;
}

/** Opens the database, brings it up to date, and makes sure that files can be kept. Throws StartFault and GatewayError. */
export async function openStorage(
  resources: AsyncDisposableStack,
  { config, now, log, worker }: StorageOptions,
): Promise<Storage> {
  const { databaseUrl, files } = config;
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  const migrated: string[] = [];
  const store = await withFolders(
    [
      ...(file === undefined || file === ':memory:' ? [] : [{ folder: dirname(file), setting: 'database.url' }]),
      ...(files.s3 === undefined ? [{ folder: files.folder, setting: 'files.folder' }] : []),
    ],
    () => openStore(databaseUrl, { worker, onMigrate: (name) => migrated.push(name) }),
  );
  if (migrated.length > 0)
    log.info({ migrations: migrated.length, newest: migrated.at(-1) }, 'the database was brought up to date');
  resources.defer(() => store.close());
  return {
    store,
    blobs: openBlobs(files, now),
    soleProcess: !worker && databaseUrl.startsWith('sqlite:'),
  };
}

/** The folder or the bucket of kept files. */
export function openBlobs(files: Config['files'], now: () => number): BlobStore {
  return files.s3 === undefined ? createBlobFolder(files.folder) : createBlobS3({ bucket: files.s3, now });
}

/** Makes folders before the work that needs them. When one cannot be made, or the work fails, those that it made are gone again. */
async function withFolders<T>(
  folders: readonly { readonly folder: string; readonly setting: string }[],
  work: () => Promise<T>,
): Promise<T> {
  const made: string[] = [];
  try {
    for (const { folder, setting } of folders) made.push(...(await requireWritable(folder, setting)));
    return await work();
  } catch (error) {
    for (const folder of made.toReversed()) {
      try {
        rmdirSync(folder);
      } catch {
        // Somebody has put something there meanwhile.
      }
    }
    throw error;
  }
}

/** Makes the folder where it is missing; answers what it made. Throws StartFault when nothing can be written there. */
export async function requireWritable(folder: string, setting: string): Promise<readonly string[]> {
  const path = resolve(folder);
  try {
    const made = makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    throw new StartFault(
      `the folder ${path} cannot be written (${codeOf(error)}); set ${setting} to a folder that can be written`,
      { cause: error, exitCode: BAD_CONFIGURATION },
    );
  }
}
