/** Who may come in, and how often: keys, limits, signed links, repetitions. */
import { randomBytes } from 'node:crypto';
import { OPERATIONS } from '@model-gateway/contracts';
import {
  BudgetBook,
  createApiKeyAuthenticator,
  createIdempotencyService,
  createLimiter,
  createSignedLinks,
  hashKey,
  codeOf,
  type ApiKeyAuthenticator,
  type BudgetRule,
  type CallerCaps,
  type Catalogue,
  type IdempotencyService,
  type Limiter,
  type Log,
  type SharedCounts,
  type SignedLinks,
  type SignedLinksOptions,
  type Store,
} from '@model-gateway/core';
import type { Config } from '../config/config.ts';
import type { CallerTokens, CallerTokensParts } from '../resources/caller-tokens/caller-tokens.ts';
import { ADMIN_KEY_SETTING, newAdminKey } from '../resources/admin-key/admin-key.ts';
import { declareKeys } from './declared-keys.ts';
import type { Storage } from './storage.ts';

/** Work that nobody listens to any more and a repetition may ask for. */
const LAST_WORK_MS = 5_000;
/** A rotated admin key is taken by every replica after this long at most, as revoked keys are. */
const ADMIN_KEY_LOOK_MS = 2_000;

export interface Access {
  readonly authenticator: ApiKeyAuthenticator;
  readonly limiter: Limiter;
  readonly links: SignedLinks;
  readonly adminKey: AdminKey;
  /** Undefined where no issuer is configured. */
  readonly tokens: CallerTokens | undefined;
  /** Budgets above keys; undefined while there are none. */
  readonly caps: () => CallerCaps | undefined;
  /** Reads what budgets that are about to count need to know of owners. */
  readonly prepareBudgets: (next: readonly BudgetRule[]) => Promise<void>;
}

export interface AdminKey {
  /** Another one after a rotation. */
  readonly hash: () => string;
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
  /** Where limits are counted for several processes. */
  readonly counts: SharedCounts | undefined;
  /** Told of texts that are no key, by the address they came from. */
  readonly guessed: ((address: string) => void) | undefined;
}

/** Writes the keys that the configuration declares, and opens what checks a caller.  */
export async function openAccess(resources: AsyncDisposableStack, options: AccessOptions): Promise<Access> {
  const { config, store, now, log, publicUrl, catalogue, counts, guessed } = options;
  await declareKeys(config, { store, now });
  const adminKey = await openAdminKey(resources, { own: config.adminKey, store, log });
  const secret = await store.settings.first('link_secret', randomBytes(32).toString('hex'));
  const links = createSignedLinks({ secret, addressOf: linkedAddresses(publicUrl), now });
  const authenticator = createApiKeyAuthenticator({
    keys: store.keys,
    now,
    log,
    unknownPerMinute: config.server.unknownKeysPerMinute,
    codeOf: (model) => codeOf(catalogue(), model),
    ...(guessed !== undefined && { guessed }),
  });
  resources.defer(() => authenticator.close());
  const limiter = createLimiter({
    ...{ now, log, runs: store.runs },
    ...(counts !== undefined && { shared: counts }),
  });
  resources.defer(() => limiter.close());
  const tokens = await openCallerTokens(config, { store, guesses: authenticator.guesses, now, log });
  const budgets = await openBudgets(resources, { catalogue, store, log });
  return { authenticator, limiter, links, adminKey, tokens, ...budgets };
}

/** Loaded where it is configured: no issuer is asked before a token comes. */
async function openCallerTokens(
  { tokenIssuers: issuers }: Pick<Config, 'tokenIssuers'>,
  parts: Omit<CallerTokensParts, 'issuers'>,
): Promise<CallerTokens | undefined> {
  if (issuers.length === 0) return undefined;
  const { CallerTokens } = await import('../resources/caller-tokens/caller-tokens.ts');
  return new CallerTokens({ ...parts, issuers });
}

const REFRESH_MS = 5_000;

/** What budgets know of owners is read again now and then, where there are budgets. */
async function openBudgets(
  resources: AsyncDisposableStack,
  { catalogue, store, log }: Pick<AccessOptions, 'catalogue' | 'store' | 'log'>,
): Promise<Pick<Access, 'caps' | 'prepareBudgets'>> {
  const book = new BudgetBook(() => catalogue().budgets ?? [], store.owners);
  await book.refresh();
  const timer = setInterval(() => {
    if (book.isEmpty) return;
    book.refresh().catch((error: unknown) => log.warn({ err: error }, 'what budgets know of owners could not be read'));
  }, REFRESH_MS);
  timer.unref();
  resources.defer(() => clearInterval(timer));
  return { caps: () => (book.isEmpty ? undefined : book), prepareBudgets: (next) => book.prepare(next) };
}

/** Opens what answers repetitions; closing it waits for the work that a repetition may ask for. */
export function openIdempotency(
  resources: AsyncDisposableStack,
  {
    storage,
    aloneSince,
    now,
    log,
  }: {
    readonly storage: Storage;
    readonly aloneSince: number | undefined;
    readonly now: () => number;
    readonly log: Log;
  },
): IdempotencyService {
  const idempotency = createIdempotencyService({
    store: storage.store.idempotency,
    now,
    log,
    soleProcess: storage.soleProcess || aloneSince !== undefined,
    ...(aloneSince !== undefined && { startedAt: aloneSince }),
  });
  resources.defer(() => idempotency.close(LAST_WORK_MS));
  return idempotency;
}

/** Where signed links lead: the operations of the document that take them. */
function linkedAddresses(publicUrl: () => string): SignedLinksOptions['addressOf'] {
  const paths = {
    video: OPERATIONS.getVideoContent.path,
    file: OPERATIONS.getFile.path,
    webhook: OPERATIONS.receiveVendorWebhook.path,
  };
  return (kind, id) => publicUrl() + paths[kind].replace(/\{\w+\}/, encodeURIComponent(id));
}

/** The operator's own admin key, or one made at the very first start of this database. */
async function openAdminKey(
  resources: AsyncDisposableStack,
  { own, store, log }: { readonly own: string | undefined; readonly store: Pick<Store, 'settings'>; readonly log: Log },
): Promise<AdminKey> {
  if (own !== undefined) {
    const fixed = hashKey(own);
    return { hash: () => fixed, made: undefined };
  }
  const candidate = newAdminKey();
  const read = (): Promise<string> => store.settings.first(ADMIN_KEY_SETTING, hashKey(candidate));
  let hash = await read();
  const looking = setInterval(() => {
    read().then(
      (current) => (hash = current),
      (error: unknown) => log.warn({ err: error }, 'the admin key could not be read'),
    );
  }, ADMIN_KEY_LOOK_MS);
  looking.unref();
  resources.defer(() => clearInterval(looking));
  return { hash: () => hash, made: hash === hashKey(candidate) ? candidate : undefined };
}
