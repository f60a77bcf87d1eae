/** Signatures of version 4 by AWS's own packages, which are loaded when an account signs (docs/wire/bedrock.md#credentials). */
import {
  accessTokenFor,
  signInFailed,
  type Account,
  type SignableRequest,
  type SignedHeaders,
} from '@model-gateway/provider-kit';
import { regionOf } from './declared.ts';

const SERVICE = 'bedrock';
/** Of credentials that do not say when they end. */
const USUAL_MS = 3_600_000;

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface Signing {
  readonly keys: Keys;
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The headers that sign a request of this account at this time. */
export async function signed(request: SignableRequest, account: Account, now: number): Promise<SignedHeaders> {
  return signatureOf(request, {
    keys: await keysOf(account, now),
    region: regionOf(account),
    service: SERVICE,
    now,
  });
}

/** What is to be added to the request: `authorization`, `x-amz-date`, and a session's token. */
export async function signatureOf(
  request: SignableRequest,
  { keys, region, service, now }: Signing,
): Promise<SignedHeaders> {
  const [{ SignatureV4 }, { Sha256Node }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  const url = new URL(request.url);
  // The body's sum is in the signature; as a header of its own only S3 wants it.
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256Node, applyChecksum: false });
  const { headers } = await signer.sign(
    {
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...request.headers, host: url.host },
      body: request.bodyBytes,
    },
    { signingDate: new Date(now) },
  );
  const added = Object.entries(headers).filter(([name]) => !(name in request.headers) && name !== 'host');
  return Object.fromEntries(added);
}

async function keysOf(account: Account, now: number): Promise<Keys> {
  const { credentials, settings } = account;
  const fixed = fixedKeys(account);
  if (fixed !== undefined && said(credentials['role_arn']) === undefined) return fixed;
  // What is kept until its end is a text everywhere else.
  const kept = await accessTokenFor({
    identity: ['aws', JSON.stringify(credentials), JSON.stringify(settings)],
    now,
    exchange: async () => {
      const { expiration, ...keys } = await provided(account, fixed);
      return { value: JSON.stringify(keys), until: expiration?.getTime() ?? now + USUAL_MS };
    },
  });
  return JSON.parse(kept) as Keys;
}

function fixedKeys({ credentials }: Account): Keys | undefined {
  const accessKeyId = said(credentials['access_key_id']);
  const secretAccessKey = said(credentials['secret_access_key']);
  const sessionToken = said(credentials['session_token']);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}

async function provided(
  account: Account,
  fixed: Keys | undefined,
): Promise<Keys & { readonly expiration?: Date | undefined }> {
  const aws = await import('@aws-sdk/credential-providers');
  const { credentials, settings } = account;
  const roleArn = said(credentials['role_arn']);
  const webIdentityTokenFile = said(credentials['web_identity_token_file']);
  const profile = said(settings['profile']);
  const clientConfig = { region: regionOf(account) };
  try {
    if (roleArn !== undefined && webIdentityTokenFile !== undefined)
      return await aws.fromTokenFile({ roleArn, webIdentityTokenFile, clientConfig })();
    const own =
      profile === undefined ? aws.fromNodeProviderChain({ clientConfig }) : aws.fromIni({ profile, clientConfig });
    if (roleArn === undefined) return await own();
    const params = { RoleArn: roleArn, RoleSessionName: 'model-gateway' };
    return await aws.fromTemporaryCredentials({ params, masterCredentials: fixed ?? own, clientConfig })();
  } catch (cause) {
    throw signInFailed(cause);
  }
}

/** Variables that are not set leave an empty text behind. */
function said(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
