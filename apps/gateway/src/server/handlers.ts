/** Who answers which operation of the document. */
import {
  createCachedEmbeddings,
  createEmbeddings,
  createImages,
  createModerations,
  createMusic,
  createReranker,
  createSpeech,
  createTokenCounter,
  createTranscriptions,
  embeddingTexts,
  guardedCount,
  guardedInputs,
  imageTexts,
  musicTexts,
  rerankTexts,
  speechTexts,
  type AnswerCache,
  type InlinedFiles,
  type Batches,
  type Chat,
  type ChatParts,
  type ContentReader,
  CachedContents,
  Compactor,
  readingCompactions,
  refusingKept,
  type BlobStore,
  type InvariantMonitor,
  type MaintenanceJobs,
  type McpChats,
  type McpService,
  type Responses,
  type Spending,
  type Speech,
  type TaskEngine,
  type UploadedFiles,
  Uploads,
} from '@model-gateway/core';
import type { RequestHandler } from 'express';
import { platformOf } from '../adapters.ts';
import type { Config } from '../config/config.ts';
import type { EntryLayer } from '../config/entry-layer.ts';
import type { Environment } from '../config/interpolate.ts';
import type { ConsoleSessions } from '../resources/console/sessions.ts';
import type { RunIdempotently } from '../http/steps/idempotency.ts';
import type { Handlers } from '../http/operation.ts';
import type { AppWithin } from '../http/app-within.ts';
import { readVideoForm } from '../resources/videos/video-form.ts';
import { adminHandlers, type AdminParts } from '../resources/admin-operation.ts';
import { adminOperations } from '../resources/operations.ts';
import { batchRoutes } from '../resources/batches/routes.ts';
import { cachedContentRoutes } from '../resources/cached-contents/routes.ts';
import { chatRoutes } from '../resources/chat/routes.ts';
import { consoleRoutes } from '../resources/console/routes.ts';
import { createAnswerBudget } from '../http/steps/body-budget.ts';
import { embeddingRoutes } from '../resources/embeddings/routes.ts';
import { estimateRoutes } from '../resources/models/estimate.ts';
import { fileRoutes } from '../resources/files/routes.ts';
import { imageRoutes } from '../resources/images/routes.ts';
import { jobFileRoutes } from '../resources/jobs/routes.ts';
import { ledgerRoutes } from '../resources/ledger/routes.ts';
import { statementRoutes } from '../resources/owners/routes.ts';
import { mcpRoutes } from '../resources/mcp/routes.ts';
import { modelRoutes } from '../resources/models/routes.ts';
import { moderationRoutes } from '../resources/moderations/routes.ts';
import { operationsRoutes } from '../resources/operations/routes.ts';
import { ownRoutes } from '../resources/me/routes.ts';
import { responseSocketRoutes } from '../resources/responses/socket.ts';
import { responseRoutes } from '../resources/responses/routes.ts';
import type { ClientSecrets } from '../resources/realtime/client-secrets.ts';
import { realtimeRoutes } from '../resources/realtime/routes.ts';
import { passThroughRoutes } from '../resources/pass-through/routes.ts';
import { musicRoutes } from '../resources/music/routes.ts';
import { rerankRoutes } from '../resources/rerank/routes.ts';
import { streamRoutes } from '../resources/streams/routes.ts';
import { speechOrChat, speechRoutes, type SpeechRouteParts } from '../resources/speech/routes.ts';
import { openVideoFile } from '../resources/videos/gemini-routes.ts';
import { taskRoutes } from '../resources/videos/routes.ts';
import { vendorWebhookRoutes } from '../resources/videos/vendor-webhooks.ts';
import { transcriptionRoutes } from '../resources/transcription/routes.ts';
import type { Access } from './access.ts';
import type { OpenedSingleSignOn } from './console.ts';
import type { ExportedMeter } from './meter.ts';
import { tellOfChanges, type Reloading } from './reloading.ts';
import { accountsOfAll, type Siblings } from './siblings.ts';
import type { Streams } from './services.ts';

