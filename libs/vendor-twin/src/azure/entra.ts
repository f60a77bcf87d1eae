import type { Exchange } from '../core/exchange.ts';
import { Refusal } from '../core/refusal.ts';
import { perStage, Recent, type Stage } from '../core/stage.ts';
import { unixSeconds } from '../core/values.ts';
import type { Route } from '../core/vendor.ts';

const LIFE_SECONDS = 3599;
const RESOURCE = 'https://cognitiveservices.azure.com';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The one application that the twin's tenant knows. */
export const ENTRA = {
  tenant_id: 'twin-tenant',
  client_id: '00000000-0000-4000-8000-00000000a2e0',
  client_secret: 'twin~client~secret~0123456789',
} as const;
/** What a pod of it would find in its token file. */
const FEDERATED_TOKEN = 'twin-federated-token';

/** Access tokens given out, with the second they end. */
const tokensOf: (stage: Stage) => Recent<number> = perStage(() => new Recent<number>());

/** Entra's token endpoint, and the metadata service of a virtual machine. */
export const entraRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/(?<tenant>[^/]+)\/oauth2\/v2\.0\/token$/,
    operation: 'token',
    open: true,
    handle: byClientCredentials,
  },
  { method: 'GET', path: '/metadata/identity/oauth2/token', operation: 'token', open: true, handle: ofTheMachine },
];

export function isEntraToken({ stage }: Exchange, token: string | undefined): boolean {
  const ends = token === undefined ? undefined : tokensOf(stage).get(token);
  return ends !== undefined && ends > unixSeconds(stage.now());
}

function byClientCredentials(exchange: Exchange): void {
  const form = new URLSearchParams(exchange.body.toString('utf8'));
  if (exchange.params['tenant'] !== ENTRA.tenant_id)
    throw refuse(400, 'invalid_request', 'AADSTS90002: Tenant not found.');
  if (form.get('grant_type') !== 'client_credentials')
    throw refuse(400, 'unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.');
  if (form.get('client_id') !== ENTRA.client_id)
    throw refuse(400, 'unauthorized_client', 'AADSTS700016: Application was not found in the directory.');
  if (form.get('scope') !== `${RESOURCE}/.default`)
    throw refuse(400, 'invalid_scope', 'AADSTS70011: The provided value for the input parameter scope is not valid.');
  const isFederated = form.get('client_assertion_type') === ASSERTION;
  if (
    isFederated ? form.get('client_assertion') !== FEDERATED_TOKEN : form.get('client_secret') !== ENTRA.client_secret
  )
    throw refuse(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
  exchange.reply(200, {
    token_type: 'Bearer',
    expires_in: LIFE_SECONDS,
    ext_expires_in: LIFE_SECONDS,
    ...given(exchange),
  });
}

function ofTheMachine(exchange: Exchange): void {
  if (exchange.header('metadata') !== 'true') {
    throw refuse(400, 'invalid_request', 'Required metadata header not specified');
  }
  if (exchange.query.get('api-version') !== '2018-02-01' || exchange.query.get('resource') !== RESOURCE)
    throw refuse(400, 'invalid_resource', 'AADSTS500011: The resource principal was not found in the tenant.');
  // Numbers are texts here.
  const ends = unixSeconds(exchange.stage.now()) + LIFE_SECONDS;
  exchange.reply(200, { ...given(exchange), expires_on: String(ends), resource: RESOURCE, token_type: 'Bearer' });
}

function given({ stage }: Exchange): { readonly access_token: string } {
  const token = stage.newId('eyJ0eXAi.');
  tokensOf(stage).set(token, unixSeconds(stage.now()) + LIFE_SECONDS);
  return { access_token: token };
}

function refuse(status: number, error: string, error_description: string): Refusal {
  return new Refusal(status, { error, error_description });
}
