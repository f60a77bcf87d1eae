/** Plugs the parts together: configuration in, a listening gateway out. What is opened is closed in reverse, after a failed start too. */
import { VERSION } from '@model-gateway/contracts';
import {
  InlinedFiles,
  InvariantMonitor,
  ScanThread,
  createUpstreamFactory,
  guardedChat,
  sayingRefusals,
  type Parts,
} from '@model-gateway/core';
import { withEncryptionKey } from '../config/encryption-key.ts';
import { sweepFormFolders } from '../http/form.ts';
import { interruptedRow } from '../http/request-record.ts';
import { createKeptAnswers, idempotentRunner } from '../http/steps/idempotency.ts';
import { ClientSecrets } from '../resources/realtime/client-secrets.ts';
import { docs } from '../resources/docs/docs.ts';
import { openAlertChannels, openAlerts } from './alerts.ts';
import { openAccess, openIdempotency } from './access.ts';
import {
  openAnswerCache,
  openBatches,
  openChat,
  openMcp,
  openMcpChat,
  openKeptFiles,
  openMaintenanceJobs,
  openResponses,
  openStreams,
  openTasks,
  openUploadedFiles,
  openVendorFiles,
} from './services.ts';
import { openConsoleSessions, openRequestLog, openSingleSignOn } from './console.ts';
import { openRequestContents } from './request-contents.ts';
import { adminPartsOf, createHandlers, type HandlerParts } from './handlers.ts';
import { openHooks } from './hooks.ts';
import { createHttp } from './http.ts';
import { createKeptConfig } from './kept-config.ts';
import { checkPorts, createListeners, GATEWAY_ADDRESS } from './listeners.ts';
import { createLiveCatalogue } from './live-catalogue.ts';
import { createLog, droppedLines } from './log.ts';
import { createMeter } from './meter.ts';
import { openMoney } from './money.ts';
import type { GatewayServer, ServerOptions } from './options.ts';
import { createRandomIds } from './random-id.ts';
import { createReloading } from './reloading.ts';
import { openShared } from './shared.ts';
import { openStorage } from './storage.ts';
import { openEmbeddedTwin } from './twin.ts';
import { openSpendMetrics, openTelemetryOf, tellOfNoSpend, watchExports, openUsageExport } from './telemetry.ts';
import { openUpstreams } from './upstreams.ts';
import { watchProcess } from '../telemetry/process-gauges.ts';
import { accountGauges, workGauges } from '../telemetry/work-gauges.ts';

export type { GatewayServer, ServerOptions } from './options.ts';

