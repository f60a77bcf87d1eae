/** What submitting a video comes to, from the neutral input alone: for a request, and for a task that has waited. */
import { GatewayError } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import type { TaskRecord } from '../ports.ts';
import { hostVideos } from './embedded-videos.ts';
import type { Submission } from './submit.ts';
import type { TaskParts } from './types.ts';
import { errorWithoutWebhookUrl, webhookUrlOf } from './vendor-webhooks.ts';

export type VideoWork = Required<Pick<Submission, 'start' | 'media' | 'reconcile'>>;

/** Makes it. Embedded videos are kept once, when the first vendor is asked. */
export function videoWork(
  parts: TaskParts,
  input: VideoCreate,
  task: Pick<TaskRecord, 'id' | 'model' | 'ownerId' | 'mode'>,
): VideoWork {
  let hosted: Promise<VideoCreate> | undefined;
  return {
    media: ({ videos }, account) => videos?.media?.(input, account) ?? [],
    start: async (adapter, upstream) => {
      if (adapter.videos === undefined) throw notServed(task.model);
      hosted ??= host(parts, input, task);
      const webhookUrl = adapter.videos.webhooks && webhookUrlOf(parts, task.id);
      if (webhookUrl === undefined) return adapter.videos.start(await hosted, upstream);
      try {
        return await adapter.videos.start({ ...(await hosted), webhookUrl }, upstream);
      } catch (error) {
        throw errorWithoutWebhookUrl(error, task.id);
      }
    },
    reconcile: async ({ videos }, upstream, submittedAt) =>
      videos?.reconcile?.({ dedupeKey: input.dedupeKey, submittedAt }, upstream),
  };
}

/** After the money is set aside: nobody keeps files here for nothing. */
async function host(
  parts: TaskParts,
  input: VideoCreate,
  task: Pick<TaskRecord, 'id' | 'ownerId' | 'mode'>,
): Promise<VideoCreate> {
  try {
    return await hostVideos(parts, input, task);
  } catch (error) {
    throw new GatewayError('internal', 'the embedded video could not be kept', { taken: 'no', cause: error });
  }
}

export function notServed(code: string): GatewayError {
  return new GatewayError('unavailable', `no vendor account serves the model '${code}' at the moment`, {
    param: 'model',
    taken: 'no',
  });
}
