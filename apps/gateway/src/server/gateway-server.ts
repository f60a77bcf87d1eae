/** Plugs the parts together: configuration in, a listening gateway out. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import {
  createChat,
  createUpstreamFactory,
  createImages,
  createKeptFiles,
  createApiKeyAuthenticator,
  createLimiter,
  createRedisCounts,
  createIdempotencyService,
  createRouter,
  createSignedLinks,
  createSpeech,
  createSpending,
  createTaskEngine,
  createVideoPrices,
  createTokenCounter,
  hashKey,
  type Catalogue,
  type ChatParts,
  type Parts,
  type SignedLinks,
  type Store,
  type TaskEngine,
} from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools } from '@model-gateway/provider-kit';
import { openStore } from '@model-gateway/store';
import type { VendorTwin } from '@model-gateway/vendor-twin';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { adapters } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import type { Config } from '../config/config.ts';
import { createApp } from '../http/app.ts';
import { createMessageClasses } from '../http/messages.ts';
import { limited } from '../http/limited.ts';
import { onItsOwnPort } from '../http/surface.ts';
import type { Handlers, OperationId } from '../http/operation.ts';
import { LIMITED, REPLAYED } from '../http/paid.ts';
import { idempotentRunner, replayed } from '../http/idempotency.ts';
import { chatRoutes } from '../routes/chat.ts';
import { docs } from '../routes/docs.ts';
import { estimateRoutes } from '../routes/estimate.ts';
import { taskRoutes } from '../routes/tasks.ts';
import { readVideoForm } from '../http/video-form.ts';
import { createBlobFolder } from './blob-folder.ts';
import { createBlobS3 } from './blob-s3.ts';
import { imageRoutes } from '../routes/images.ts';
import { speechOrChat, speechRoutes } from '../routes/speech.ts';
import { adminRoutes } from '../routes/admin/index.ts';
import { modelRoutes } from '../routes/models.ts';
import { operationsRoutes } from '../routes/operations.ts';
import { declareKeys } from './declared-keys.ts';
import { createLog, requestWriter } from './log.ts';
import { createMeter } from './meter.ts';
import { connectRedis } from './redis.ts';
import { createRandomIds } from './random-id.ts';
import { startEmbeddedTwin, twinLookup } from './twin.ts';
import { twinMedia } from './twin-media.ts';

export interface ServerOptions {
  readonly config: Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 ≤ random() < 1 */
  readonly random?: () => number;
  readonly log?: Logger;
  /** Tests: replies are checked against the document too. */
  readonly validateResponses?: boolean;
  /** Tests and benches bring their own twin; it is not closed with the server. */
  readonly twin?: Pick<VendorTwin, 'baseUrl' | 'credentials' | 'url'>;
  /** False: the task loops are not started. */
  readonly pollTasks?: boolean;
  /** Reads the configuration again, for reloads. */
  readonly reread?: () => Config;
}

export interface GatewayServer {
  readonly url: string;
  readonly missing: readonly OperationId[];
  readonly catalogue: () => Catalogue;
  readonly parts: Parts;
  /** Where the admin API is. */
  readonly adminUrl: string;
  /** Made at this start because no admin key was set; shown once. */
  readonly newAdminKey: string | undefined;
  /** Tests with a clock of their own sweep by hand (`pollTasks: false`). */
  readonly tasks: TaskEngine;
  /** Takes a changed configuration; throws ConfigError and keeps the old one when it is bad. */
  reload(): void;
  /** Refuses new work, lets what runs finish within the drain time, closes everything. */
  close(): Promise<void>;
}

const TWIN_PORT_OFFSET = 1;
const SERVER_TIMES = { keepAliveTimeout: 65_000, requestTimeout: 300_000, headersTimeout: 30_000 };
/** Work that nobody listens to any more and a repetition may ask for. */
const LAST_WORK_MS = 5_000;

