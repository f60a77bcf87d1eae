/** Tokens by Google's own library, which is loaded when an account needs it: federation, users' credentials, the metadata server. */
import {
  accessTokenFor,
  serviceAccountToken,
  signInFailed,
  type AccessToken,
  type Account,
  type SignableRequest,
  type SignedHeaders,
} from '@model-gateway/provider-kit';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const USUAL_MS = 3_600_000;

/** A key where there is one, else a token. */
export function authorizeGoogle(
  request: SignableRequest,
  account: Account,
  now: number,
): SignedHeaders | Promise<SignedHeaders> {
  const key = account.credentials['api_key'] ?? '';
  if (key !== '') return { 'x-goog-api-key': key };
  const token = isOfLibrary(account)
    ? googleToken(account, now)
    : serviceAccountToken(account, request.send, now, false);
  return token.then((value) => ({ authorization: `Bearer ${value}` }));
}

function isOfLibrary({ credentials, settings }: Account): boolean {
  return (credentials['credentials_file'] ?? '') !== '' || (settings['metadata_server'] ?? '') !== '';
}

/** The account's token, kept until its end (docs/wire/vertex.md#credentials). The file is read anew for every exchange: it may have been replaced. */
async function googleToken({ credentials, settings }: Account, now: number): Promise<string> {
  const file = credentials['credentials_file'] ?? '';
  return accessTokenFor({
    identity: ['google', file, settings['metadata_server'] ?? ''],
    now,
    exchange: async () => exchanged(file, now),
  });
}

async function exchanged(file: string, now: number): Promise<AccessToken> {
  const { Compute, GoogleAuth } = await import('google-auth-library');
  try {
    const client =
      file === ''
        ? new Compute({ scopes: [SCOPE] })
        : // oxlint-disable-next-line typescript/no-deprecated -- deprecated for files that others hand in: this one is the operator's
          await new GoogleAuth({ keyFile: file, scopes: [SCOPE] }).getClient();
    const { token } = await client.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Error('no token');
    return { value: token, until: client.credentials.expiry_date ?? now + USUAL_MS };
  } catch (cause) {
    throw signInFailed(cause);
  }
}
