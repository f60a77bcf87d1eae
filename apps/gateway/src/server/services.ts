/** The services of core, opened with what the server has: chat, kept responses, streams, tasks, kept files. */
import {
  Batches,
  createAnswerCache,
  createMemoryAnswers,
  type AnswerCache,
  type AnswerStore,
  type Chat,
  type ChatParts,
  createResponses,
  createSealing,
  type Responses,
  createStreamFollower,
  StreamRecorder,
  type FollowStream,
  type Parts,
  createTaskEngine,
  createVideoPrices,
  type OpenAccount,
  type OpenOffer,
  type SignedLinks,
  type TaskEngine,
  MaintenanceJobs,
  McpChats,
  McpService,
  createKeptFiles,
  type KeptFiles,
  UploadedFiles,
  VendorFiles,
} from '@model-gateway/core';
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { pause } from './pause.ts';
import type { Storage } from './storage.ts';
import { platformOf } from '../adapters.ts';
import type { AppWithin } from '../http/app-within.ts';
import { newRequestId } from '../http/request-id.ts';
import { OwnTools } from '../resources/mcp/own-tools.ts';
import { askWithin, BATCH_FORMS, batchFiles } from '../resources/batches/routes.ts';
import { jobWorks } from '../resources/jobs/works.ts';
import type { ExportedMeter } from './meter.ts';
import { webhookBodyOf } from '../resources/webhooks/body.ts';

export interface OpenCacheOptions {
  readonly config: Pick<Config, 'server'>;
  readonly parts: Pick<ChatParts, 'now' | 'log'>;
  /** Where replicas keep answers; undefined: this process for itself. */
  readonly answers: AnswerStore | undefined;
}

/** Makes the cache that all kinds share. */
export function openAnswerCache({ config, parts: { now, log }, answers }: OpenCacheOptions): AnswerCache {
  const store = answers ?? createMemoryAnswers({ most: config.server.responseCache, now });
  return createAnswerCache({ store, now, log, pause });
}

/** Makes what asks the operator's MCP servers. */
export function openMcp({
  parts,
  within,
}: {
  readonly parts: ChatParts;
  readonly within: () => AppWithin;
}): McpService {
  return new McpService({ ...parts, own: new OwnTools({ ...parts, within }) });
}

/** Makes what lets models of chats use them. */
export function openMcpChats(parts: ChatParts, service: McpService): McpChats {
  return new McpChats({ service, parts, newRequestId: () => newRequestId(parts.now()) });
}

const DAY_MS = 24 * 3_600_000;

export interface ResponsesOptions {
  readonly config: Pick<Config, 'encryptionKeys' | 'responses'>;
  readonly parts: ChatParts;
  /** Answers what asks for nothing to be kept. */
  readonly chat: Chat;
}

/** Undefined where nothing is kept; its loops begin with `start`. */
export function openResponses(
  resources: AsyncDisposableStack,
  { config, parts, chat }: ResponsesOptions,
): Responses | undefined {
  const { encryptionKeys, responses } = config;
  if (encryptionKeys.length === 0) return undefined;
  const opened = createResponses(
    {
      ...parts,
      process: randomBytes(8).toString('hex'),
      keeping: {
        sealing: createSealing(encryptionKeys.map((key) => Buffer.from(key, 'base64'))),
        keepMs: responses.keepDays * DAY_MS,
        mostBytes: responses.keptBytes,
        compaction: responses.compaction,
      },
    },
    chat,
  );
  resources.defer(() => opened.stop());
  return opened;
}

export interface BatchesOptions {
  readonly config: Pick<Config, 'batches'>;
  readonly openAccount: OpenAccount;
  readonly parts: ChatParts;
  readonly files: UploadedFiles;
  /** The app, when it is made. */
  readonly within: () => AppWithin;
}

/** Makes them; their loops begin with `start`. */
export function openBatches(
  resources: AsyncDisposableStack,
  { config: { batches }, openAccount, parts, files, within }: BatchesOptions,
): Batches {
  const keepMs = batches.keepDays * DAY_MS;
  const opened = new Batches({
    ...parts,
    openAccount,
    files: batchFiles(files, { now: parts.now, keepMs }),
    process: randomBytes(8).toString('hex'),
    ask: askWithin(within),
    forms: BATCH_FORMS,
    settings: {
      concurrency: batches.concurrency,
      keepMs,
      mostWaiting: batches.maxWaiting,
      mostBytes: batches.keptBytes,
      vendor: batches.vendor,
    },
  });
  resources.defer(() => opened.stop());
  return opened;
}

export interface Streams {
  readonly recorder: StreamRecorder;
  readonly follow: FollowStream;
}

export interface StreamsOptions extends Pick<Parts, 'now' | 'log' | 'randomId'> {
  readonly storage: Pick<Storage, 'store' | 'soleProcess'>;
  readonly config: Pick<Config, 'server'>;
}

