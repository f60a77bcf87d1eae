/** What a run of kills begins and ends with: its arguments, a database, the twin, a folder, and processes that are ready to be killed. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { readArguments } from '../read-arguments.mjs';
import { createSeededRandom } from '../seeded-random.mjs';
import { createProcessPool } from './process-pool.mjs';

/**
 * Opens it for the command whose `import.meta.url` is given; `configText` makes the file that the processes run with, `most` says how many of them
 * there are at most (those that `dieAgainAndAgain` takes, unless it is given), and the other options are what the arguments are without being said. Exits with 2 when the arguments are wrong.
 */
export async function openScene(command, { configText, most = withoutOthers, ...usual }) {
  const values = readArguments(command, {
    kills: { type: 'string', default: usual.kills ?? '30' },
    database: { type: 'string', default: usual.database ?? 'sqlite' },
    replicas: { type: 'string', default: usual.replicas ?? '1' },
    clients: { type: 'string', default: usual.clients },
    seed: { type: 'string', default: '1' },
  });
  const [kills, replicas, count, seed] = ['kills', 'replicas', 'clients', 'seed'].map((name) => Number(values[name]));
  if (values.database === 'sqlite' && replicas > 1) {
    console.error('SQLite has one process: use --database postgres');
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-crash-'));
  const database = await openTestDatabase(values.database);
  const twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 10, seconds: { batch: 0.3 } });
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, configText({ folder, database, twin }));
  const env = { GATEWAY_CONFIG: file, LOG_LEVEL: 'fatal', GATEWAY_ADMIN_KEY: 'admin-crash-0123456789abcdef' };
  const pool = await createProcessPool({
    surface: 'whole',
    ahead: replicas + 1,
    cwd: folder,
    env,
    cacheFolder: join(folder, 'cache'),
    most: most({ kills, replicas }),
  });

  /** Prints what came of it, closes all and ends the process: with 1 when a promise was broken. */
  async function end({ killed, rows, faults }) {
    console.log(`${killed} kills, ${values.database}, ${replicas} replica(s)`);
    console.table(rows);
    for (const fault of faults.slice(0, 50)) console.error(`BROKEN: ${fault}`);
    console.log(faults.length === 0 ? 'every promise was kept' : `${faults.length} promises were broken`);
    await twin.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
    process.exit(faults.length === 0 ? 0 : 1);
  }

  const random = createSeededRandom(seed);
  return { kind: values.database, kills, replicas, count, random, database, twin, env, pool, end };
}

/** Those that are killed, and those that wait to be when there were enough. */
const withoutOthers = ({ kills, replicas }) => kills + replicas - 1;

/**
 * Lets processes live and die, one after the other in the place of each replica, until there were so many kills. `begin` is given the birth of a
 * process, and says what the process is told (`order`) and how long it lives at most (`life`).
 */
export function dieAgainAndAgain({ pool, replicas, kills }, begin) {
  const places = Array.from({ length: replicas }, () => ({ url: undefined }));
  const deaths = { killedAt: [], isOver: false, urls: () => places.flatMap(({ url }) => url ?? []) };
  const die = async (place) => {
    while (deaths.killedAt.length < kills) {
      const child = await pool.next();
      const gone = once(child, 'exit').finally(() => (place.url = undefined));
      const born = once(child, 'message').then(
        ([{ url }]) => (place.url = child.signalCode === null ? url : undefined),
      );
      born.catch(() => undefined);
      const { order, life } = begin(born);
      child.send(order);
      await Promise.race([gone, life]);
      deaths.killedAt.push(Date.now());
      child.kill('SIGKILL');
      await gone;
    }
    deaths.isOver = places.every(({ url }) => url === undefined);
  };
  return { deaths, ended: Promise.all(places.map(die)) };
}
