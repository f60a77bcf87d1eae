import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, where they are missing, for this user alone; answers those that it made, the outermost first. Throws what the
 * system says of the first one that cannot be made: Node's own `recursive` says ENOENT of a file system that is read only, and tries without end in
 * one that takes no folders, such as /proc.
 */
export function makeFolder(path: string): readonly string[] {
  try {
    mkdirSync(path, { mode: 0o700 });
    return [path];
  } catch (error) {
    if (existsSync(path) && statSync(path).isDirectory()) return [];
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    const above = makeFolder(dirname(path));
    return [...above, ...makeFolder(path)];
  }
}
