/** Kept files in a folder. */
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BlobStore } from '@model-gateway/core';

const NAME = /^[A-Za-z0-9._-]{1,200}$/;

/** Keeps blobs below `folder`; a file appears under its name only when it is whole. */
export function createBlobFolder(folder: string): BlobStore {
  const root = resolve(folder);
  const placeOf = (location: string): string => {
    if (!NAME.test(location) || location.startsWith('.')) throw new Error('not a name of a kept file');
    return join(root, location);
  };
  return {
    async put(name, _mime, body) {
      const place = placeOf(name);
      const partial = `${place}.part`;
      await mkdir(root, { recursive: true });
      const file = await open(partial, 'w');
      let size = 0;
      try {
        for await (const chunk of body) {
          await file.write(chunk);
          size += chunk.byteLength;
        }
        await file.sync();
        await file.close();
        await rename(partial, place);
      } catch (error) {
        await file.close().catch(() => undefined);
        await rm(partial, { force: true });
        throw error;
      }
      return { location: name, size };
    },
    open: async (location, { first, last }, signal) =>
      createReadStream(placeOf(location), { start: first, end: last, ...(signal !== undefined && { signal }) }),
    remove: async (location) => {
      await rm(placeOf(location), { force: true });
    },
  };
}
