/** Plugs the parts together: configuration in, a listening gateway out. What is opened is closed in reverse, after a failed start too. */
import { VERSION } from '@model-gateway/contracts';
import { InlinedFiles, InvariantMonitor } from '@model-gateway/core';
import { createKeptAnswers, idempotentRunner } from '../http/steps/idempotency.ts';
import { docs } from '../resources/docs/docs.ts';
import { ClientSecrets } from '../resources/realtime/client-secrets.ts';
import { watchProcess } from '../telemetry/process-gauges.ts';
import { accountGauges, workGauges } from '../telemetry/work-gauges.ts';
import { openIdempotency } from './access.ts';
import { openAlertChannels, openAlerts } from './alerts.ts';
import { createChatChain } from './chat-chain.ts';
import { openConsoleSessions, openSingleSignOn } from './console.ts';
import { openCoreParts, type CoreParts } from './core-parts.ts';
import { openBaseParts, type BaseParts } from './base-parts.ts';
import { adminPartsOf, createHandlers, type HandlerParts } from './handlers.ts';
import { createHttp, type Http, type HttpOptions } from './http.ts';
import { GATEWAY_ADDRESS } from './listeners.ts';
import { droppedLines } from './log.ts';
import type { GatewayServer, ServerOptions } from './options.ts';
import { createReloading, type Reloading } from './reloading.ts';
import { openRequestContents } from './request-contents.ts';
import {
  openAnswerCache,
  openBatches,
  openKeptFiles,
  openMaintenanceJobs,
  openMcp,
  openMcpChats,
  openResponses,
  openStreams,
  openUploadedFiles,
  openVendorFiles,
} from './services.ts';
import { openUsageExport, watchExports } from './telemetry.ts';

export type { GatewayServer, ServerOptions } from './options.ts';

/** Starts a gateway. Rejects, with nothing left open, when something it needs cannot be had: StartFault, GatewayError or ConfigError says what. */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  await using resources = new AsyncDisposableStack();
  const base = await openBaseParts(resources, options);
  const core = await openCoreParts(resources, options, base);
  const server = await new Assembly(resources, options, base, core).open();
  const running = resources.move();
  return { ...server, close: () => running.disposeAsync() };
}

/** What is kept of callers, and beside their requests. */
interface Records
  extends
    Pick<HandlerParts, 'runIdempotently' | 'clientSecrets' | 'sessions' | 'singleSignOn'>,
    Pick<HandlerParts, 'flush' | 'flushRequests' | 'jobs' | 'streams'> {
  readonly contents: ReturnType<typeof openRequestContents>;
}

/** What answers requests. */
interface Services
  extends
    Pick<HandlerParts, 'chat' | 'mcp' | 'mcpChats' | 'cache' | 'responses' | 'batches'>,
    Pick<HandlerParts, 'files' | 'inlined'> {
  readonly parts: HandlerParts['parts'];
  readonly vendorFiles: ReturnType<typeof openVendorFiles>;
}

/** What works beside requests, and what is told of it. */
interface Working extends HandlerParts, Pick<Services, 'vendorFiles'> {
  readonly alerts: GatewayServer['alerts'];
}

/** Puts a server together over what is open: services, handlers, the HTTP side. */
class Assembly {
  private readonly resources: AsyncDisposableStack;
  private readonly options: ServerOptions;
  private readonly base: BaseParts;
  private readonly core: CoreParts;
  private isDraining = false;

  constructor(resources: AsyncDisposableStack, options: ServerOptions, base: BaseParts, core: CoreParts) {
    this.resources = resources;
    this.options = options;
    this.base = base;
    this.core = core;
  }

