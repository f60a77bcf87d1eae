/** Who may come in, and how often: keys, limits, signed links, repetitions. */
import { randomBytes } from 'node:crypto';
import {
  createApiKeyAuthenticator,
  createIdempotencyService,
  createLimiter,
  createRedisCounts,
  createSignedLinks,
  hashKey,
  codeOf,
  type ApiKeyAuthenticator,
  type Catalogue,
  type IdempotencyService,
  type Limiter,
  type Log,
  type SignedLinks,
  type Store,
} from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import { declareKeys } from './declared-keys.ts';
import { connectRedis } from './redis.ts';
import type { Storage } from './storage.ts';

/** Work that nobody listens to any more and a repetition may ask for. */
const LAST_WORK_MS = 5_000;

export interface Access {
  readonly authenticator: ApiKeyAuthenticator;
  readonly limiter: Limiter;
  readonly links: SignedLinks;
  readonly adminKey: AdminKey;
}

export interface AdminKey {
  readonly hash: string;
  /** The key itself, when this start made it; shown once. */
  readonly made: string | undefined;
}

export interface AccessOptions {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly catalogue: () => Catalogue;
}

/** Writes the keys that the configuration declares, and opens what checks a caller. Throws StartFault when Redis cannot be reached. */
export async function openAccess(resources: AsyncDisposableStack, options: AccessOptions): Promise<Access> {
  const { config, store, now, log, publicUrl, catalogue } = options;
  await declareKeys(config, { store, now });
  const adminKey = await adminKeyOf(config.adminKey, store);
  const secret = await store.settings.first('link_secret', randomBytes(32).toString('hex'));
  const links = createSignedLinks({ secret, publicUrl, now });
  const authenticator = createApiKeyAuthenticator({
    keys: store.keys,
    now,
    log,
    codeOf: (model) => codeOf(catalogue(), model),
  });
  resources.defer(() => authenticator.close());
  const redis = config.redisUrl === undefined ? undefined : await connectRedis(config.redisUrl, log, now);
  const limiter = createLimiter({
    now,
    log,
    ...(redis !== undefined && { shared: createRedisCounts({ redis, log }) }),
  });
  resources.defer(() => limiter.close());
  return { authenticator, limiter, links, adminKey };
}

/** Opens what answers repetitions; closing it waits for the work that a repetition may ask for. */
export function openIdempotency(
  resources: AsyncDisposableStack,
  { storage, now, log }: { readonly storage: Storage; readonly now: () => number; readonly log: Log },
): IdempotencyService {
  const idempotency = createIdempotencyService({
    store: storage.store.idempotency,
    now,
    log,
    soleProcess: storage.soleProcess,
  });
  resources.defer(() => idempotency.close(LAST_WORK_MS));
  return idempotency;
}

/** The operator's own admin key, or one made at the very first start of this database. */
async function adminKeyOf(own: string | undefined, store: Pick<Store, 'settings'>): Promise<AdminKey> {
  if (own !== undefined) return { hash: hashKey(own), made: undefined };
  const candidate = `admin-${randomBytes(32).toString('base64url')}`;
  const hash = await store.settings.first('admin_key_hash', hashKey(candidate));
  return { hash, made: hash === hashKey(candidate) ? candidate : undefined };
}
