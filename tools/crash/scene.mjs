/** What a run of kills begins and ends with: its arguments, a database, the twin, a folder, and processes that are ready to be killed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startVendorTwin } from '../../libs/vendor-twin/src/index.ts';
import { readArguments } from '../read-arguments.mjs';
import { createSeededRandom } from '../seeded-random.mjs';
import { createProcessPool } from './process-pool.mjs';

/** Opens it for the command whose `import.meta.url` is given; `configText` makes the file that the processes run with. Exits with 2 when the arguments are wrong. */
export async function openScene(command, { clients, configText }) {
  const values = readArguments(command, {
    kills: { type: 'string', default: '30' },
    database: { type: 'string', default: 'sqlite' },
    replicas: { type: 'string', default: '1' },
    clients: { type: 'string', default: clients },
    seed: { type: 'string', default: '1' },
  });
  const [kills, replicas, count, seed] = ['kills', 'replicas', 'clients', 'seed'].map((name) => Number(values[name]));
  if (values.database === 'sqlite' && replicas > 1) {
    console.error('SQLite has one process: use --database postgres');
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-crash-'));
  const database = await openTestDatabase(values.database);
  const twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: 10 });
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, configText({ folder, database, twin }));
  const env = { GATEWAY_CONFIG: file, LOG_LEVEL: 'fatal', GATEWAY_ADMIN_KEY: 'admin-crash-0123456789abcdef' };
  const pool = await createProcessPool({
    surface: 'whole',
    ahead: replicas + 1,
    cwd: folder,
    env,
    cacheFolder: join(folder, 'cache'),
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
