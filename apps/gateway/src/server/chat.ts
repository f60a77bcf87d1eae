/** Answers that are kept by the `cache` of models, and the chat that gives them again. */
import {
  createAnswerCache,
  createCachedChat,
  createChat,
  createMemoryAnswers,
  type AnswerCache,
  type AnswerStore,
  type Chat,
  type ChatParts,
} from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { pause } from './pause.ts';

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

/** Makes the chat. */
export function openChat(parts: ChatParts, cache: AnswerCache): Chat {
  return createCachedChat({ ...parts, cache }, createChat(parts));
}
