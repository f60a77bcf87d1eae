/** The engine that looks after video tasks and subjects. */
import {
  createTaskEngine,
  createVideoPrices,
  type OpenAccount,
  type OpenOffer,
  type Parts,
  type SignedLinks,
  type TaskEngine,
} from '@model-gateway/core';
import { platformOf } from '../adapters.ts';
import type { Config } from '../config/config.ts';
import { webhookBodyOf } from '../resources/webhooks/body.ts';
import type { Storage } from './storage.ts';

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
      copyResults: config.files.copyResults,
      keepFilesHours: config.files.keepHours,
      soleProcess: storage.soleProcess,
    },
  });
  resources.defer(() => tasks.stop());
  return tasks;
}
