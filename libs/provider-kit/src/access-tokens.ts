/** Access tokens that an account's credentials are exchanged for: kept until their end, renewed before it, one exchange at a time. */
import { createHash } from 'node:crypto';
import { GatewayError } from '@model-gateway/contracts';
import { LRUCache } from 'lru-cache';

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface TokenExchange {
  /** What the token is for, secrets included; only its hash is kept. */
  readonly identity: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Asks for a new token. */
  readonly exchange: () => Promise<AccessToken>;
  /** A new one, though the old one has not ended: the vendor refused it. */
  readonly fresh?: boolean;
}

interface Entry {
  token?: AccessToken;
  /** From when a new one is asked for while the old one is still good, in milliseconds. */
  renewFrom: number;
  pending?: Promise<AccessToken>;
}

/** A token is not used in its last minute: the request that carries it takes time. */
const EARLY_MS = 60_000;
/** Renewed when so much of its life has gone. */
const RENEWED_AFTER = 0.8;
/** Between attempts to renew a token that is still good. */
const RETRY_MS = 15_000;
const LONGEST_EXCHANGE_MS = 30_000;
const MOST_IDENTITIES = 1000;

const entries = new LRUCache<string, Entry>({ max: MOST_IDENTITIES });

/** The token of an identity. Whoever comes while none is good waits for the one exchange that is under way; its failure is that of all who wait. */
export async function accessTokenFor({ identity, now, exchange, fresh = false }: TokenExchange): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  const entry = entries.get(name) ?? { renewFrom: 0 };
  entries.set(name, entry);
  const { token } = entry;
  const isGood = token !== undefined && now < token.until - EARLY_MS;
  if (isGood && !fresh) {
    if (now >= entry.renewFrom && entry.pending === undefined) {
      entry.renewFrom = now + RETRY_MS;
      // Nobody waits for it, and the old token is good for as long as it was said.
      renew(entry, exchange, now).catch(() => undefined);
    }
    return token.value;
  }
  const { value } = await (entry.pending ?? renew(entry, exchange, now));
  return value;
}

async function renew(entry: Entry, exchange: TokenExchange['exchange'], now: number): Promise<AccessToken> {
  entry.pending = inTime(exchange());
  try {
    const token = await entry.pending;
    entry.token = token;
    entry.renewFrom = now + (token.until - now) * RENEWED_AFTER;
    return token;
  } finally {
    delete entry.pending;
  }
}

/** Who waits for a sign-in has no deadline of his own by then, and all wait for the same one. */
async function inTime(exchange: Promise<AccessToken>): Promise<AccessToken> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new GatewayError('upstream_timeout', 'the vendor’s sign-in took too long', { taken: 'no' });
    timer = setTimeout(() => reject(error), LONGEST_EXCHANGE_MS);
  });
  try {
    return await Promise.race([exchange, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a refused exchange is to the caller. Nothing of the token endpoint's own words: they may name the account. */
export function signInRefused(status: number): GatewayError {
  if (status === 429) return new GatewayError('upstream_rate_limited', 'the vendor’s sign-in is busy', { taken: 'no' });
  if (status >= 500 || status < 400) {
    return new GatewayError('upstream_unavailable', 'the vendor’s sign-in does not work at the moment', {
      taken: 'no',
    });
  }
  return new GatewayError('upstream_rejected_key', 'the gateway’s own credentials for this vendor were refused', {
    taken: 'no',
  });
}

/** Codes of connections that failed, by Node and undici. */
const NOT_CONNECTED = /^(?:ECONN|EAI_|ENET|EHOST|ENOTFOUND|EPIPE|ETIMEDOUT|UND_ERR_)/;

/** What a sign-in by a vendor's own library failed with; nothing of its words: they may quote files and accounts. */
export function signInFailed(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const { status, code, name, $metadata } = (cause ?? {}) as Readonly<Record<string, unknown>>;
  const answered = status ?? ($metadata as { readonly httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  if (typeof answered === 'number') return signInRefused(answered);
  const isPassing = (typeof code === 'string' && NOT_CONNECTED.test(code)) || name === 'TimeoutError';
  return signInRefused(isPassing ? 503 : 401);
}