  async open(): Promise<Omit<GatewayServer, 'close'>> {
    const { config, listeners, log, meter, storage } = this.base;
    const { parts } = this.core;
    this.watchMetrics();
    const invariants = this.openInvariants();
    const records = await this.openRecords();
    const services = this.openServices(() => http.within);
    const reloading = this.openReloading();
    const alertChannels = openAlertChannels(this.resources, { config, now: parts.now });
    const handlerParts: HandlerParts = {
      ...this.knownParts(),
      ...records,
      ...services,
      contents: records.contents.reader,
      ...{ invariants, reloading, alertChannels },
      within: () => http.within,
    };
    const adminParts = adminPartsOf(handlerParts);
    const handlers = await createHandlers(handlerParts, adminParts);
    const alerts = await openAlerts(this.resources, {
      ...adminParts,
      router: parts.router,
      config,
      log,
      alertChannels,
    });
    const http = this.createHttp(handlerParts, handlers, records.contents.listen);
    await listeners.listen(this.resources, { ...http, onDrain: () => (this.isDraining = true) });
    this.options.opened?.('listeners');
    this.writeAddress();
    await openUsageExport(this.resources, { config, store: storage.store, now: parts.now, log, meter });
    const working: Working = { ...handlerParts, vendorFiles: services.vendorFiles, alerts };
    this.start(working);
    return this.serverOf(working, http);
  }

  private watchMetrics(): void {
    const { telemetry, storage, log, meter } = this.base;
    const { parts, tasks } = this.core;
    const { catalogue, now } = parts;
    if (telemetry !== undefined) watchExports(telemetry, meter, log);
    meter.watch(() => [{ name: 'gateway_log_lines_dropped_total', value: droppedLines(log) }]);
    meter.watch(watchProcess(this.resources, { version: VERSION, now }));
    meter.watch(accountGauges(parts));
    meter.watch(workGauges({ catalogue, store: storage.store, tasks, now }));
  }

  private openInvariants(): InvariantMonitor {
    const { config, storage, log, meter } = this.base;
    const { now } = this.options;
    const { overdraft } = config;
    const monitor = new InvariantMonitor({ invariants: storage.store.invariants, now, log, meter, overdraft });
    this.resources.defer(() => monitor.stop());
    return monitor;
  }

  private async openRecords(): Promise<Records> {
    const { resources } = this;
    const { now, siblings, aloneSince, opened = () => undefined } = this.options;
    const { config, storage, log, meter } = this.base;
    const { parts, access, requests, spending } = this.core;
    const { store } = storage;
    const keptAnswers = createKeptAnswers({ most: config.server.keptAnswers, now });
    const idempotency = openIdempotency(resources, { storage, aloneSince, now, log });
    const runIdempotently = idempotentRunner(idempotency, keptAnswers);
    opened('idempotency');

    const { guesses } = access.authenticator;
    const clientSecrets = new ClientSecrets({ store, guesses, now, log });
    const sessions = openConsoleSessions(resources, { config, store, access, now, log });
    const singleSignOn = await openSingleSignOn(sessions, { config, ...parts });
    const contents = openRequestContents(resources, { ...parts, config });
    const flushRequests = async (): Promise<void> => {
      await requests?.flush();
      await contents.flush();
    };
    const flush = async (): Promise<void> => siblings?.everywhere('flush') ?? spending.flush();
    const jobs = openMaintenanceJobs(resources, {
      ...{ config, storage, catalogue: parts.catalogue, now, log, meter, flush, flushRequests },
    });
    const streams = await openStreams(resources, { config, storage, now, log, randomId: parts.randomId });
    opened('streams');
    return { runIdempotently, clientSecrets, sessions, singleSignOn, contents, flush, flushRequests, jobs, streams };
  }

  private openServices(within: HandlerParts['within']): Services {
    const { resources } = this;
    const { config, storage, shared } = this.base;
    const { access, factory, spending } = this.core;
    const { openAccount } = factory;
    const keptFiles = openKeptFiles({ config, parts: this.core.parts, storage, links: access.links });
    const files = openUploadedFiles({ config, parts: this.core.parts, storage });
    const vendorFiles = openVendorFiles(resources, { parts: this.core.parts, openAccount });
    const parts = { ...this.core.parts, ...factory, spending, keptFiles, vendorFiles };
    const cache = openAnswerCache({ config, parts, answers: shared.answers });
    const { bodyLimit: largestBody } = config.server;
    const inlined = new InlinedFiles({ files, largestBody, namedFrom: config.files.atVendorsFrom });
    const mcp = openMcp({ parts, within });
    const mcpChats = openMcpChats(parts, mcp);
    const chat = createChatChain({ parts, cache, inlined, mcpChats });
    const responses = openResponses(resources, { config, parts, chat });
    const batches = openBatches(resources, { config, files, parts, openAccount, within });
    return { parts, files, vendorFiles, cache, inlined, mcp, mcpChats, chat, responses, batches };
  }

