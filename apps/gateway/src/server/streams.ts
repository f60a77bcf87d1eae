/** Streams that are kept while they run, and read again by whoever lost his connection. */
import { createStreamFollower, StreamRecorder, type FollowStream, type Parts } from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { pause } from './pause.ts';
import type { Storage } from './storage.ts';

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
