/** A Google access token for a service account: a JWT of RS256, exchanged at the token endpoint (docs/wire/veo.md#vertex-ai). */
import { GatewayError, isJsonObject } from '@model-gateway/contracts';
import type { Account, SignableRequest } from './adapter.ts';
import { accessTokenFor, signInRefused, type AccessToken } from './access-tokens.ts';
import type { DeclaredCredential } from './declaration.ts';
import { parseVendorJson } from './json.ts';
import { numberAt, textAt } from './json-path.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3600;

/** What an account may hold of a service account: its fields one by one, or the key file as a whole. */
export const SERVICE_ACCOUNT_CREDENTIALS: Readonly<Record<string, DeclaredCredential>> = {
  client_email: { about: 'The address of the service account.', secret: true },
  private_key: { about: 'Its private key in PEM form.', secret: true },
  private_key_id: { about: 'The id of that key.', secret: true },
  token_uri: { about: 'Where tokens are given out; Google’s endpoint unless said.', secret: false },
  project_id: { about: 'The Google Cloud project that is billed, instead of the setting `project`.', secret: false },
  type: { about: '`service_account`, as key files say; not read.', secret: false },
  service_account: { about: 'The whole key file as JSON text, instead of its fields one by one.', secret: true },
};

interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
}

/** The account's token; `fresh` makes a new one (the old was refused). */
export async function serviceAccountToken(
  account: Account,
  send: SignableRequest['send'],
  now: number,
  fresh: boolean,
): Promise<string> {
  const known = readServiceAccount(account);
  if (known.clientEmail === '' || known.privateKey === '') {
    throw new GatewayError(
      'upstream_rejected_key',
      'the service account for this vendor is incomplete: client_email and private_key are needed',
      { taken: 'no' },
    );
  }
  return accessTokenFor({
    identity: [known.clientEmail, known.tokenUri, known.privateKey],
    now,
    fresh,
    exchange: async () => requestToken(known, send, now),
  });
}

async function requestToken(known: ServiceAccount, send: SignableRequest['send'], now: number): Promise<AccessToken> {
  if (send === undefined) throw new GatewayError('internal', 'the token endpoint cannot be reached', { taken: 'no' });
  const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertionOf(known, now) }).toString();
  const { status, json } = await send({
    method: 'POST',
    url: known.tokenUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  const value = textAt(json, 'access_token');
  if (status >= 400 || value === undefined) throw signInRefused(status);
  return { value, until: now + (numberAt(json, 'expires_in') ?? ASSERTION_SECONDS) * 1000 };
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
