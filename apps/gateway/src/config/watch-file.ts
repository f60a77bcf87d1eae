import { statSync } from 'node:fs';

const WATCH_MS = 2000;

/** Calls `changed` when a file is another one than before, until the returned function is called. By its name: Kubernetes swaps links, which watchers of an inode miss. */
export function watchFile(file: string, changed: () => void): () => void {
  const stamp = (): string => {
    try {
      const { mtimeMs, size, ino } = statSync(file);
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      return '';
    }
  };
  let last = stamp();
  const timer = setInterval(() => {
    const current = stamp();
    if (current === last || current === '') return;
    last = current;
    changed();
  }, WATCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}