/** Makes both; the recorder looks after its streams by itself from `start` on. */
export async function openStreams(
  resources: AsyncDisposableStack,
  { config, storage, ...given }: StreamsOptions,
): Promise<Streams> {
  const parts = { ...given, store: storage.store };
  // Nobody else can have left them open.
  if (storage.soleProcess) await storage.store.streamLogs.loseAll();
  const recorder = new StreamRecorder({ ...parts, maxRunning: config.server.resumableStreams });
  resources.defer(() => recorder.stop());
  return { recorder, follow: createStreamFollower({ ...parts, recorder, pause }) };
}

export interface TasksOptions {
  readonly config: Pick<Config, 'tasks' | 'files'>;
  readonly parts: Parts;
  readonly upstreams: { readonly openOffer: OpenOffer; readonly openAccount: OpenAccount };
  readonly storage: Pick<Storage, 'blobs' | 'soleProcess'>;
  readonly links: SignedLinks;
}

/** Makes the engine; its loops begin with `start`. */
export function openTasks(resources: AsyncDisposableStack, options: TasksOptions): TaskEngine {
  const { config, parts, upstreams, storage, links } = options;
  const tasks = createTaskEngine({
    ...parts,
    ...upstreams,
    money: createVideoPrices(parts.catalogue),
    blobs: storage.blobs,
    links,
    webhookBody: (ended) => webhookBodyOf(ended, { platformOf }),
    settings: {
      pollSeconds: config.tasks.pollSeconds,
      deadlineHours: config.tasks.deadlineHours,
      queueSeconds: config.tasks.queueSeconds,
      vendorWebhooks: config.tasks.vendorWebhooks,
      copyResults: config.files.copyResults,
      keepFilesHours: config.files.keepHours,
      soleProcess: storage.soleProcess,
    },
  });
  resources.defer(() => tasks.stop());
  return tasks;
}

export interface KeptFilesOptions {
  readonly config: Pick<Config, 'files'>;
  readonly parts: Pick<Parts, 'store' | 'now' | 'randomId'>;
  readonly storage: Pick<Storage, 'blobs'>;
  readonly links: SignedLinks;
}

/** Keeps pictures of answers for the links that show them. */
export function openKeptFiles({ config, parts, storage, links }: KeptFilesOptions): KeptFiles {
  const { store, now, randomId } = parts;
  return createKeptFiles({
    store,
    now,
    randomId,
    blobs: storage.blobs,
    links,
    hours: config.files.keepHours,
    most: config.files.keptPictures,
  });
}

/** Files that callers upload. */
export function openUploadedFiles({
  config: { files },
  parts: { store, now, randomId, log },
  storage: { blobs },
}: {
  readonly config: Pick<Config, 'files'>;
  readonly parts: Pick<Parts, 'store' | 'now' | 'randomId' | 'log'>;
  readonly storage: Pick<Storage, 'blobs'>;
}): UploadedFiles {
  return new UploadedFiles({
    ...{ store, now, randomId, log, blobs },
    largest: files.largestUpload,
    room: { bytes: files.uploads, files: files.uploadsCount },
  });
}

/** Uploads of files to vendors, and their deletion there. */
export function openVendorFiles(
  resources: AsyncDisposableStack,
  {
    parts: { store, now, log, catalogue },
    openAccount,
  }: {
    readonly parts: Pick<Parts, 'store' | 'now' | 'log' | 'catalogue'>;
    readonly openAccount: OpenAccount;
  },
): VendorFiles {
  const files = new VendorFiles({ store, now, log, catalogue, openAccount });
  resources.defer(() => files.stop());
  return files;
}

export interface MaintenanceJobOptions extends Pick<Parts, 'now' | 'log' | 'catalogue'> {
  readonly config: Pick<Config, 'databaseUrl' | 'overdraft'>;
  readonly storage: Storage;
  readonly meter: Pick<ExportedMeter, 'count' | 'watch'>;
  readonly flush: () => Promise<void>;
  readonly flushRequests: () => Promise<void>;
}

/** Makes the jobs of this process; it looks for what others have queued from `start` on. */
export function openMaintenanceJobs(
  resources: AsyncDisposableStack,
  { config, storage, catalogue, now, log, meter, flush, flushRequests }: MaintenanceJobOptions,
): MaintenanceJobs {
  const { store, blobs, soleProcess } = storage;
  const { databaseUrl, overdraft } = config;
  const jobs = new MaintenanceJobs({
    jobs: store.maintenanceJobs,
    works: jobWorks({ store, catalogue, databaseUrl, overdraft, now, flush, flushRequests }),
    blobs,
    process: randomBytes(8).toString('hex'),
    soleProcess,
    ...{ now, log, meter },
  });
  resources.defer(() => jobs.stop());
  meter.watch(() =>
    [...jobs.running()].map(([kind, value]) => ({ name: 'gateway_maintenance_jobs_running', value, labels: { kind } })),
  );
  return jobs;
}
