/** How many worker processes a gateway has. */
import { ConfigError, type Config } from '../config/config.ts';

/** Up to so many cores one process does what a start without a word about workers is for. */
const CORES_OF_ONE_PROCESS = 2;
/** What `auto` reckons for one worker: what it holds at work, and bodies under way. */
const WORKER_MEMORY = 400 * 1024 * 1024;

export interface Machine {
  /** Cores that this process may use, those of a container counted. */
  readonly cores: number;
  /** Bytes that this process may use, likewise. */
  readonly memory: number;
}

/**
 * The number of workers: as the configuration says; `auto` is one for each core as far as the memory goes, and what is taken on machines with
 * more than two cores where nothing is said. Throws ConfigError, with the place, for more than there are cores and for a database that one
 * process has to itself.
 */
export function workerCount(config: Pick<Config, 'server' | 'databaseUrl' | 'file'>, machine: Machine): number {
  const { workers, workersFault } = config.server;
  const cores = Math.max(1, Math.floor(machine.cores));
  const fault = (reason: string): ConfigError =>
    new ConfigError(config.file ?? 'the environment', [
      { path: '', message: workersFault.replace('%s', () => reason) },
    ]);
  const isShareable = config.databaseUrl !== 'sqlite::memory:';
  if (typeof workers === 'number') {
    if (workers > cores) {
      throw fault(
        `${workers} is more than the ${cores === 1 ? 'one core' : `${cores} cores`} of this machine: take ${cores === 1 ? '1' : `a number from 1 to ${cores}`}, or auto`,
      );
    }
    if (workers > 1 && !isShareable) {
      throw fault(`a database in memory (sqlite::memory:) is one process's own: take 1, or a database in a file`);
    }
    return workers;
  }
  if (!isShareable) return 1;
  if (workers === undefined && cores <= CORES_OF_ONE_PROCESS) return 1;
  return Math.max(1, Math.min(cores, Math.floor(machine.memory / WORKER_MEMORY)));
}
