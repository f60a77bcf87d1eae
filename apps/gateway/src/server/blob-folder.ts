/** Kept files in a folder. */
import { open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatewayError } from '@model-gateway/contracts';
import type { BlobStore } from '@model-gateway/core';
import { makePrivateFolder } from './private-folder.ts';

const NAME = /^[A-Za-z0-9._-]{1,200}$/;

/** Keeps blobs below `folder`; a file appears under its name only when it is whole. */
export function createBlobFolder(folder: string): BlobStore {
  const root = resolve(folder);
  const placeOf = (location: string): string => {
    if (!NAME.test(location) || location.startsWith('.')) throw new Error('this is not the name of a stored file');
    return join(root, location);
  };
  return {
    locate: (name) => name,
    async put(name, _mime, body) {
      const place = placeOf(name);
      const partial = `${place}.part`;
      makePrivateFolder(root);
      const file = await open(partial, 'w', 0o600);
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
    async open(location, { first, last }, signal) {
      // Opened before the first byte is promised: a file that was removed is a 404, not a cut connection.
      const file = await open(placeOf(location), 'r').catch((error: unknown) => {
        const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        throw gone ? new GatewayError('not_found', 'the kept file is gone') : error;
      });
      return file.createReadStream({ start: first, end: last, ...(signal !== undefined && { signal }) });
    },
    remove: async (location) => {
      const place = placeOf(location);
      await rm(place, { force: true });
      // A process that was killed has left the beginning.
      await rm(`${place}.part`, { force: true });
    },
  };
}