  private openReloading(): Reloading {
    const { config, effective, kept, storage, log } = this.base;
    const { catalogue, access } = this.core;
    const { now, siblings, reread = () => config } = this.options;
    return createReloading({
      config: effective,
      file: config,
      over: kept.over,
      reread,
      catalogue,
      store: storage.store,
      now,
      log,
      prepare: ({ budgets = [] }) => access.prepareBudgets(budgets),
      forgetKeys: () => access.authenticator.refresh(),
      quiet: siblings !== undefined,
    });
  }

  private knownParts() {
    const { config, environment, kept, storage, meter, telemetry, listeners } = this.base;
    const { access, tasks } = this.core;
    return {
      config,
      environment,
      layer: kept.layer,
      access,
      tasks,
      blobs: storage.blobs,
      meter,
      portal: docs(),
      draining: () => this.isDraining,
      contentLimit: telemetry?.tracing?.contentLimit,
      siblings: this.options.siblings,
      adminPort: listeners.addresses.adminPort,
    };
  }

  private createHttp(
    { parts, access, clientSecrets, runIdempotently, portal, sessions, singleSignOn, adminPort }: HandlerParts,
    handlers: HttpOptions['handlers'],
    listen: HttpOptions['listen'],
  ): Http {
    const { config, log, meter, telemetry, twin } = this.base;
    const { catalogue, now } = parts;
    return createHttp({
      ...{ config, catalogue, now, log, meter, access, adminPort, handlers, listen, portal },
      ...{ clientSecrets, runIdempotently, sessions, singleSignOn },
      consoleFolder: this.options.consoleFolder,
      requests: this.core.requests,
      twinUrl: twin?.url,
      tracing: telemetry?.tracing,
    });
  }

  /** Who looks at this database finds the gateway, whatever port it was given. */
  private writeAddress(): void {
    const { storage, listeners, log } = this.base;
    storage.store.settings
      .replace(GATEWAY_ADDRESS, listeners.addresses.url())
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the address of the gateway cannot be written for gateway doctor'),
      );
  }

  private start(work: Working): void {
    const { pollTasks = true } = this.options;
    const { reloading } = work;
    if (pollTasks) {
      work.vendorFiles.start();
      work.tasks.start();
      work.responses?.start();
      work.batches.start();
      work.invariants.start();
      work.jobs.start();
      work.alerts?.start();
      work.streams.recorder.start();
    }
    // What was changed while this one started is found by the first look.
    this.base.kept.start(reloading.takeEntries, () => reloading.file().source === 'database', pollTasks);
  }

  private serverOf(
    { flushRequests, tasks, responses, batches, vendorFiles, alerts, streams, reloading }: Working,
    { missing, hasConsole }: Http,
  ): Omit<GatewayServer, 'close'> {
    const { config, kept, meter, twin, listeners } = this.base;
    const { parts, access, spending } = this.core;
    const { catalogue, router } = parts;
    const { authenticator } = access;
    return {
      url: listeners.addresses.url(),
      adminUrl: listeners.addresses.adminUrl(),
      missing,
      hasConsole,
      twinUrl: twin?.url,
      isEditable: config.source === 'database',
      catalogue,
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
        forgetKeys: () => authenticator.refresh(),
        takeEntries: reloading.takeEntries,
        flush: () => spending.flush(),
        metricsPage: () => meter.page(),
        accounts: () => router.health(catalogue().accounts),
        guessed: (address) => authenticator.guesses.learn(address),
      },
      reload: reloading.reload,
      lookAtEntries: kept.look,
    };
  }
}
