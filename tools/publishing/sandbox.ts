/** Empty projects outside the workspace, and what is installed into them: packed as it would be published, without a registry. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const run = promisify(execFile);

/** What a program printed. Rejects with all it said when it fails. */
export async function output(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await run(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout.slice(0, 4000)}\n${stderr.slice(0, 4000)}`, {
      cause: error,
    });
  }
}

export const node = (args: readonly string[], cwd: string): Promise<string> => output(process.execPath, args, cwd);

export interface Sandbox {
  readonly folder: string;
  /** Packs folders as npm would publish them; gives the tarballs' paths. */
  pack(folders: readonly string[]): Promise<readonly string[]>;
  /** A new project with these tarballs installed by npm, which must not ask any registry. */
  project(name: string, tarballs: readonly string[]): Promise<string>;
  close(): void;
}

/** A folder outside the workspace, so that nothing of it is found by accident. */
export function openSandbox(): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'publishing-'));
  return {
    folder,
    async pack(sources) {
      // All by one npm: its start is most of what it takes.
      const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...sources];
      const packed = JSON.parse(await output('npm', args, folder)) as { filename: string }[];
      return packed.map(({ filename }) => join(folder, filename));
    },
    async project(name, tarballs) {
      const project = join(folder, name);
      mkdirSync(project);
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
      const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs];
      await output('npm', args, project);
      return project;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

/** The program of a package of the workspace. */
export function programOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const { bin } = readJson(join(folder, 'package.json')) as { bin: string | Record<string, string> };
  return join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? ''));
}
