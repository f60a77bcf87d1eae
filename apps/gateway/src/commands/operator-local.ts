/** Admin operations on the database that the gateway of this machine uses, beside a running gateway or without one. */
import { randomBytes } from 'node:crypto';
import { checkInvariants, MaintenanceJobs, type BlobStore, type Catalogue, type Store } from '@model-gateway/core';
import { openStore } from '@model-gateway/store';
import { vendors } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { readConfig, type Config } from '../config/config.ts';
import type { EntryLayer } from '../config/entry-layer.ts';
import type { Environment } from '../config/interpolate.ts';
import type { AdminCall, AdminParts } from '../resources/admin-operation.ts';
import { openJobFile } from '../resources/jobs/routes.ts';
import { openOwnerStatement } from '../resources/owners/routes.ts';
import { jobWorks } from '../resources/jobs/works.ts';
import { adminOperations } from '../resources/operations.ts';
import { entryLayerOf } from '../server/kept-config.ts';
import { contentReader } from '../server/request-contents.ts';
import { openAlertChannels } from '../server/alerts.ts';
import { openBlobs } from '../server/storage.ts';
import { CommandFault } from './command-fault.ts';
import type { CallOperation, Downloads } from './call-operation.ts';

interface LocalGateway extends AsyncDisposable {
  readonly config: Config;
  readonly store: Store;
  readonly downloads: Downloads;
  readonly call: CallOperation;
}

/** Opens the database. Rejects with ConfigError, or with GatewayError when it cannot be opened. */
export async function openLocalGateway(env: Environment, now: () => number): Promise<LocalGateway> {
  const file = readConfig(env);
  const layer = entryLayerOf(file, env);
  const store = await openStore(file.databaseUrl, { beside: true });
  try {
    const config = file.source === 'database' ? layer.over(file, (await store.configEntries.all()).entries) : file;
    const catalogue = buildCatalogue(config, vendors, undefined);
    const blobs = openBlobs(config.files, now);
    const jobs = localJobs({ store, config, catalogue, blobs, now });
    const resources = new AsyncDisposableStack();
    const parts = partsOf(resources, { env, now, file, layer, store, config, catalogue, jobs });
    const operations = await adminOperations(parts);
    return {
      config,
      store,
      downloads: {
        jobFile: async (id) =>
          (await openJobFile({ store, now, blobs }, id, { actor: { actor: 'command' } })).content.body,
        statement: async (ownerId, query) => {
          const call = { params: { owner_id: ownerId }, query: { ...query, format: 'csv' } };
          return (await openOwnerStatement({ store, now, flush: nothing }, call)).body;
        },
      },
      call: async (id, { path = {}, query = {}, body } = {}, { idempotencyKey } = {}) => {
        const perform = operations[id] as ((call: AdminCall<never>) => Promise<never>) | undefined;
        if (perform === undefined) throw new Error(`${id} is no admin operation`);
        const call = { params: path, query, body: body as never, idempotencyKey, actor: { actor: 'command' } };
        return perform(call);
      },
      [Symbol.asyncDispose]: async () => {
        await jobs.stop();
        await resources.disposeAsync();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface OpenDatabase {
  readonly env: Environment;
  readonly now: () => number;
  readonly file: Config;
  readonly layer: EntryLayer;
  readonly store: Store;
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly jobs: MaintenanceJobs;
}

/** Jobs that run in the command itself, beside those of a gateway. */
function localJobs({
  store,
  config,
  catalogue,
  blobs,
  now,
}: Pick<OpenDatabase, 'store' | 'config' | 'catalogue' | 'now'> & { readonly blobs: BlobStore }): MaintenanceJobs {
  const { databaseUrl, overdraft } = config;
  return new MaintenanceJobs({
    jobs: store.maintenanceJobs,
    works: jobWorks({
      store,
      catalogue: () => catalogue,
      databaseUrl,
      overdraft,
      now,
      flush: nothing,
      flushRequests: nothing,
    }),
    ...{ blobs, now, process: randomBytes(8).toString('hex'), soleProcess: false },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    meter: { count: silent },
  });
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

function silent(): void {
  // The command says what came of its job.
}

/** A running gateway notices changes by itself, and nothing waits to be written here. */
function partsOf(
  resources: AsyncDisposableStack,
  { env, now, file, layer, store, config, catalogue, jobs }: OpenDatabase,
): AdminParts {
  const look = () => checkInvariants(store.invariants, { now, overdraft: config.overdraft });
  return {
    ...{ store, now },
    catalogue: () => catalogue,
    accountHealth: () => Promise.resolve([]),
    router: { plan: onlyRunning, view: onlyRunning, budgetUse: () => [] },
    cancelTask: onlyRunning,
    keysChanged: () => Promise.resolve(),
    flush: () => Promise.resolve(),
    flushRequests: () => Promise.resolve(),
    invariants: { look, report: look },
    jobs,
    configuration: {
      environment: env,
      layer,
      reloading: { file: () => file, loaded: () => config, last: () => undefined },
      changed: () => Promise.resolve(),
    },
    contents: contentReader(config, { store, now }),
    alertChannels: openAlertChannels(resources, { config: file, now }),
  };
}

function onlyRunning(): never {
  throw new CommandFault(
    'Only a running gateway can do this: give --url and set GATEWAY_ADMIN_KEY, or give --profile.',
  );
}
