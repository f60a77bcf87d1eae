/** What survives a restart: the database, and the files that are kept. */
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { BlobStore, Log, Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import type { Config } from '../config/config.ts';
import { createBlobFolder } from './blob-folder.ts';
import { createBlobS3 } from './blob-s3.ts';
import { codeOf, StartFault } from './start-fault.ts';

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
}

/** Opens the database, brings it up to date, and makes sure that files can be kept. Throws StartFault and GatewayError. */
export async function openStorage(
  resources: AsyncDisposableStack,
  { config, now, log }: StorageOptions,
): Promise<Storage> {
  const { databaseUrl, files } = config;
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  if (file !== undefined && file !== ':memory:') await requireWritable(dirname(file), 'database.url');
  if (files.s3 === undefined) await requireWritable(files.folder, 'files.folder');
  const store = await openStore(databaseUrl, {
    onMigrate: (name) => log.info({ migration: name }, 'the database was brought up to date'),
  });
  resources.defer(() => store.close());
  return {
    store,
    blobs: files.s3 === undefined ? createBlobFolder(files.folder) : createBlobS3({ bucket: files.s3, now }),
    soleProcess: databaseUrl.startsWith('sqlite:'),
  };
}

/** Makes the folder where it is missing. Throws StartFault when nothing can be written there. */
export async function requireWritable(folder: string, setting: string): Promise<void> {
  const path = resolve(folder);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartFault(
      `the folder ${path} cannot be written (${codeOf(error)}); ${setting} must name a place that can`,
      { cause: error },
    );
  }
}
