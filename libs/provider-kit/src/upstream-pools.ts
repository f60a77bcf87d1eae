import { Pool, type Dispatcher } from 'undici';

/** Connection pools by origin and connect deadline; shared by all requests of the process. */
export interface UpstreamPools {
  for(origin: string, connectSeconds: number): Dispatcher;
  close(): Promise<void>;
}

/** Makes the pools of one process. */
export function createUpstreamPools(): UpstreamPools {
  const pools = new Map<string, Pool>();
  return {
    for(origin, connectSeconds) {
      const name = `${origin} ${connectSeconds}`;
      let pool = pools.get(name);
      if (pool === undefined) {
        pool = new Pool(origin, {
          // As many as are asked at once: an account's own bound says how many that are, and a few hundred slow downloads must not hold up
          // its chat.
          connections: null,
          pipelining: 1,
          connect: { timeout: connectSeconds * 1000 },
          keepAliveTimeout: 30_000,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        pools.set(name, pool);
      }
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}