export interface HandlerParts {
  readonly config: Config;
  readonly parts: ChatParts & { readonly spending: Pick<Spending, 'flush'> };
  readonly chat: Chat;
  readonly mcpChats: McpChats;
  readonly cache: AnswerCache;
  /** Absent where nothing is kept. */
  readonly responses: Responses | undefined;
  readonly batches: Batches;
  readonly mcp: McpService;
  readonly access: Access;
  readonly clientSecrets: ClientSecrets;
  readonly runIdempotently: RunIdempotently;
  readonly tasks: TaskEngine;
  readonly files: UploadedFiles;
  /** Puts files into requests that name them. */
  readonly inlined: InlinedFiles;
  readonly streams: Streams;
  /** Known when the app is made. */
  readonly within: () => AppWithin;
  readonly invariants: InvariantMonitor;
  readonly jobs: MaintenanceJobs;
  readonly blobs: BlobStore;
  readonly meter: ExportedMeter;
  readonly portal: RequestHandler;
  readonly draining: () => boolean;
  /** Characters of messages that are recorded with a trace. */
  readonly contentLimit: number | undefined;
  readonly siblings: Siblings | undefined;
  readonly sessions: ConsoleSessions | undefined;
  readonly singleSignOn: OpenedSingleSignOn | undefined;
  readonly adminPort: () => number | undefined;
  /** Writes what chat has journalled, in every process of this machine. */
  readonly flush: () => Promise<void>;
  readonly flushRequests: () => Promise<void>;
  /** That of the start. */
  readonly environment: Environment;
  readonly layer: EntryLayer;
  readonly reloading: Reloading;
  readonly contents: ContentReader;
  readonly alertChannels: AdminParts['alertChannels'];
}

/** Makes the handlers; limits and idempotency are steps of the pipeline before them. */
export async function createHandlers(given: HandlerParts, adminParts: AdminParts): Promise<Handlers> {
  const speech = speechParts(given);
  return {
    ...chatHandlers(given, speech),
    ...keptHandlers(given),
    ...mediaHandlers(given, speech),
    ...scoreHandlers(given),
    ...modelHandlers(given),
    ...ownHandlers(given),
    ...(await operatorHandlers(given, adminParts)),
  };
}

function speechParts({ parts }: HandlerParts): SpeechRouteParts {
  const { catalogue, now, randomId } = parts;
  const spoken = createSpeech(parts);
  const speech: Speech = {
    speak: guardedInputs(parts)(speechTexts, (call, trace) => spoken.speak(call, trace)),
  };
  return { speech, catalogue, now, randomId };
}

/** Conversations, over requests and sockets. */
function chatHandlers(given: HandlerParts, speech: SpeechRouteParts): Handlers {
  const { parts, chat, mcpChats, responses, streams, contentLimit } = given;
  const { catalogue, now } = parts;
  const kept = responses?.chat ?? readingCompactions(refusingKept(chat), undefined);
  const chats = chatRoutes({
    chat,
    completions: responses?.completions ?? chat,
    responses: mcpChats.withoutBackground(kept),
    compactor: responses?.compactor ?? new Compactor(parts, kept),
    asAsked: async (tenant, body) => responses?.asAsked(tenant, body) ?? body,
    streams: streams.recorder,
    countTokens: mcpChats.counting(given.inlined.count(guardedCount(createTokenCounter(parts), parts))),
    catalogue,
    now,
    ...(contentLimit !== undefined && { contentLimit }),
  });
  return {
    ...chats,
    ...(chats.createChatCompletion !== undefined && {
      createChatCompletion: speechOrChat(speech, chats.createChatCompletion),
    }),
    ...responseSocketRoutes(parts),
    ...realtimeRoutes({ parts, authenticator: given.access.authenticator, clientSecrets: given.clientSecrets }),
    ...streamRoutes(streams),
  };
}

/** What is kept for its caller: answers, contents, batches, files. */
function keptHandlers({ parts, access, responses, batches, files, inlined, tasks }: HandlerParts): Handlers {
  const { store, catalogue, now, randomId, publicUrl } = parts;
  return {
    ...responseRoutes(responses),
    ...cachedContentRoutes({
      contents: new CachedContents(parts),
      inlined,
      catalogue,
      authenticator: access.authenticator,
      now,
    }),
    ...batchRoutes({ batches, files, publicUrl }),
    ...fileRoutes({
      files,
      uploads: new Uploads({ store, now, randomId }, files),
      now,
      publicUrl,
      openVideo: (caller, fileId, options) => openVideoFile(tasks, caller, fileId, options),
    }),
  };
}

