/** Sessions of browsers: a random token in a cookie, kept as its hash, that stands for the key it was begun with. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import {
  atMost,
  hashKey,
  isKeyOver,
  LookUpsTogether,
  type ApiKeyAuthenticator,
  type ConsoleSessionRecord,
  type KeyRecord,
  type Log,
  type SignedInPerson,
  type Store,
} from '@model-gateway/core';
import { LRUCache } from 'lru-cache';
import { isConsoleKey } from './oidc/console-key.ts';
import { openText, sealText } from './oidc/sealed.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 12;
const MOST_LISTED = 100;
/** Of one person, else of one key: who begins more ends the oldest. */
const MOST_KEPT = 256;
const MOST_KNOWN = 10_000;
/** How exact the time of the last use is. */
const TOUCH_MS = 60_000;
/** Until then who comes back is told that the session has ended, and not that there never was one. */
const KEPT_AFTER_END_MS = 7 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEPT_AT_ONCE = 1_000;
const LONGEST_TEXT = 200;
/** A longer one is not kept: the address of signing out has to hold it. */
const LONGEST_ID_TOKEN = 6_000;
const ID_TOKEN = 'identity token of a session';

/** A session that has not ended, and what it opens now. */
export interface OpenSession {
  readonly record: ConsoleSessionRecord;
  readonly admin: boolean;
  readonly key: KeyRecord | undefined;
  readonly csrfToken: string;
  /** It may do what the document opens to members, and nothing else. */
  readonly isMember: boolean;
  /** Operations that cost money are open to it. */
  readonly mayPay: boolean;
  /** Of the person, where the provider's was kept. */
  readonly idToken: string | undefined;
}

export interface ConsoleSessions {
  /** Begins one; `beside` is a session whose rights it has, too, and which it replaces. The token is in this answer and nowhere else. */
  begin(start: SessionStart): Promise<{ readonly token: string; readonly session: OpenSession }>;
  /** The session of a token. Throws `unauthenticated` when it is over (`SessionReplaced`: by another), and for one that is none `rate_limited` where the address has tried many. */
  find(token: string, address: string | undefined): Promise<OpenSession>;
  /** Open sessions of the same key, and of the admin key where they are for it. */
  list(of: SessionOf): Promise<readonly ConsoleSessionRecord[]>;
  /** False when there is none of these. */
  end(id: string, of: SessionOf): Promise<boolean>;
  /** When a session ends if it is not used. */
  idleEnd(record: ConsoleSessionRecord): number;
  readonly lifeMs: number;
  sweep(): Promise<void>;
  close(): void;
}

export interface SessionOf {
  readonly admin: boolean;
  readonly keyId: number | undefined;
  /** Those of this person alone. */
  readonly only?: Pick<SignedInPerson, 'issuer' | 'subject'> | undefined;
}

export interface SessionStart extends SessionOf {
  readonly beside: OpenSession | undefined;
  readonly address: string | undefined;
  readonly client: string | undefined;
  /** Who signed in with an identity provider. */
  readonly person?: (Omit<SignedInPerson, 'sealedIdToken'> & { readonly idToken: string | undefined }) | undefined;
}

export interface ConsoleSessionsOptions {
  readonly store: Pick<Store, 'consoleSessions' | 'keys'>;
  readonly guesses: ApiKeyAuthenticator['guesses'];
  readonly adminKeyHash: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly lifeMs: number;
  readonly idleMs: number;
  /** The identity provider that is configured; sessions of another are over. */
  readonly singleSignOn: { readonly issuer: string; readonly mayPay: boolean } | undefined;
}

/** A sign-in beside the session has replaced it. A request that was on its way is answered after that, and must not make the browser forget the new one. */
export class SessionReplaced extends GatewayError {
  constructor() {
    super('unauthenticated', endedWords('because another one took its place'));
  }
}

