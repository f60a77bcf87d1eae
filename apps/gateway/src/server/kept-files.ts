import { createKeptFiles, type KeptFiles, type Parts, type SignedLinks } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import type { Storage } from './storage.ts';

export interface KeptFilesOptions {
  readonly config: Pick<Config, 'files'>;
  readonly parts: Pick<Parts, 'store' | 'now' | 'randomId'>;
  readonly storage: Pick<Storage, 'blobs'>;
  readonly links: SignedLinks;
}

/** Keeps pictures of answers for the links that show them. */
export function openKeptFiles({ config, parts, storage, links }: KeptFilesOptions): KeptFiles {
  const { store, now, randomId } = parts;
  return createKeptFiles({
    store,
    now,
    randomId,
    blobs: storage.blobs,
    links,
    hours: config.files.keepHours,
    most: config.files.keptPictures,
  });
}
