/** Processes that have loaded the gateway and wait for their life: so that a kill costs the loading only in the background. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startFlags } from '../npm-start.mjs';

const REPLICA = fileURLToPath(new URL('replica.mjs', import.meta.url));

/**
 * Keeps `ahead` processes ready; `env` is theirs. No more than `most` are ever taken. What Node compiles is kept where this process keeps its own,
 * or else in `cacheFolder`.
 */
export async function createProcessPool({ surface, ahead, cwd, env, cacheFolder, most = Infinity }) {
  const options = {
    cwd,
    execArgv: ['--no-warnings', ...startFlags()],
    env: { NODE_COMPILE_CACHE: cacheFolder, ...process.env, NODE_OPTIONS: '', ...env },
    // Maps travel too.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  };
  await once(fork(REPLICA, [surface, 'warm-up'], options), 'exit');

  const waiting = [];
  let closed = false;
  let bred = 0;
  const breed = () => {
    if (closed || bred === most) return;
    bred += 1;
    const child = fork(REPLICA, [surface], options);
    const loaded = once(child, 'message').then(
      () => child,
      () => undefined,
    );
    waiting.push({ child, loaded });
  };
  for (let count = 0; count < ahead; count++) breed();

  return {
    /** The next process, loaded; it waits for its message. */
    async next() {
      const { child, loaded } = waiting.shift();
      breed();
      await loaded;
      return child;
    },
    close() {
      closed = true;
      for (const { child } of waiting) child.kill('SIGKILL');
    },
  };
}
