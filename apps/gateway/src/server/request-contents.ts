/** Prompts and answers that are kept with the log of requests: where the operator lets them be, for keys that want it. */
import {
  createContentKeeper,
  createContentReader,
  createContentSweeper,
  createSealing,
  type Catalogue,
  type ContentReader,
  type Log,
  type Meter,
  type Sealing,
  type Store,
} from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { createListen, type Listen } from '../http/steps/capture-content.ts';

const DAY_MS = 86_400_000;

type ContentConfig = Pick<Config, 'requests' | 'encryptionKeys'>;

export interface RequestContents {
  readonly reader: ContentReader;
  /** Undefined where nothing is kept. */
  readonly listen: Listen | undefined;
  /** Writes what waits. */
  readonly flush: () => Promise<void>;
}

export interface RequestContentParts {
  readonly config: ContentConfig;
  readonly store: Store;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: Meter;
}

/** Opens what keeps contents; what was kept before is read and removed in its time in any case. */
export function openRequestContents(resources: AsyncDisposableStack, parts: RequestContentParts): RequestContents {
  const { config, catalogue, log, meter } = parts;
  const store = parts.store.requests;
  const reader = contentReader(config, parts);
  const sweeper = createContentSweeper({ ...parts, store, keepMs: keepMsOf(config) });
  resources.defer(() => sweeper.stop());
  void sweeper.sweep();
  const sealing = sealingOf(config);
  if (config.requests.log !== 'bodies' || sealing === undefined)
    return { reader, listen: undefined, flush: () => Promise.resolve() };
  const keeper = createContentKeeper({
    ...{ store, sealing, log, meter },
    guardrails: () => catalogue().guardrails,
    limit: config.requests.bodyLimit,
  });
  resources.defer(() => keeper.close());
  return { reader, listen: createListen(keeper), flush: () => keeper.flush() };
}

/** What reads contents alone. */
export function contentReader(
  config: ContentConfig,
  { store, now }: Pick<RequestContentParts, 'store' | 'now'>,
): ContentReader {
  return createContentReader({ store: store.requests, sealing: sealingOf(config), now, keepMs: keepMsOf(config) });
}

function keepMsOf({ requests }: ContentConfig): number {
  return requests.bodiesKeepDays * DAY_MS;
}

function sealingOf({ encryptionKeys }: ContentConfig): Sealing | undefined {
  if (encryptionKeys.length === 0) return undefined;
  return createSealing(encryptionKeys.map((key) => Buffer.from(key, 'base64')));
}
