// The gateway as a bench target: everything on (auth, validation, limits, ledger, logs), built from the sources as `serve` does.
import { openSync } from 'node:fs';
import { pino } from 'pino';
import { readConfig } from '../../apps/gateway/src/config/config.ts';
import { startServer } from '../../apps/gateway/src/server/gateway-server.ts';

const config = readConfig(process.env);
const log = pino({ level: 'info' }, pino.destination({ dest: openSync(process.env.BENCH_LOG, 'w'), sync: false }));
const server = await startServer({ config, now: () => Date.now(), log });
process.send({ port: Number(new URL(server.url).port) });
process.on('message', (message) => {
  if (message === 'usage') {
    globalThis.gc?.();
    process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss });
  }
});
process.on('SIGINT', () => process.exit(0));
