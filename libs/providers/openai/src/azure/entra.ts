/** Tokens of Microsoft Entra ID for an Azure account (docs/wire/azure.md#entra-id): a client secret, a workload identity, a managed identity. */
import { readFile } from 'node:fs/promises';
import { GatewayError, type Json } from '@model-gateway/contracts';
import {
  accessTokenFor,
  numberAt,
  signInRefused,
  textAt,
  type AccessToken,
  type Account,
  type SignableRequest,
} from '@model-gateway/provider-kit';

const AUTHORITY = 'https://login.microsoftonline.com';
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** The metadata service of a virtual machine: an address that only the machine itself reaches. */
const METADATA = 'http://169.254.169.254/metadata/identity/oauth2/token';
const USUAL_SECONDS = 3600;

type Send = NonNullable<SignableRequest['send']>;

/** The account's token, kept until its end. */
export async function entraToken(account: Account, send: SignableRequest['send'], now: number): Promise<string> {
  if (send === undefined) throw new GatewayError('internal', 'the token endpoint cannot be reached', { taken: 'no' });
  const { credentials, settings } = account;
  return accessTokenFor({
    identity: ['entra', JSON.stringify(credentials), JSON.stringify(settings)],
    now,
    exchange: async () => {
      const { status, json } =
        (settings['managed_identity'] ?? '') === ''
          ? await exchanged(account, send)
          : await ofTheMachine(account, send);
      const value = textAt(json, 'access_token');
      if (status >= 400 || value === undefined) throw signInRefused(status);
      return { value, until: endOf(json, now) } satisfies AccessToken;
    },
  });
}

/** Variables that are not set leave an empty text behind. */
function said(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

type Answer = Awaited<ReturnType<Send>>;

async function exchanged({ credentials, settings }: Account, send: Send): Promise<Answer> {
  const file = credentials['federated_token_file'] ?? '';
  const proof: Record<string, string> =
    file === ''
      ? { client_secret: credentials['client_secret'] ?? '' }
      : { client_assertion_type: ASSERTION, client_assertion: await assertionIn(file) };
  const tenant = encodeURIComponent(credentials['tenant_id'] ?? '');
  return send({
    method: 'POST',
    url: `${(said(settings['authority']) ?? AUTHORITY).replace(/\/+$/, '')}/${tenant}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials['client_id'] ?? '',
      scope: said(settings['scope']) ?? SCOPE,
      ...proof,
    }).toString(),
  });
}

/** Kubernetes writes a new one about every hour. */
async function assertionIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new GatewayError(
      'upstream_rejected_key',
      'the token file of the gateway’s own workload identity is missing',
      {
        taken: 'no',
        cause,
      },
    );
  }
}

/** A virtual machine's metadata service, or what App Service and Container Apps have in its place. */
async function ofTheMachine({ credentials, settings }: Account, send: Send): Promise<Answer> {
  const endpoint = said(credentials['identity_endpoint']);
  const shown = credentials['identity_header'] ?? '';
  const who = settings['managed_identity'] ?? 'system';
  const query = new URLSearchParams({
    'api-version': endpoint === undefined ? '2018-02-01' : '2019-08-01',
    resource: (said(settings['scope']) ?? SCOPE).replace(/\/\.default$/, ''),
    ...(who !== 'system' && { client_id: who }),
  });
  return send({
    method: 'GET',
    url: `${endpoint ?? METADATA}?${query.toString()}`,
    headers: endpoint === undefined ? { metadata: 'true' } : { 'x-identity-header': shown },
    body: '',
  });
}

/** `expires_in` in seconds, or `expires_on` as seconds since 1970; both as texts of machines. */
function endOf(json: Json | undefined, now: number): number {
  const seconds = numberAt(json, 'expires_in');
  if (seconds !== undefined) return now + seconds * 1000;
  const at = numberAt(json, 'expires_on');
  return at === undefined ? now + USUAL_SECONDS * 1000 : at * 1000;
}
