// The gateway as a bench target: everything on (auth, validation, limits, ledger, logs), built from the sources as `serve` does.
import { openSync } from 'node:fs';
import { readConfig } from '../../apps/gateway/src/config/config.ts';
import { startServer } from '../../apps/gateway/src/server/gateway-server.ts';
import { createLog } from '../../apps/gateway/src/server/log.ts';

const config = readConfig(process.env);
const log = createLog('info', openSync(process.env.BENCH_LOG, 'w'));
const server = await startServer({ config, now: () => Date.now(), log });
process.send({ port: Number(new URL(server.url).port) });
process.on('message', (message) => {
  if (message === 'usage') process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss });
});
process.on('SIGINT', () => process.exit(0));
