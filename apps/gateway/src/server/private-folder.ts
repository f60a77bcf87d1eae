import { chmodSync } from 'node:fs';
import { makeFolder } from '@model-gateway/store';

/** Makes a folder that only the gateway's own user may enter; one that is there already is closed to others too, if it is that user's. */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  try {
    chmodSync(path, 0o700);
  } catch {
    // A mounted volume may belong to somebody else, who decides who enters it.
  }
}
