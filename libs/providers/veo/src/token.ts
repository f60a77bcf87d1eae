/** A Google access token for a service account: a JWT of RS256, exchanged at the token endpoint (docs/wire/veo.md#vertex-ai). */
import { createHash } from 'node:crypto';
import { GatewayError, isJsonObject } from '@model-gateway/contracts';
import { numberAt, parseVendorJson, textAt, type Account, type SignableRequest } from '@model-gateway/provider-kit';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3600;
/** A token is not used in its last minute. */
const EARLY_MS = 60_000;
const MOST_ACCOUNTS = 1000;

interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
}
interface Token {
  readonly value: string;
  /** Milliseconds. */
  readonly until: number;
}

interface Entry {
  readonly exchange: Promise<string>;
  /** Milliseconds; absent while the exchange is under way. */
  until?: number;
}

/** Tokens by service account; the name is a hash, so that no key stands in it. */
const tokens = new Map<string, Entry>();

/** The account's token, from the cache until a minute before its end; `fresh` makes a new one (the old was refused). */
export async function accessToken(
  account: Account,
  send: SignableRequest['send'],
  now: number,
  fresh: boolean,
): Promise<string> {
  const known = readServiceAccount(account);
  if (known.clientEmail === '' || known.privateKey === '') {
    throw new GatewayError(
      'upstream_rejected_key',
      'the gateway has no whole service account for this vendor: client_email and private_key are needed',
      { taken: 'no' },
    );
  }
  const name = createHash('sha256').update(`${known.clientEmail} ${known.tokenUri} ${known.privateKey}`).digest('hex');
  const entry = tokens.get(name);
  // Whoever comes while an exchange is under way waits for the same one.
  if (entry !== undefined && (entry.until === undefined || (!fresh && now < entry.until - EARLY_MS))) {
    return entry.exchange;
  }
  const begun: Entry = {
    exchange: requestToken(known, send, now).then(
      (token) => {
        begun.until = token.until;
        return token.value;
      },
      (error: unknown) => {
        if (tokens.get(name) === begun) tokens.delete(name);
        throw error;
      },
    ),
  };
  if (tokens.size >= MOST_ACCOUNTS) tokens.clear();
  tokens.set(name, begun);
  return begun.exchange;
}

async function requestToken(known: ServiceAccount, send: SignableRequest['send'], now: number): Promise<Token> {
  if (send === undefined) throw new GatewayError('internal', 'no way to the token endpoint', { taken: 'no' });
  const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertionOf(known, now) }).toString();
  const { status, json } = await send({
    method: 'POST',
    url: known.tokenUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  const value = textAt(json, 'access_token');
  if (status >= 400 || value === undefined) throw refused(status);
  return { value, until: now + (numberAt(json, 'expires_in') ?? ASSERTION_SECONDS) * 1000 };
}

/** Nothing of the token endpoint's own words: they may name the account. */
function refused(status: number): GatewayError {
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

async function assertionOf(known: ServiceAccount, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  try {
    const { importPKCS8, SignJWT } = await import('jose');
    const key = await importPKCS8(known.privateKey, 'RS256');
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(known.keyId !== undefined && { kid: known.keyId }) })
      .setIssuer(known.clientEmail)
      .setAudience(known.tokenUri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ASSERTION_SECONDS)
      .sign(key);
  } catch {
    // The reason could quote the key.
    throw new GatewayError('upstream_rejected_key', 'the gateway’s own key for this vendor cannot be read', {
      taken: 'no',
    });
  }
}

/** Credentials one by one, or the whole key file as `service_account`. */
function readServiceAccount({ credentials }: Account): ServiceAccount {
  const file = parseVendorJson(credentials['service_account'] ?? '');
  const of = (name: string): string | undefined =>
    credentials[name] ?? (isJsonObject(file) ? textAt(file, name) : undefined);
  return {
    clientEmail: of('client_email') ?? '',
    // Environment variables often carry the line ends as two characters.
    privateKey: (of('private_key') ?? '').replaceAll('\\n', '\n'),
    keyId: of('private_key_id'),
    tokenUri: of('token_uri') ?? TOKEN_URI,
  };
}
