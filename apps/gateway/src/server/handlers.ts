/** Who answers which operation of the document. */
import {
  createChat,
  createImages,
  createKeptFiles,
  createSpeech,
  createTokenCounter,
  type ChatParts,
  type TaskEngine,
} from '@model-gateway/core';
import type { RequestHandler } from 'express';
import { platformOf } from '../adapters.ts';
import type { Config } from '../config/config.ts';
import type { RunIdempotently } from '../http/pipeline/idempotency.ts';
import type { Handlers } from '../http/operation.ts';
import { readVideoForm } from '../http/video-form.ts';
import { adminRoutes } from '../routes/admin/index.ts';
import { chatRoutes } from '../routes/chat.ts';
import { estimateRoutes } from '../routes/estimate.ts';
import { imageRoutes } from '../routes/images.ts';
import { modelRoutes } from '../routes/models.ts';
import { operationsRoutes } from '../routes/operations.ts';
import { speechOrChat, speechRoutes } from '../routes/speech.ts';
import { taskRoutes } from '../routes/tasks.ts';
import type { Access } from './access.ts';
import type { ExportedMeter } from './meter.ts';
import type { Storage } from './storage.ts';

export interface HandlerParts {
  readonly config: Config;
  readonly parts: ChatParts;
  readonly storage: Storage;
  readonly access: Access;
  readonly runIdempotently: RunIdempotently;
  readonly tasks: TaskEngine;
  readonly meter: ExportedMeter;
  readonly portal: RequestHandler;
  readonly draining: () => boolean;
}

/** Makes the handlers; limits and idempotency are steps of the pipeline before them. */
export function createHandlers(given: HandlerParts): Handlers {
  const { config, parts, storage, access, runIdempotently, tasks, meter, portal, draining } = given;
  const { store, catalogue, now, randomId, router } = parts;
  const { authenticator, links } = access;

  const keptFiles = createKeptFiles({
    store,
    now,
    randomId,
    blobs: storage.blobs,
    links,
    hours: config.files.keepHours,
    most: config.files.keptPictures,
  });
  const chat = createChat(parts);
  const countTokens = createTokenCounter(parts);
  const speech = createSpeech(parts);
  const images = createImages({ ...parts, keptFiles });

  const chatHandlers = chatRoutes({ chat, countTokens, now });
  const speechParts = { speech, catalogue, authenticator, now, randomId };
  return {
    ...chatHandlers,
    ...(chatHandlers.createChatCompletion !== undefined && {
      createChatCompletion: speechOrChat(speechParts, chatHandlers.createChatCompletion),
    }),
    ...speechRoutes(speechParts),
    ...imageRoutes({
      images,
      catalogue,
      authenticator,
      now,
      runIdempotently,
      formLimit: config.server.bodyLimit,
    }),
    ...taskRoutes({ tasks, authenticator, readVideoForm, platformOf }),
    ...modelRoutes({ catalogue, authenticator }),
    ...estimateRoutes({ catalogue, authenticator }),
    ...operationsRoutes({ store, draining, metricsPage: () => meter.page(), metricsKey: config.server.metricsKey }),
    getDocs: (request, response) => portal(request, response, () => undefined),
    ...adminRoutes({
      store,
      catalogue,
      router,
      now,
      keysChanged: () => authenticator.refresh(),
      flush: () => parts.spending.flush(),
    }),
  };
}
