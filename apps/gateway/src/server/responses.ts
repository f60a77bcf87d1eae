/** What keeps responses for callers, where the operator has given a key to encrypt them with. */
import { randomBytes } from 'node:crypto';
import { createResponses, createSealing, type Chat, type ChatParts, type Responses } from '@model-gateway/core';
import type { Config } from '../config/config.ts';

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
      },
    },
    chat,
  );
  resources.defer(() => opened.stop());
  return opened;
}
