/** Plugs the parts together: configuration in, a listening gateway out. What is opened is closed in reverse, after a failed start too. */
import { createUpstreamFactory, type ChatParts, type Parts } from '@model-gateway/core';
import { sweepFormFolders } from '../http/form-folder.ts';
import { createKeptAnswers } from '../http/kept-answers.ts';
import { idempotentRunner } from '../http/pipeline/idempotency.ts';
import { docs } from '../routes/docs.ts';
import { openAccess, openIdempotency } from './access.ts';
import { createHandlers } from './handlers.ts';
import { createHttp } from './http.ts';
import { createListeners } from './listeners.ts';
import { createLiveCatalogue } from './live-catalogue.ts';
import { createLog } from './log.ts';
import { createMeter } from './meter.ts';
import { openMoney } from './money.ts';
import type { GatewayServer, ServerOptions } from './options.ts';
import { createRandomIds } from './random-id.ts';
import { openStorage } from './storage.ts';
import { openTasks } from './tasks.ts';
import { openEmbeddedTwin } from './twin.ts';
import { openUpstreams } from './upstreams.ts';

export type { GatewayServer, ServerOptions } from './options.ts';

/** Starts a gateway. Rejects, with nothing left open, when something it needs cannot be had: StartFault, GatewayError or ConfigError says what. */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  const { config, now, opened = () => undefined } = options;
  const log = options.log ?? createLog(config.logLevel);
  await using resources = new AsyncDisposableStack();
  const listeners = createListeners(config.server);
  const { addresses } = listeners;

  const swept = await sweepFormFolders();
  if (swept > 0) log.info({ folders: swept }, 'files of forms that an earlier process left were removed');
  const storage = await openStorage(resources, { config, now, log });
  opened('storage');
  const meter = createMeter();
  resources.defer(() => meter.close());
  const twin =
    options.twin ??
    (await openEmbeddedTwin(resources, { config, store: storage.store, now, mediaUrl: addresses.publicUrl }));
  opened('twin');
  const catalogue = createLiveCatalogue(config, twin);
  const upstreams = openUpstreams(resources, {
    now,
    random: options.random ?? Math.random,
    // Its own files and the twin's media are on private addresses.
    allowPrivate: () => [
      ...config.allowPrivate,
      ...(twin === undefined ? [] : [`127.0.0.1:${new URL(twin.url).port}`]),
      `127.0.0.1:${addresses.port()}`,
    ],
  });
  opened('upstreams');
  const parts: Parts = {
    ...upstreams,
    store: storage.store,
    catalogue: catalogue.current,
    now,
    randomId: createRandomIds(),
    log,
    meter,
    publicUrl: addresses.publicUrl,
    ...(config.unknownVendorIds !== undefined && { unknownVendorIds: config.unknownVendorIds }),
    ...(options.step !== undefined && { step: options.step }),
  };
  const access = await openAccess(resources, {
    config,
    store: storage.store,
    now,
    log,
    publicUrl: parts.publicUrl,
    catalogue: catalogue.current,
  });
  opened('access');
  const spending = openMoney(resources, { storage, config, now, log });
  opened('money');
  const factory = createUpstreamFactory(parts);
  const tasks = openTasks(resources, { config, parts, upstreams: factory, storage, links: access.links });
  opened('tasks');
  const keptAnswers = createKeptAnswers({ most: config.server.keptAnswers, now });
  const runIdempotently = idempotentRunner(openIdempotency(resources, { storage, now, log }), keptAnswers);
  opened('idempotency');

  let isDraining = false;
  const draining = (): boolean => isDraining;
  const portal = docs();
  const chatParts: ChatParts = { ...parts, ...factory, spending };
  const handlers = createHandlers({
    config,
    parts: chatParts,
    storage,
    access,
    runIdempotently,
    tasks,
    meter,
    portal,
    draining,
  });
  const http = createHttp({
    config,
    handlers,
    runIdempotently,
    access,
    portal,
    twinUrl: twin?.url,
    adminPort: addresses.adminPort,
    log,
    meter,
    now,
  });
  await listeners.listen(resources, { ...http, onDrain: () => (isDraining = true) });
  opened('listeners');
  if (options.pollTasks ?? true) tasks.start();

  const running = resources.move();
  return {
    url: addresses.url(),
    adminUrl: addresses.adminUrl(),
    missing: http.missing,
    catalogue: catalogue.current,
    parts,
    newAdminKey: access.adminKey.made,
    tasks,
    reload() {
      if (options.reread === undefined) return;
      const { models } = catalogue.replace(options.reread());
      log.info({ models: models.size }, 'the catalogue was reloaded');
    },
    close: () => running.disposeAsync(),
  };
}
