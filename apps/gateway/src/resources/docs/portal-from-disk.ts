/** The portal as its pages were written beside the bundle (tools/packing): read from there when they are asked for, and not kept. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Portal } from './portal-from-sources.ts';

const FOLDER = fileURLToPath(new URL('./portal/', import.meta.url));
/** The first page for `/docs`: without a slash its links lead one folder down. */
const AT_MOUNT = 'at-mount.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mp3': 'audio/mpeg',
};

/** Only files that were there when it was opened can be asked for. */
export function openPortal(folder: string = FOLDER): Promise<Portal> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).split(sep).join('/'));
  const known = new Set(names);
  return Promise.resolve({
    async file(path, at) {
      const name = at === undefined ? path : AT_MOUNT;
      if (!known.has(name)) return undefined;
      const body = await readFile(join(folder, name));
      return { type: TYPES[extname(name)] ?? 'text/plain; charset=utf-8', body };
    },
  });
}