/** Starts a gateway. Rejects, with nothing left open, when something it needs cannot be had: StartFault, GatewayError or ConfigError says what. */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  const { now, siblings, opened = () => undefined } = options;
  let { config } = options;
  await using resources = new AsyncDisposableStack();
  const telemetry = options.telemetry ?? (await openTelemetryOf(resources, config));
  const tracing = telemetry?.tracing;
  const log = options.log ?? createLog(config.logLevel, undefined, { telemetry });
  const listeners = createListeners(config.server, siblings?.ports);
  const { addresses } = listeners;

  if (siblings === undefined) await checkPorts(config.server);
  const shared = await openShared(resources, { config, siblings, log, now });
  const swept = await sweepFormFolders();
  if (swept > 0) log.info({ folders: swept }, 'files of forms that an earlier process left were removed');
  const storage = await openStorage(resources, { config, now, log, worker: siblings !== undefined });
  opened('storage');
  if (options.makeEncryptionKey === true)
    config = await withEncryptionKey({ config, settings: storage.store.settings, log });
  const environment = options.environment ?? {};
  const kept = createKeptConfig(resources, { config, env: environment, store: storage.store, log });
  const effective = await kept.over(config);
  const meter = createMeter(now);
  resources.defer(() => meter.close());
  const twin =
    options.twin ??
    (await openEmbeddedTwin(resources, {
      config: effective,
      store: storage.store,
      now,
      mediaUrl: addresses.publicUrl,
    }));
  opened('twin');
  const catalogue = await createLiveCatalogue(effective, twin);
  const upstreams = openUpstreams(resources, {
    now,
    health: shared.health,
    use: shared.use,
    accounts: () => catalogue.current().accounts,
    log,
    shareOf: siblings?.shareOf,
    weightOf: (group) => catalogue.current().groupWeights?.[group] ?? 1,
    random: options.random ?? Math.random,
    // Its own files and the twin's media are on private addresses.
    allowPrivate: () => [
      ...config.allowPrivate,
      ...(twin === undefined ? [] : [`127.0.0.1:${new URL(twin.url).port}`]),
      `127.0.0.1:${addresses.port()}`,
    ],
  });
  opened('upstreams');
  const scanThread = new ScanThread();
  resources.defer(() => scanThread.close());
  // Before what charges requests that have ended: it is closed after that.
  const requests = openRequestLog(resources, { config, store: storage.store, now, log, meter });
  if (siblings === undefined) tellOfNoSpend(config, log);
  const spent = openSpendMetrics(resources, { config, store: storage.store, now, log, meter });
  const parts: Parts = {
    ...upstreams,
    store: storage.store,
    catalogue: catalogue.current,
    now,
    randomId: createRandomIds(),
    log,
    meter,
    ...(tracing !== undefined && { tracing }),
    hooks: openHooks(resources),
    scanThread,
    publicUrl: addresses.publicUrl,
    ...(config.unknownVendorIds !== undefined && { unknownVendorIds: config.unknownVendorIds }),
    ...(requests !== undefined && { chargedLate: requests.charge }),
    ...(spent !== undefined && { spent }),
    ...(options.step !== undefined && { step: options.step }),
  };
  const access = await openAccess(resources, {
    config,
    store: storage.store,
    now,
    log,
    publicUrl: parts.publicUrl,
    catalogue: catalogue.current,
    counts: shared.counts,
    guessed: siblings?.guessed,
  });
  opened('access');
  const spending = openMoney(resources, {
    ...{ storage, config, now, log },
    ...(requests !== undefined && {
      interrupted: (request) =>
        requests.add(interruptedRow(request, (model) => catalogue.current().models.get(model)?.kind)),
    }),
  });
  opened('money');
  const factory = createUpstreamFactory(parts);
  const tasks = openTasks(resources, { config, parts, upstreams: factory, storage, links: access.links });
  opened('tasks');
  if (telemetry !== undefined) watchExports(telemetry, meter, log);
  meter.watch(() => [{ name: 'gateway_log_lines_dropped_total', value: droppedLines(log) }]);
  meter.watch(watchProcess(resources, { version: VERSION, now }));
  meter.watch(accountGauges(parts));
  meter.watch(workGauges({ catalogue: catalogue.current, store: storage.store, tasks, now }));
  const invariants = new InvariantMonitor({
    ...{ invariants: storage.store.invariants, now, log, meter },
    overdraft: config.overdraft,
  });
  resources.defer(() => invariants.stop());
  const keptAnswers = createKeptAnswers({ most: config.server.keptAnswers, now });
  const runIdempotently = idempotentRunner(
    openIdempotency(resources, { storage, aloneSince: options.aloneSince, now, log }),
    keptAnswers,
  );
  opened('idempotency');

  const { guesses } = access.authenticator;
  const clientSecrets = new ClientSecrets({ store: storage.store, guesses, now, log });
  const sessions = openConsoleSessions(resources, { config, store: storage.store, access, now, log });
  const singleSignOn = await openSingleSignOn(sessions, { config, ...parts });
  const contents = openRequestContents(resources, { ...parts, config });
  const flushRequests = async (): Promise<void> => {
    await requests?.flush();
    await contents.flush();
  };
  const jobs = openMaintenanceJobs(resources, {
    ...{ config, storage, catalogue: parts.catalogue, now, log, meter, flushRequests },
    flush: async () => siblings?.everywhere('flush') ?? spending.flush(),
  });
  const streams = await openStreams(resources, { config, storage, now, log, randomId: parts.randomId });
  opened('streams');

  let isDraining = false;
  const draining = (): boolean => isDraining;
  const portal = docs();
  const keptFiles = openKeptFiles({ config, parts, storage, links: access.links });
  const files = openUploadedFiles({ config, parts, storage });
  const vendorFiles = openVendorFiles(resources, { parts, openAccount: factory.openAccount });
  const chatParts = { ...parts, ...factory, spending, keptFiles, vendorFiles };
  // Around the cache: what is asked is masked before it is looked for, and what was kept is looked through again.
  const cache = openAnswerCache({ config, parts: chatParts, answers: shared.answers });
  const { bodyLimit: largestBody } = config.server;
  const inlined = new InlinedFiles({ files, largestBody, namedFrom: config.files.atVendorsFrom });
  const mcp = openMcp({ parts: chatParts, within: () => http.within });
  const chat = openMcpChat(chatParts, mcp, inlined.chat(guardedChat(openChat(chatParts, cache), chatParts)));
  const answering = sayingRefusals(chat, parts);
  const responses = openResponses(resources, { config, parts: chatParts, chat: answering });
  const batches = openBatches(resources, {
    ...{ config, files, parts: chatParts, openAccount: factory.openAccount },
    within: () => http.within,
  });
  const reloading = createReloading({
    config: effective,
    file: config,
    over: kept.over,
    reread: options.reread ?? (() => config),
    catalogue,
    store: storage.store,
    now,
    log,
    prepare: ({ budgets = [] }) => access.prepareBudgets(budgets),
    forgetKeys: () => access.authenticator.refresh(),
    quiet: siblings !== undefined,
  });
  const alertChannels = openAlertChannels(resources, { config, now });
  const handlerParts: HandlerParts = {
    config,
    environment,
    layer: kept.layer,
    reloading,
    parts: chatParts,
    chat,
    answering,
    cache,
    responses,
    batches,
    mcp,
    access,
    clientSecrets,
    runIdempotently,
    tasks,
    files,
    inlined,
    streams,
    within: () => http.within,
    invariants,
    jobs,
    blobs: storage.blobs,
    meter,
    portal,
    draining,
    contentLimit: tracing?.contentLimit,
    siblings,
    sessions,
    singleSignOn,
    adminPort: addresses.adminPort,
    flushRequests,
    contents: contents.reader,
    alertChannels,
  };
  const adminParts = adminPartsOf(handlerParts);
  const handlers = await createHandlers(handlerParts, adminParts);
  const alerts = await openAlerts(resources, { ...adminParts, router: parts.router, config, log, alertChannels });
  const http = createHttp({
    catalogue: catalogue.current,
    config,
    handlers,
    runIdempotently,
    access,
    clientSecrets,
    portal,
    sessions,
    singleSignOn,
    consoleFolder: options.consoleFolder,
    requests,
    listen: contents.listen,
    twinUrl: twin?.url,
    adminPort: addresses.adminPort,
    log,
    meter,
    tracing,
    now,
  });
  await listeners.listen(resources, { ...http, onDrain: () => (isDraining = true) });
  opened('listeners');
  // Who looks at this database finds the gateway, whatever port it was given.
  storage.store.settings
    .replace(GATEWAY_ADDRESS, addresses.url())
    .catch((error: unknown) =>
      log.warn({ err: error }, 'the address of the gateway cannot be written for gateway doctor'),
    );
  await openUsageExport(resources, { config, store: storage.store, now, log, meter });
  if (options.pollTasks ?? true) {
    vendorFiles.start();
    tasks.start();
    responses?.start();
    batches.start();
    invariants.start();
    jobs.start();
    alerts?.start();
    streams.recorder.start();
  }

  // What was changed while this one started is found by the first look.
  kept.start(reloading.takeEntries, () => reloading.file().source === 'database', options.pollTasks ?? true);

  const running = resources.move();
  return {
    url: addresses.url(),
    adminUrl: addresses.adminUrl(),
    missing: http.missing,
    hasConsole: http.hasConsole,
    twinUrl: twin?.url,
    isEditable: config.source === 'database',
    catalogue: catalogue.current,
    parts,
    flushRequests,
    newAdminKey: access.adminKey.made,
    tasks,
    responses,
    batches,
    vendorFiles,
    alerts,
    streams: streams.recorder,
    own: {
      forgetKeys: () => access.authenticator.refresh(),
      takeEntries: reloading.takeEntries,
      flush: () => spending.flush(),
      metricsPage: () => meter.page(),
      accounts: () => parts.router.health(catalogue.current().accounts),
      guessed: (address) => access.authenticator.guesses.learn(address),
    },
    reload: reloading.reload,
    lookAtEntries: kept.look,
    close: () => running.disposeAsync(),
  };
}