/** Sound, pictures and videos. */
function mediaHandlers(given: HandlerParts, speech: SpeechRouteParts): Handlers {
  const { config, parts, access, tasks, runIdempotently } = given;
  const { catalogue, now, publicUrl } = parts;
  const { authenticator } = access;
  const guarded = guardedInputs(parts);
  const music = createMusic(parts);
  const images = createImages(parts);
  const forForms = { catalogue, authenticator, now, runIdempotently, formLimit: config.server.bodyLimit };
  return {
    ...speechRoutes(speech),
    ...musicRoutes({
      music: { compose: guarded(musicTexts, (call, trace) => music.compose(call, trace)) },
      catalogue,
      now,
    }),
    ...imageRoutes({
      ...forForms,
      images: {
        generate: guarded(imageTexts, (call, trace) => images.generate(call, trace)),
        stream: guarded(imageTexts, (call, trace) => images.stream(call, trace)),
      },
      tasks,
    }),
    ...transcriptionRoutes({ ...forForms, transcriptions: createTranscriptions(parts) }),
    ...taskRoutes({ tasks, catalogue, authenticator, readVideoForm, platformOf, publicUrl }),
    ...vendorWebhookRoutes({ tasks }),
  };
}

/** What answers with numbers: embeddings, verdicts, ranks. */
function scoreHandlers({ parts, cache }: HandlerParts): Handlers {
  const { catalogue } = parts;
  // Around the cache: what is asked is masked before it is looked for.
  const guarded = guardedInputs(parts);
  const embeddings = createCachedEmbeddings({ ...parts, cache }, createEmbeddings(parts));
  const reranker = createReranker(parts);
  return {
    ...embeddingRoutes({
      embeddings: { embed: guarded(embeddingTexts, (call, trace) => embeddings.embed(call, trace)) },
      catalogue,
      answers: createAnswerBudget(),
    }),
    ...moderationRoutes({ moderations: createModerations(parts), catalogue }),
    ...rerankRoutes({
      reranker: { rerank: guarded(rerankTexts, (call, trace) => reranker.rerank(call, trace)) },
      catalogue,
    }),
  };
}

/** Models and tools, and vendors' own operations. */
function modelHandlers({ parts, access, mcp, responses, mcpChats }: HandlerParts): Handlers {
  const { catalogue } = parts;
  const { authenticator } = access;
  return {
    ...passThroughRoutes({ ...parts, authenticator }),
    ...modelRoutes({ catalogue, authenticator }),
    ...mcpRoutes({ ...parts, service: mcp }),
    ...estimateRoutes({ catalogue, authenticator, responses, mcpChats }),
  };
}

/** What people see of themselves, and read. */
function ownHandlers(given: HandlerParts): Handlers {
  const { parts, sessions, singleSignOn, adminPort, portal, flush, flushRequests, contents } = given;
  const { store, now, publicUrl } = parts;
  return {
    ...ownRoutes({ store, now, flush, flushRequests, contents }),
    ...(sessions !== undefined && consoleRoutes({ sessions, singleSignOn, publicUrl, adminPort })),
    getDocs: (request, response) => portal(request, response, () => undefined),
  };
}

/** What operators watch and change. */
async function operatorHandlers(given: HandlerParts, adminParts: AdminParts): Promise<Handlers> {
  const { config, parts, siblings, meter, draining, flush } = given;
  const { store, now, log } = parts;
  const admin = adminHandlers(await adminOperations(adminParts));
  return {
    ...operationsRoutes({
      store,
      draining,
      metricsPage: () => siblings?.metricsPage() ?? meter.page(),
      metrics: config.server.metrics,
      log,
    }),
    ...admin,
    ...ledgerRoutes({ store, flush }, admin.listLedgerEntries),
    ...jobFileRoutes({ store, now, blobs: given.blobs }),
    ...statementRoutes({ store, now, flush }),
  };
}

/** What operations of the admin API work with. */
export function adminPartsOf(given: HandlerParts): AdminParts {
  const { parts, access, tasks, invariants, siblings, flush, flushRequests, reloading, contents } = given;
  const { store, catalogue, now, router } = parts;
  return {
    store,
    catalogue,
    accountHealth: async () =>
      (siblings === undefined ? undefined : accountsOfAll(await siblings.accounts())) ??
      router.health(catalogue().accounts),
    router,
    now,
    keysChanged: async () =>
      siblings === undefined ? access.authenticator.refresh() : siblings.everywhere('forgetKeys'),
    cancelTask: ({ id, ownerId, mode }) => tasks.cancel({ key: { ownerId, mode } }, id),
    flush,
    flushRequests,
    configuration: {
      environment: given.environment,
      layer: given.layer,
      reloading,
      changed: async (changes) => {
        if (siblings === undefined) return reloading.takeEntries();
        await siblings.everywhere('takeEntries');
        tellOfChanges(parts.log, changes);
      },
    },
    contents,
    invariants,
    jobs: given.jobs,
    alertChannels: given.alertChannels,
  };
}
