/** Tokens by Google's own library, which is loaded when an account needs it: federation, users' credentials, the metadata server. */
import { GatewayError } from '@model-gateway/contracts';
import { accessTokenFor, type AccessToken, type Account } from '@model-gateway/provider-kit';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const USUAL_MS = 3_600_000;

/** The account's token, kept until its end (docs/wire/vertex.md#credentials). The file is read anew for every exchange: it may have been replaced. */
export async function googleToken({ credentials, settings }: Account, now: number): Promise<string> {
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
        : await new GoogleAuth({ keyFile: file, scopes: [SCOPE] }).getClient();
    const { token } = await client.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Error('no token');
    return { value: token, until: client.credentials.expiry_date ?? now + USUAL_MS };
  } catch (cause) {
    throw refused(cause);
  }
}

/** Nothing of the library's own words: they may quote the file. */
function refused(cause: unknown): GatewayError {
  const status = (cause as { readonly status?: unknown } | undefined)?.status;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  const isPassing = (typeof status === 'number' && (status === 429 || status >= 500)) || code === 'ECONNREFUSED';
  return isPassing
    ? new GatewayError('upstream_unavailable', 'the vendor’s sign-in does not work at the moment', { taken: 'no' })
    : new GatewayError('upstream_rejected_key', 'the gateway’s own credentials for this vendor were refused', {
        taken: 'no',
      });
}
