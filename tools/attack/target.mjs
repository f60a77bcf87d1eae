/**
 * What is attacked: this checkout, or another whose numbers are wanted beside it. Gateways, their processes and their ledgers are those of the
 * checkout that is attacked; vendors, databases and the attacks themselves are this one's.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';
import { openTestDatabase } from '../../libs/testing/src/database.ts';
import { startReplicas } from './replicas.mjs';

const OWN = fileURLToPath(new URL('../..', import.meta.url));
/** Names that have changed since: the file and the function it exports. */
const PROCESS_POOLS = [
  ['tools/crash/process-pool.mjs', 'createProcessPool'],
  ['tools/crash/nursery.mjs', 'createNursery'],
];
let root = OWN;
let kind = 'sqlite';

/** `postgres`: two replicas on it and on Redis are attacked from now on, in place of one process on SQLite. */
export function attackOn(database) {
  kind = database;
}

/** A database that an attack fills and reads itself. */
export function openAttackedDatabase() {
  return openTestDatabase(kind);
}

/** Attacks are made on the checkout in this folder from now on; its packages must be there. */
export function aimAt(folder) {
  root = folder;
}

const load = (path) => import(pathToFileURL(join(root, path)).href);

/** As libs/testing does it, of the checkout that is attacked. */
export async function startGatewayProcess(options) {
  await fitConfig(join(options.folder, 'gateway.yaml'));
  const { startGatewayProcess: start } = await load('libs/testing/src/gateway-process.ts');
  return kind === 'sqlite' ? start(options) : startReplicas(start, options);
}

/** As tools/crash does it; `env.GATEWAY_CONFIG` is the file that its gateways read. */
export async function createProcessPool(options) {
  await fitConfig(options.env.GATEWAY_CONFIG);
  const [path, name] = PROCESS_POOLS.find(([each]) => existsSync(join(root, each))) ?? PROCESS_POOLS[0];
  return (await load(path))[name](options);
}

/** The store, and what adds its ledger up. */
export async function ledgerTools() {
  const [{ openStore }, { hashKey }, { verifyAll }] = await Promise.all([
    load('libs/store/src/index.ts'),
    load('libs/core/src/index.ts'),
    load('apps/gateway/src/resources/ledger/bills.ts'),
  ]);
  return { openStore, hashKey, verifyAll };
}

/** Leaves out of a file what another checkout has no setting for; any other fault it tells itself. */
async function fitConfig(file) {
  if (root === OWN) return;
  const { configSchema } = await load('apps/gateway/src/config/schema.ts');
  const config = parse(readFileSync(file, 'utf8'));
  const { error } = configSchema.safeParse(config);
  for (const { code, path, keys } of error?.issues ?? []) {
    const place = path.reduce((at, step) => at?.[step], config);
    if (code === 'unrecognized_keys') for (const key of keys) delete place[key];
  }
  writeFileSync(file, stringify(config));
}