/** Starts a gateway. Rejects when the port or the database cannot be had. */
export async function startServer(options: ServerOptions): Promise<GatewayServer> {
  const { config, now } = options;
  const log = options.log ?? createLog(config.logLevel);
  const known = new Set(adapters.keys());
  // Faults are said before anything is opened.
  buildCatalogue(config, known, undefined);
  const meter = createMeter();
  prepareFolder(config.databaseUrl);
  const store = await openStore(config.databaseUrl, {
    onMigrate: (name) => log.info({ migration: name }, 'the database was brought up to date'),
  });

  let publicUrl = config.server.publicUrl ?? '';
  const ownTwin =
    options.twin === undefined && config.twin.enabled
      ? await startEmbeddedTwin({
          folder: `${config.files.folder}/../twin`,
          preferredPort: config.server.port === 0 ? 0 : config.server.port + TWIN_PORT_OFFSET,
          videoSeconds: config.twin.videoSeconds,
          mediaUrl: () => `${publicUrl}/twin`,
          clock: now,
        })
      : undefined;
  const twin = options.twin ?? ownTwin;
  let catalogue = buildCatalogue(config, known, twin === undefined ? undefined : twinLookup(twin));

  const openings = [...config.allowPrivate];
  if (twin !== undefined) openings.push(`127.0.0.1:${new URL(twin.url).port}`);
  const messages = createMessageClasses();
  const server = createServer({ ...SERVER_TIMES, ...messages });
  const port = await listen(server, config.server.host, config.server.port);
  // With a port of its own the admin API is nowhere else.
  const adminServer =
    config.server.adminPort === undefined ? undefined : createServer({ ...SERVER_TIMES, ...messages });
  const adminPort =
    adminServer === undefined ? undefined : await listen(adminServer, config.server.host, config.server.adminPort ?? 0);
  if (publicUrl === '')
    publicUrl = `http://${config.server.host === '0.0.0.0' ? '127.0.0.1' : config.server.host}:${port}`;
  openings.push(`127.0.0.1:${port}`);

  const parts: Parts = {
    store,
    catalogue: () => catalogue,
    adapters,
    router: createRouter({ now, random: options.random ?? Math.random }),
    pools: createUpstreamPools(),
    untrustedFetcher: createUntrustedFetcher({ allowPrivate: openings }),
    now,
    randomId: createRandomIds(),
    log,
    meter,
    publicUrl: () => publicUrl,
    ...(config.crashAt !== undefined && { step: crashStep(config.crashAt) }),
  };
  const spending = createSpending({
    ledger: store.ledger,
    owners: store.owners,
    now,
    log,
    process: randomBytes(8).toString('hex'),
    soleProcess: config.databaseUrl.startsWith('sqlite:'),
  });
  const upstreams = createUpstreamFactory(parts);
  const chatParts: ChatParts = { ...parts, ...upstreams, spending };
  const links = createSignedLinks({
    secret: await store.settings.first('link_secret', randomBytes(32).toString('hex')),
    publicUrl: parts.publicUrl,
    now,
  });
  const { s3, folder } = config.files;
  const blobs = s3 === undefined ? createBlobFolder(folder) : createBlobS3({ bucket: s3, now });
  const keptFiles = createKeptFiles({
    store,
    now,
    randomId: parts.randomId,
    blobs,
    links,
    hours: config.files.keepHours,
  });
  const images = createImages({ ...chatParts, keptFiles });
  const tasks = createTaskEngine({
    ...parts,
    ...upstreams,
    money: createVideoPrices(parts.catalogue),
    blobs,
    links,
    settings: {
      pollSeconds: config.tasks.pollSeconds,
      deadlineHours: config.tasks.deadlineHours,
      copyResults: config.files.copyResults,
      keepFilesHours: config.files.keepHours,
      soleProcess: config.databaseUrl.startsWith('sqlite:'),
    },
  });
  const authenticator = createApiKeyAuthenticator({ keys: store.keys, now, log });
  const redis = config.redisUrl === undefined ? undefined : await connectRedis(config.redisUrl, log, now);
  const limiter = createLimiter({
    now,
    log,
    ...(redis !== undefined && { shared: createRedisCounts({ redis, log }) }),
  });
  const idempotency = createIdempotencyService({
    store: store.idempotency,
    now,
    log,
    soleProcess: config.databaseUrl.startsWith('sqlite:'),
  });
  const runIdempotently = idempotentRunner(idempotency);
  await declareKeys(config, parts);
  const adminKey = await adminKeyOf(config.adminKey, store);

  const chatHandlers = chatRoutes({
    chat: createChat(chatParts),
    countTokens: createTokenCounter(chatParts),
    authenticator,
    now,
  });
  const speechParts = {
    speech: createSpeech(chatParts),
    catalogue: parts.catalogue,
    authenticator,
    now,
    randomId: parts.randomId,
  };
  let draining = false;
  const portal = docs();
  const handlers: Handlers = {
    ...chatHandlers,
    ...(chatHandlers.createChatCompletion !== undefined && {
      createChatCompletion: speechOrChat(speechParts, chatHandlers.createChatCompletion),
    }),
    ...speechRoutes(speechParts),
    ...imageRoutes({
      images,
      catalogue: parts.catalogue,
      authenticator,
      now,
      runIdempotently,
      formLimit: config.server.bodyLimit,
    }),
    ...taskRoutes({ tasks, authenticator, readVideoForm }),
    ...modelRoutes({ catalogue: () => catalogue, authenticator }),
    ...estimateRoutes({ catalogue: () => catalogue, authenticator }),
    ...operationsRoutes({ store, draining: () => draining, metricsPage: () => meter.page() }),
    getDocs: (request, response) => portal(request, response, () => undefined),
    ...adminRoutes({
      store,
      catalogue: parts.catalogue,
      router: parts.router,
      now,
      runIdempotently,
      keysChanged: () => authenticator.refresh(),
      flush: () => spending.flush(),
    }),
  };
  const { app, missing } = createApp({
    messages,
    tellRequest: requestWriter(log, now),
    handlers: replayed(limited(handlers, limiter, LIMITED), runIdempotently, REPLAYED),
    authenticator,
    log,
    meter,
    now,
    bodyLimit: config.server.bodyLimit,
    adminKeyHash: adminKey.hash,
    signedLink: (request) => isSignedLink(links, request),
    draining: () => draining,
    validateResponses: options.validateResponses ?? false,
    open: [
      ...(adminPort === undefined ? [] : [onItsOwnPort(adminPort)]),
      portal,
      ...(twin === undefined ? [] : [twinMedia(twin.url)]),
    ],
  });
  server.on('request', app);
  adminServer?.on('request', app);
  if (options.pollTasks ?? true) tasks.start();

  return {
    url: `http://${config.server.host === '0.0.0.0' ? '127.0.0.1' : config.server.host}:${port}`,
    adminUrl: `http://${config.server.host === '0.0.0.0' ? '127.0.0.1' : config.server.host}:${adminPort ?? port}`,
    missing,
    catalogue: () => catalogue,
    parts,
    newAdminKey: adminKey.made,
    tasks,
    reload() {
      if (options.reread === undefined) return;
      const fresh = options.reread();
      catalogue = buildCatalogue(fresh, known, twin === undefined ? undefined : twinLookup(twin));
      log.info({ models: catalogue.models.size }, 'the catalogue was reloaded');
    },
    async close() {
      draining = true;
      await Promise.all(
        [server, ...(adminServer === undefined ? [] : [adminServer])].map((each) =>
          drain(each, config.server.drainSeconds),
        ),
      );
      await idempotency.close(LAST_WORK_MS);
      await tasks.stop();
      await spending.close();
      await limiter.close();
      await authenticator.close();
      await parts.pools.close();
      await parts.untrustedFetcher.close();
      await ownTwin?.close();
      await meter.close();
      await store.close();
    },
  };
}

