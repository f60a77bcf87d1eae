import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wallClock } from '../core/values.ts';

/** Finished files between runs. Best effort: a full or read-only disk only costs the time to make a file again. */
export interface DiskCache {
  read(key: string): Promise<Buffer | undefined>;
  /** Keeps a file; those that were not read for longest go when all of them together are too large. */
  write(key: string, bytes: Buffer): Promise<void>;
  /** Bytes of a file that is kept. */
  sizeOf(key: string): Promise<number | undefined>;
}

/** `%x` of a SHA-256; all else in the folder is what a process that died was writing. */
const KEY = /^[0-9a-f]{64}$/;

/** Makes the cache of a folder of its own. What earlier runs left is swept before the first use. */
export function createDiskCache(folder: string, mostBytes: number): DiskCache {
  /** Sizes, longest unread first. */
  const kept = new Map<string, number>();
  let total = 0;
  let opening: Promise<void> | undefined;

  const forget = async (key: string): Promise<void> => {
    total -= kept.get(key) ?? 0;
    kept.delete(key);
    await rm(join(folder, key), { force: true });
  };
  const remember = (key: string, size: number): void => {
    total += size - (kept.get(key) ?? 0);
    kept.delete(key);
    kept.set(key, size);
  };
  const shrink = async (): Promise<void> => {
    for (const key of [...kept.keys()]) {
      if (total <= mostBytes) return;
      await forget(key);
    }
  };
  const sweep = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    await Promise.all(names.filter((name) => !KEY.test(name)).map((name) => rm(join(folder, name), { force: true })));
    const files = await Promise.all(
      names.filter((name) => KEY.test(name)).map(async (key) => ({ key, ...(await statOf(join(folder, key))) })),
    );
    for (const { key, size } of files.toSorted((one, other) => one.at - other.at)) remember(key, size);
    await shrink();
  };
  const opened = (): Promise<void> => (opening ??= sweep().catch(() => undefined));

  return {
    async read(key) {
      await opened();
      const size = kept.get(key);
      if (size === undefined) return undefined;
      const bytes = await readFile(join(folder, key)).catch(() => undefined);
      if (bytes === undefined) {
        await forget(key).catch(() => undefined);
        return undefined;
      }
      remember(key, size);
      const now = wallClock() / 1000;
      await utimes(join(folder, key), now, now).catch(() => undefined);
      return bytes;
    },
    async write(key, bytes) {
      await opened();
      if (bytes.length > mostBytes) return;
      const draft = join(folder, `${key}.${process.pid}`);
      try {
        await writeFile(draft, bytes, { mode: 0o600 });
        await rename(draft, join(folder, key));
        remember(key, bytes.length);
        await shrink();
      } catch {
        await rm(draft, { force: true }).catch(() => undefined);
      }
    },
    async sizeOf(key) {
      await opened();
      return kept.get(key);
    },
  };
}

async function statOf(path: string): Promise<{ readonly size: number; readonly at: number }> {
  return stat(path).then(
    ({ size, mtimeMs }) => ({ size, at: mtimeMs }),
    () => ({ size: 0, at: 0 }),
  );
}
