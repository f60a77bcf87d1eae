import { createPrivateKey, createPublicKey, verify, type KeyObject, generateKeyPairSync } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { bearer } from '../core/auth.ts';
import { unixSeconds } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { Recent, perStage, type Stage } from '../core/stage.ts';
import { Refusal } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import { refuseAsGoogle } from '../gemini/errors.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFE_SECONDS = 3600;

/** Access tokens given out, with the second they end. */
const tokensOf: (stage: Stage) => Recent<number> = perStage(() => new Recent<number>());

/** Google's token endpoint: a signed assertion for an access token (https://developers.google.com/identity/protocols/oauth2/service-account). */
export const tokenRoute: Route = {
  method: 'POST',
  path: '/token',
  operation: 'token',
  open: true,
  handle: exchangeToken,
};

function exchangeToken(exchange: Exchange): void {
  const form = new URLSearchParams(exchange.body.toString('utf8'));
  if (form.get('grant_type') !== GRANT) throw refuseGrant('unsupported_grant_type', 'Invalid grant_type.');
  checkAssertion(exchange, form.get('assertion') ?? '');
  const token = exchange.stage.newId('ya29.');
  tokensOf(exchange.stage).set(token, unixSeconds(exchange.stage.now()) + LIFE_SECONDS - 1);
  exchange.reply(200, { access_token: token, expires_in: LIFE_SECONDS - 1, token_type: 'Bearer' });
}

function checkAssertion(exchange: Exchange, assertion: string): void {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const header = decoded(head);
  const claims = decoded(body);
  const signed = Buffer.from(`${head}.${body}`);
  if (header?.['alg'] !== 'RS256' || !verify('RSA-SHA256', signed, publicKey(), Buffer.from(signature, 'base64url'))) {
    throw refuseGrant('invalid_grant', 'Invalid JWT Signature.');
  }
  const { iss, aud, scope, iat, exp } = claims ?? {};
  const { client_email: email, token_uri: usual } = serviceAccount();
  if (iss !== email) throw refuseGrant('invalid_grant', 'Invalid grant: account not found');
  if (aud !== `${exchange.stage.url}/vertex/token` && aud !== usual)
    throw refuseGrant('invalid_grant', 'Invalid JWT: Failed audience check.');
  if (typeof scope !== 'string' || !scope.split(' ').includes(SCOPE))
    throw refuseGrant('invalid_scope', 'Invalid OAuth scope.');
  const now = unixSeconds(exchange.stage.now());
  const timely =
    typeof iat === 'number' && typeof exp === 'number' && iat <= now + 300 && exp > now && exp - iat <= LIFE_SECONDS;
  if (!timely)
    throw refuseGrant(
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    );
}

function refuseGrant(error: string, error_description: string): Refusal {
  return new Refusal(400, { error, error_description });
}

let known: KeyObject | undefined;

function publicKey(): KeyObject {
  known ??= createPublicKey(createPrivateKey(serviceAccount().private_key));
  return known;
}

function decoded(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A call needs a living token, and a project that is the account's. */
export function requireAccessToken(exchange: Exchange): void {
  const ends = tokensOf(exchange.stage).get(bearer(exchange) ?? '');
  if (ends === undefined || ends <= unixSeconds(exchange.stage.now())) {
    throw refuseAsGoogle(401, {
      message:
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    });
  }
  const { project } = exchange.params;
  if (project === undefined || project === serviceAccount().project_id) return;
  throw refuseAsGoogle(403, {
    message: `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/${project}'.`,
  });
}

const NAMES = {
  type: 'service_account',
  project_id: 'twin-project',
  private_key_id: 'twin-key-1',
  client_email: 'gateway@twin-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

let key: string | undefined;

/** A Google service account with a key pair of its own for every process. The key is made when it is first looked at: that takes longer than many a start. */
export function serviceAccount() {
  return {
    ...NAMES,
    get private_key(): string {
      return (key ??= newKey());
    },
  };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
