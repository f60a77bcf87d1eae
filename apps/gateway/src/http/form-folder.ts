/** Where the files of forms lie while their requests run: a folder each, among the machine's temporary ones. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^model-gateway-form-(\d+)-/;
/** Those of this process that are in use. */
const used = new Set<string>();

export interface FormFolder {
  readonly folder: string;
  /** Removes it and what is in it. Idempotent. */
  readonly dispose: () => Promise<void>;
}

/** Makes a folder for one form. With the process in its name: what a killed one left is told from what is in use. */
export async function openFormFolder(): Promise<FormFolder> {
  const folder = await mkdtemp(join(tmpdir(), `model-gateway-form-${process.pid}-`));
  used.add(folder);
  return {
    folder,
    async dispose() {
      await rm(folder, { recursive: true, force: true });
      used.delete(folder);
    },
  };
}

/** Removes what processes that were killed have left; resolves with how many folders that were. */
export async function sweepFormFolders(): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid === 0) return false;
    // In containers the number of the process before is often the own one.
    return pid === process.pid ? !used.has(join(tmpdir(), name)) : !isRunning(pid);
  });
  const removed = await Promise.allSettled(left.map((name) => rm(join(tmpdir(), name), { recursive: true })));
  return removed.filter(({ status }) => status === 'fulfilled').length;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
