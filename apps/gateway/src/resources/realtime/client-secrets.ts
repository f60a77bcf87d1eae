/** Short-lived tokens for realtime sessions, to be given to browsers: they open what their key opens, for one session's configuration. */
import { randomBytes } from 'node:crypto';
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { hashKey, type ApiKeyAuthenticator, type Caller, type KeyRecord, type Log, type Store } from '@model-gateway/core'; // prettier-ignore
import { openText, sealText } from '../console/oidc/sealed.ts';

const PREFIX = 'ek_';
const TOKEN_BYTES = 32;
const PURPOSE = 'session of a client secret';
/** Of one key: who makes more ends the oldest. */
const MOST_KEPT = 1_000;
/** What is open goes on after its token has expired. */
const KEPT_AFTER_END_MS = 2 * 3_600_000;
const SWEPT_AT_ONCE = 100;

/** Whether a text has the form of a client secret. */
export function isClientSecret(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** What a client secret opens. */
export interface OpenedSecret {
  readonly key: KeyRecord;
  readonly session: JsonObject;
  /** Whom the request that made it was made for. */
  readonly identity: Caller['identity'];
}

export interface ClientSecretParts {
  readonly store: Pick<Store, 'realtimeSecrets' | 'keys'>;
  readonly guesses: ApiKeyAuthenticator['guesses'];
  readonly now: () => number;
  readonly log: Log;
}

export class ClientSecrets {
  readonly #parts: ClientSecretParts;

  constructor(parts: ClientSecretParts) {
    this.#parts = parts;
  }

  /** Makes one. The token is in this answer and nowhere else. */
  async make(
    { key, identity }: Pick<Caller, 'key' | 'identity'>,
    session: JsonObject,
    seconds: number,
  ): Promise<{ readonly value: string; readonly expiresAt: number }> {
    const { store, now, log } = this.#parts;
    const value = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const createdAt = now();
    const expiresAt = createdAt + seconds * 1000;
    const sealedSession = sealText(JSON.stringify({ session, identity }), value, PURPOSE);
    await store.realtimeSecrets.add(
      { hash: hashKey(value), keyId: key.id, sealedSession, createdAt, expiresAt },
      MOST_KEPT,
    );
    store.realtimeSecrets
      .sweep(createdAt - KEPT_AFTER_END_MS, SWEPT_AT_ONCE)
      .catch((error: unknown) => log.warn({ err: error }, 'expired client secrets could not be removed'));
    return { value, expiresAt };
  }

  /** What a token opens. Throws `unauthenticated`; `isOpen`: for a session that was opened before the token expired. */
  async find(token: string, address: string | undefined, isOpen: boolean): Promise<OpenedSecret> {
    const { store, guesses, now } = this.#parts;
    const isOver = guesses.isOver(address);
    const found = await store.realtimeSecrets.findByHash(hashKey(token));
    if (found === undefined) {
      guesses.count(address);
      throw isOver ? guesses.refusal(address) : refused('is not known here');
    }
    if (!isOpen && found.expiresAt <= now()) throw refused('has expired; ask for a new one');
    const key = await store.keys.get(found.keyId);
    if (key === undefined || (key.revokedAt !== undefined && key.revokedAt <= now()))
      throw refused('was made with a key that was revoked');
    if (key.expiresAt !== undefined && key.expiresAt <= now()) throw refused('was made with a key that has expired');
    const text = openText(found.sealedSession, token, PURPOSE);
    return { key, ...openedOf(text === undefined ? undefined : (JSON.parse(text) as Json)) };
  }
}

function openedOf(sealed: Json | undefined): Pick<OpenedSecret, 'session' | 'identity'> {
  if (!isJsonObject(sealed)) return { session: {}, identity: undefined };
  const { session, identity } = sealed;
  // Secrets that an older version made have the session alone.
  if (!isJsonObject(session)) return { session: sealed, identity: undefined };
  return { session, identity: identity as Caller['identity'] };
}

function refused(reason: string): GatewayError {
  return new GatewayError('unauthenticated', `Incorrect API key provided: the client secret ${reason}`);
}
