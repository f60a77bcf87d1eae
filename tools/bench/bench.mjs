// npm run bench: what users run (`npm start`) against the floor (floor.mjs) in one run, in interleaved rounds. docs/benchmarks.md says more.
import '../needs-node-24.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './checkout.mjs';
import { machine, watchOthers } from './machine.mjs';
import { readOptions, USAGE } from './options.mjs';
import { writeBenchmarks } from './page.mjs';
import { pinLoad } from './processes.mjs';
import { capRows } from './rows/caps.mjs';
import { chatRows } from './rows/chat.mjs';
import { embeddingRows } from './rows/embeddings.mjs';
import { latencyRows } from './rows/latency.mjs';
import { mediaRows } from './rows/media.mjs';
import { memoryRows } from './rows/memory.mjs';
import { pathRows } from './rows/path.mjs';
import { batchRows } from './rows/batches.mjs';
import { realtimeRows } from './rows/realtime.mjs';
import { resumableRows } from './rows/resumable.mjs';
import { streamRows } from './rows/stream.mjs';
import { translationRows } from './rows/translation.mjs';
import { workerRows } from './rows/workers.mjs';
import { asText } from './table.mjs';
import { buildGateway, startFloor, startGateway } from './targets.mjs';
import { startUpstream } from './upstream.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const columns = { floor: 'floor', before: 'before', now: 'now' };
const familyRows = {
  chat: chatRows,
  caps: capRows,
  latency: latencyRows,
  stream: streamRows,
  resumable: resumableRows,
  translation: translationRows,
  embeddings: embeddingRows,
  memory: memoryRows,
  media: mediaRows,
  realtime: realtimeRows,
  batches: batchRows,
  workers: workerRows,
  path: pathRows,
};

/** Code that has run for a few seconds only is not yet the code that runs all day: each variant is warmed up before its first round. */
const paces = {
  whole: { rounds: 5, seconds: 3, warmSeconds: 10 },
  quick: { rounds: 3, seconds: 2, warmSeconds: 4 },
};

const options = optionsOrExit();
const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
const cleanUps = [() => rmSync(folder, { recursive: true, force: true })];
process.once('SIGINT', () => cleanUpAnd(130));
let status = 1;
try {
  await run();
  status = 0;
} catch (error) {
  console.error(error);
}
await cleanUpAnd(status);

async function run() {
  // It has a gateway of its own, and counts instead of measuring.
  if (options.families.join() === 'path') {
    console.log(`\n${asText(await pathRows({ folder, columns }))}`);
    return;
  }
  // Before the load has its core: checking out may use all of them.
  const checkout = options.compare && checkOut(root, options.compare, join(folder, 'before'));
  if (checkout) cleanUps.push(checkout.remove);
  for (const each of [root, ...(checkout ? [checkout.root] : [])]) buildGateway(each);
  pinLoad();
  const upstream = await startUpstream();
  cleanUps.push(upstream.close);
  const common = { folder, upstreamPort: upstream.port, profile: options.profile };
  const startOf = (name, from) =>
    Object.assign(() => startGateway({ ...common, name, root: from }), {
      withTwin: () => startGateway({ ...common, name, root: from, withTwin: true }),
      withRealtime: (realtimePort) => startGateway({ ...common, name, root: from, realtimePort }),
      withCaps: () => startGateway({ ...common, name: `${name} capped`, root: from, isCapped: true }),
      withWorkers: () => startGateway({ ...common, name, root: from, workers: 2 }),
    });
  const startFresh = {
    floor: () => startFloor(common),
    ...(checkout && { before: startOf('before', checkout.root) }),
    now: startOf('now', root),
  };
  const targets = [];
  for (const start of Object.values(startFresh)) {
    const target = await start();
    targets.push(target);
    cleanUps.push(target.stop);
  }
  const usual = options.quick ? paces.quick : paces.whole;
  const pace = { ...usual, rounds: options.rounds ?? usual.rounds };
  const othersSince = watchOthers();
  const rows = await measureAll({
    folder,
    targets,
    gateways: targets.filter(({ name }) => name !== 'floor'),
    direct: { name: 'direct', port: upstream.port },
    upstream,
    startFresh,
    columns,
    pace,
    isQuick: options.quick,
  });
  const conditions = `${machine()}. ${pace.rounds} interleaved rounds of ${pace.seconds} s. ${othersSince()}`;
  console.log(`\n${conditions}`);
  if (checkout) console.log(`before: ${checkout.commit}; now: the working tree`);
  console.log(`\n${asText(rows)}`);
  if (options.write) await writeBenchmarks(root, rows, conditions);
}

async function measureAll(context) {
  const rows = [];
  for (const family of options.families) {
    console.error(`measuring ${family} …`);
    rows.push(...(await familyRows[family](context)));
  }
  return rows;
}

function optionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2));
    if (!read.help) return read;
    console.log(USAGE);
    return process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return process.exit(1);
  }
}

async function cleanUpAnd(code) {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  process.exit(code);
}
