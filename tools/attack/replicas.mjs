/** Two replicas on PostgreSQL and Redis behind one address, for attacks that speak to one gateway. */
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { openTestRedis } from '../../libs/testing/src/redis.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';

const REPLICAS = 2;
const PROGRAM = fileURLToPath(new URL('replica.mjs', import.meta.url));

/** Starts them with the configuration in `options.folder`; `start` starts one process. The same face as one process, with all `children`. */
export async function startReplicas(start, options) {
  const config = parse(readFileSync(join(options.folder, 'gateway.yaml'), 'utf8')) ?? {};
  const opened = [];
  const open = async (opening) => {
    const resource = await opening;
    opened.push(resource);
    return resource;
  };
  const close = async () => {
    for (const resource of opened.splice(0).reverse()) await resource.close();
  };
  try {
    // An attack on money reads its own database.
    const isNamed = String(config.database?.url).startsWith('postgres');
    const database = isNamed ? undefined : await open(openTestDatabase('postgres'));
    const redis = await open(openTestRedis());
    const front = await open(openFront());
    const twin =
      config.twin?.enabled === false
        ? undefined
        : await open(startVendorTwin({ seconds: { video: config.twin?.video_seconds } }));
    const children = [];
    const urls = [];
    for (let replica = 0; replica < REPLICAS; replica++) {
      const { child, url, kill } = await start({
        ...options,
        program: PROGRAM,
        env: {
          ...options.env,
          ...(database !== undefined && { DATABASE_URL: database.url }),
          REDIS_URL: redis.url,
          ATTACK_TWIN: JSON.stringify(twin === undefined ? {} : { url: twin.url, standIns: twin.standIns() }),
        },
      });
      opened.push({ close: kill });
      children.push(child);
      urls.push(url);
      front.add(new URL(url).port);
    }
    return { child: children[0], children, url: front.url, urls, kill: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connections go to the replicas in turn, byte for byte. */
function openFront() {
  const ports = [];
  const open = new Set();
  let turn = 0;
  const server = createServer((caller) => {
    const replica = connect(Number(ports[turn++ % ports.length]), '127.0.0.1');
    for (const [socket, other] of [
      [caller, replica],
      [replica, caller],
    ]) {
      open.add(socket);
      socket.setNoDelay(true).pipe(other);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        add: (port) => ports.push(port),
        close: () =>
          new Promise((done) => {
            server.close(done);
            for (const socket of open) socket.destroy();
          }),
      }),
    );
  });
}
