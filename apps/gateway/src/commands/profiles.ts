/** Gateways elsewhere by a name, with their keys: a file of this user alone, which no command prints. */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { given, type Environment } from '../config/interpolate.ts';
import { CommandFault, fileFault } from './command-fault.ts';

export interface Profile {
  readonly url: string;
  /** For `chat`, `image`, `speech`, `video`, `models`. */
  readonly key?: string;
  /** For operators' commands. */
  readonly admin_key?: string;
}
export interface Profiles {
  /** The profile in use. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** `$XDG_CONFIG_HOME/model-gateway/profiles.json`, below `~/.config` when that is not set. */
export function profilesFile(env: Environment): string {
  const folder = given(env['XDG_CONFIG_HOME']) ?? join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'model-gateway', 'profiles.json');
}

/** What is kept; nothing where there is no file. Throws CommandFault when it cannot be read, or others can read it. */
export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0)
      throw new CommandFault(`${file} contains keys, but other users can read it: chmod 600 ${file}`);
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw fileFault(file, 'read', error);
  }
  try {
    const read = JSON.parse(text) as Partial<Profiles>;
    return { ...read, profiles: { ...read.profiles } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFault(`${file} is not valid JSON; fix it, or delete it and add the profiles again.`);
  }
}

/** Replaces what is kept, in one step. */
export function writeProfiles(env: Environment, profiles: Profiles): void {
  const file = profilesFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const making = `${file}.${process.pid}`;
  writeFileSync(making, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: OWNER_ONLY });
  // A umask that is narrower is kept; a file that was there before is not used.
  chmodSync(making, OWNER_ONLY);
  renameSync(making, file);
}