/** What a request with the cookie sends in `x-csrf-token`; whoever has the token can make it, and nobody else. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** Whether a text is the session's, told in the same time whatever it is. */
export function isCsrfToken(text: string, { csrfToken }: OpenSession): boolean {
  const [given, right] = [Buffer.from(text), Buffer.from(csrfToken)];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Opens the sessions of one process. Every look is the database's: what ends somewhere has ended everywhere. */
export function createConsoleSessions(options: ConsoleSessionsOptions): ConsoleSessions {
  return new SessionService(options);
}

class SessionService implements ConsoleSessions {
  readonly lifeMs: number;
  private readonly options: ConsoleSessionsOptions;
  private readonly records: Store['consoleSessions'];
  private readonly together: LookUpsTogether<ConsoleSessionRecord>;
  /** Hashes that were sessions when they were looked up last: they do not wait for others' guesses behind the same address. */
  private readonly right = new LRUCache<string, true>(atMost(MOST_KNOWN));
  private readonly sweeper: NodeJS.Timeout;

  constructor(options: ConsoleSessionsOptions) {
    this.options = options;
    this.lifeMs = options.lifeMs;
    this.records = options.store.consoleSessions;
    this.together = new LookUpsTogether((hashes) => this.records.findByHashes(hashes));
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  async begin(start: SessionStart): Promise<{ readonly token: string; readonly session: OpenSession }> {
    const { now } = this.options;
    const token = `cst_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const record = this.recordOf(start, token);
    await this.records.add(record);
    await this.records.keepNewest(record, MOST_KEPT);
    this.right.set(record.hash, true);
    if (start.beside !== undefined) await this.records.replace(start.beside.record.id, now());
    return { token, session: await this.open(record, token) };
  }

  private recordOf(
    { admin, keyId, beside, address, client, person }: SessionStart,
    token: string,
  ): ConsoleSessionRecord {
    const { adminKeyHash, now } = this.options;
    const key = keyId ?? beside?.key?.id;
    const who = person ?? (beside?.record.person && { ...beside.record.person, idToken: beside.idToken });
    return {
      id: `cs_${randomBytes(ID_BYTES).toString('base64url')}`,
      hash: hashKey(token),
      ...((admin || beside?.admin === true) && { adminKeyHash: adminKeyHash() }),
      ...(key !== undefined && { keyId: key }),
      createdAt: now(),
      lastUsedAt: now(),
      expiresAt: now() + this.lifeMs,
      ...(address !== undefined && { address }),
      ...(client !== undefined && { client: client.slice(0, LONGEST_TEXT) }),
      ...(who !== undefined && { person: personOf(who, token) }),
    };
  }

  async find(token: string, address: string | undefined): Promise<OpenSession> {
    const { guesses, now } = this.options;
    const hash = hashKey(token);
    const isOver = !this.right.has(hash) && guesses.isOver(address);
    const record = await (isOver ? this.together.find(hash) : this.records.findByHash(hash));
    if (record === undefined) {
      this.right.delete(hash);
      guesses.count(address);
      throw isOver ? guesses.refusal(address) : ended('or never was');
    }
    this.right.set(hash, true);
    if (record.endedAt !== undefined)
      throw record.expiresAt > record.endedAt ? ended('and nothing is signed in') : new SessionReplaced();
    if (this.idleEnd(record) <= now()) throw ended('because its time is over');
    const session = await this.open(record, token);
    this.touch(record);
    return session;
  }

  /** What the session opens now; throws where that is nothing any more. */
  private async open(record: ConsoleSessionRecord, token: string): Promise<OpenSession> {
    const { adminKeyHash, singleSignOn } = this.options;
    const { person } = record;
    if (person !== undefined && person.issuer !== singleSignOn?.issuer)
      throw ended('because people do not sign in that way any more');
    const admin = record.adminKeyHash !== undefined && record.adminKeyHash === adminKeyHash();
    const key = await this.keyOf(record);
    if (!admin && key === undefined) throw ended('with its key');
    const isConsole = key !== undefined && isConsoleKey(key);
    const sealed = person?.sealedIdToken;
    return {
      record,
      admin,
      key,
      csrfToken: csrfTokenOf(token),
      isMember: isConsole && person?.role === 'member',
      mayPay: key !== undefined && (!isConsole || singleSignOn?.mayPay === true),
      idToken: sealed === undefined ? undefined : openText(sealed, token, ID_TOKEN),
    };
  }

  private async keyOf({ keyId }: ConsoleSessionRecord): Promise<KeyRecord | undefined> {
    const { store, now } = this.options;
    const key = keyId === undefined ? undefined : await store.keys.get(keyId);
    return key === undefined || isKeyOver(key, now()) ? undefined : key;
  }

  private touch({ id, lastUsedAt }: ConsoleSessionRecord): void {
    const { now, log } = this.options;
    if (now() - lastUsedAt < TOUCH_MS) return;
    this.records
      .touch(id, now())
      .catch((error: unknown) => log.warn({ err: error }, 'the last use of a session could not be written'));
  }

  async list({ admin, keyId, only }: SessionOf): Promise<readonly ConsoleSessionRecord[]> {
    const { now } = this.options;
    const at = { now: now(), limit: MOST_LISTED };
    const found = [
      ...(admin ? await this.records.list({ of: 'admin', ...at }) : []),
      ...(keyId === undefined ? [] : await this.records.list({ of: { keyId }, ...at })),
    ];
    return [...new Map(found.map((each) => [each.id, each])).values()]
      .filter((each) => this.idleEnd(each) > now() && isOf(each, only))
      .sort((a, b) => b.createdAt - a.createdAt)
      .slice(0, MOST_LISTED);
  }

  async end(id: string, of: SessionOf): Promise<boolean> {
    const own = await this.list(of);
    return own.some((each) => each.id === id) && this.records.end(id, this.options.now());
  }

  idleEnd({ lastUsedAt, expiresAt }: ConsoleSessionRecord): number {
    return Math.min(expiresAt, lastUsedAt + this.options.idleMs);
  }

  async sweep(): Promise<void> {
    const { now, log } = this.options;
    await this.records
      .sweep(now() - KEPT_AFTER_END_MS, SWEPT_AT_ONCE)
      .catch((error: unknown) => log.warn({ err: error }, 'sessions that have ended could not be removed'));
  }

  close(): void {
    clearInterval(this.sweeper);
  }
}

/** The token of the provider can be read with the session's alone, which is kept nowhere. */
function personOf(
  { issuer, subject, name, role, idToken }: NonNullable<SessionStart['person']>,
  token: string,
): SignedInPerson {
  const isKept = idToken !== undefined && idToken.length <= LONGEST_ID_TOKEN;
  return { issuer, subject, name, role, ...(isKept && { sealedIdToken: sealText(idToken, token, ID_TOKEN) }) };
}

function isOf({ person }: ConsoleSessionRecord, only: SessionOf['only']): boolean {
  return only === undefined || (person?.issuer === only.issuer && person.subject === only.subject);
}

function ended(how: string): GatewayError {
  return new GatewayError('unauthenticated', endedWords(how));
}

function endedWords(how: string): string {
  return `the session has ended ${how}; sign in again`;
}