/** The operator's own admin key, or one made at the very first start of this database. */
async function adminKeyOf(
  own: string | undefined,
  store: Store,
): Promise<{ readonly hash: string; readonly made: string | undefined }> {
  if (own !== undefined) return { hash: hashKey(own), made: undefined };
  const candidate = `admin-${randomBytes(32).toString('base64url')}`;
  const hash = await store.settings.first('admin_key_hash', hashKey(candidate));
  return { hash, made: hash === hashKey(candidate) ? candidate : undefined };
}

const VIDEO_CONTENT = /^\/v1\/videos\/([^/]+)\/content$/;
const KEPT_FILE = /^\/(?:v1\/)?files\/([^/]+)$/;

/** Links of our own that a player opens without a key. */
function isSignedLink(links: SignedLinks, request: Request): boolean {
  // Parsing the query of every request only to find none costs more than this look.
  if (!request.url.includes('signature=') || request.query['signature'] === undefined) return false;
  const video = VIDEO_CONTENT.exec(request.path)?.[1];
  if (video !== undefined) return links.verify('video', decodeURIComponent(video), request.query);
  const file = KEPT_FILE.exec(request.path)?.[1];
  return file !== undefined && links.verify('file', decodeURIComponent(file), request.query);
}

/** For crash tests: dies at a step as `kill -9` would make it, without a last word. */
function crashStep({ label, times }: NonNullable<Config['crashAt']>): (step: string) => void {
  let left = times;
  return (step) => {
    if (step === label && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}

function prepareFolder(databaseUrl: string): void {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined && path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops listening, waits for what runs, then hangs up. */
async function drain(server: Server, seconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  // A keep-alive connection that just answered its last request is idle a moment later.
  const sweep = setInterval(() => server.closeIdleConnections(), 100);
  const limit = setTimeout(() => server.closeAllConnections(), seconds * 1000);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
