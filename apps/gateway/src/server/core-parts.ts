/** What requests are answered with, whatever they ask for: vendors, who may ask them, what it costs, and the tasks. */
import {
  createUpstreamFactory,
  ScanThread,
  type Parts,
  type RequestLog,
  type Spending,
  type TaskEngine,
} from '@model-gateway/core';
import { interruptedRow } from '../http/request-record.ts';
import { openAccess, type Access } from './access.ts';
import { openRequestLog } from './console.ts';
import type { BaseParts } from './base-parts.ts';
import { openHooks } from './hooks.ts';
import { createLiveCatalogue, type LiveCatalogue } from './live-catalogue.ts';
import { openMoney } from './money.ts';
import type { ServerOptions } from './options.ts';
import { createRandomIds } from './random-id.ts';
import { openTasks } from './services.ts';
import { openSpendMetrics, tellOfNoSpend } from './telemetry.ts';
import { openUpstreams, type Upstreams } from './upstreams.ts';

export interface CoreParts {
  readonly catalogue: LiveCatalogue;
  readonly parts: Parts;
  /** Undefined where no requests are logged. */
  readonly requests: RequestLog | undefined;
  readonly access: Access;
  readonly spending: Spending;
  readonly factory: ReturnType<typeof createUpstreamFactory>;
  readonly tasks: TaskEngine;
}

/** Opens them, in an order that closes what charges requests before what it writes to. */
export async function openCoreParts(
  resources: AsyncDisposableStack,
  options: ServerOptions,
  base: BaseParts,
): Promise<CoreParts> {
  const { now, siblings, opened = () => undefined } = options;
  const { config, storage, log, meter } = base;
  const { store } = storage;
  const catalogue = await createLiveCatalogue(base.effective, base.twin);
  const upstreams = upstreamsOf(resources, options, base, catalogue);
  opened('upstreams');
  const scanThread = new ScanThread();
  resources.defer(() => scanThread.close());
  // Before what charges requests that have ended: it is closed after that.
  const requests = openRequestLog(resources, { config, store, now, log, meter });
  if (siblings === undefined) tellOfNoSpend(config, log);
  const spent = openSpendMetrics(resources, { config, store, now, log, meter });
  const hooks = openHooks(resources);
  const parts = partsOf(
    options,
    base,
    { ...upstreams, catalogue: catalogue.current, scanThread, hooks },
    { requests, spent },
  );
  const access = await openAccess(resources, {
    ...{ config, store, now, log },
    publicUrl: parts.publicUrl,
    catalogue: catalogue.current,
    counts: base.shared.counts,
    guessed: siblings?.guessed,
  });
  opened('access');
  const kindOf = (model: string) => catalogue.current().models.get(model)?.kind;
  const spending = openMoney(resources, {
    ...{ storage, config, now, log },
    ...(requests !== undefined && { interrupted: (request) => requests.add(interruptedRow(request, kindOf)) }),
  });
  opened('money');
  const factory = createUpstreamFactory(parts);
  const tasks = openTasks(resources, { config, parts, upstreams: factory, storage, links: access.links });
  opened('tasks');
  return { catalogue, parts, requests, access, spending, factory, tasks };
}

function upstreamsOf(
  resources: AsyncDisposableStack,
  { now, siblings, random = Math.random }: ServerOptions,
  { config, shared, listeners, log, twin }: BaseParts,
  catalogue: LiveCatalogue,
): Upstreams {
  return openUpstreams(resources, {
    now,
    health: shared.health,
    use: shared.use,
    accounts: () => catalogue.current().accounts,
    log,
    shareOf: siblings?.shareOf,
    weightOf: (group) => catalogue.current().groupWeights?.[group] ?? 1,
    random,
    // Its own files and the twin's media are on private addresses.
    allowPrivate: () => [
      ...config.allowPrivate,
      ...(twin === undefined ? [] : [`127.0.0.1:${new URL(twin.url).port}`]),
      `127.0.0.1:${listeners.addresses.port()}`,
    ],
  });
}

function partsOf(
  { now, step }: ServerOptions,
  { telemetry, config, storage, listeners, log, meter }: BaseParts,
  opened: Upstreams & Pick<Parts, 'catalogue' | 'scanThread' | 'hooks'>,
  { requests, spent }: Pick<CoreParts, 'requests'> & { readonly spent: Parts['spent'] },
): Parts {
  return {
    ...opened,
    store: storage.store,
    now,
    randomId: createRandomIds(),
    log,
    meter,
    ...(telemetry?.tracing !== undefined && { tracing: telemetry.tracing }),
    publicUrl: listeners.addresses.publicUrl,
    ...(config.unknownVendorIds !== undefined && { unknownVendorIds: config.unknownVendorIds }),
    ...(requests !== undefined && { chargedLate: requests.charge }),
    ...(spent !== undefined && { spent }),
    ...(step !== undefined && { step }),
  };
}
