/**
 * An identity provider, spoken to by openid-client: what it publishes of itself is asked for when somebody signs in, and remembered for a while. Checked
 * are state, nonce and PKCE of the attempt, and of the identity token its signature, issuer, audience, authorized party and times.
 */
import type { JsonObject } from '@model-gateway/contracts';
import type * as OpenIdClient from 'openid-client';
import { isSafeAddress, type SingleSignOn } from '../../../config/single-sign-on.ts';
import type { Attempt } from './attempt.ts';
import { SignInFault } from './fault.ts';
import { boundedFetch, ProviderAway } from './provider-fetch.ts';

/** By how much clocks may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** For one answer of the provider. */
const PATIENCE_SECONDS = 5;
const KNOWN_MS = 3_600_000;
/** How long it is not asked again after it did not answer. */
const AWAY_MS = 5_000;

export interface IdentityProvider {
  /** Where the browser goes. Throws SignInFault `provider_away`. */
  authorizationUrl(attempt: Pick<Attempt, 'state' | 'nonce' | 'verifier'>, redirectUri: string): Promise<string>;
  /** What the provider says of the person for the code in the address that the browser came back to. Throws SignInFault. */
  identify(attempt: Pick<Attempt, 'state' | 'nonce' | 'verifier'>, returned: URL): Promise<Identified>;
  /** Where the browser signs out; undefined where the provider has no such page or does not answer. */
  signOutUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined>;
}

export interface Identified {
  readonly subject: string;
  readonly claims: JsonObject;
  readonly idToken: string;
}

type Settings = Pick<SingleSignOn, 'issuer' | 'clientId' | 'clientSecret' | 'scopes'>;
interface Known {
  readonly client: typeof OpenIdClient;
  readonly configuration: OpenIdClient.Configuration;
}

/** Makes the one of a process; nothing is asked yet. */
export function createIdentityProvider(settings: Settings, now: () => number): IdentityProvider {
  const known = remembering(() => discover(settings), now);

  return {
    async authorizationUrl({ state, nonce, verifier }, redirectUri) {
      const { client, configuration } = await known();
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async identify({ state, nonce, verifier }, returned) {
      const { client, configuration } = await known();
      try {
        const tokens = await client.authorizationCodeGrant(configuration, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || tokens.id_token === undefined)
          throw new SignInFault('not_valid', 'no identity token came');
        // The library looks at it where there are several audiences.
        if (claims.azp !== undefined && claims.azp !== settings.clientId)
          throw new SignInFault('not_valid', `the identity token was given to the client ${short(claims.azp)}`);
        const more = await userInfo({ client, configuration }, tokens.access_token, claims.sub);
        return { subject: claims.sub, claims: { ...more, ...claims } as JsonObject, idToken: tokens.id_token };
      } catch (error) {
        throw signInFault(client, error);
      }
    },
    async signOutUrl(idToken, returnTo) {
      const { client, configuration } = await known().catch((): Partial<Known> => ({}));
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client?.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href;
    },
  };
}

/** Asks the provider what it is. Throws SignInFault `provider_away`, with the reason as its message. */
export async function discover({
  issuer,
  clientId,
  clientSecret,
}: Pick<Settings, 'issuer' | 'clientId' | 'clientSecret'>): Promise<Known> {
  const client = await import('openid-client');
  try {
    const address = new URL(issuer);
    const allowances = allowancesFor(client, address);
    const found = await client.discovery(address, clientId, undefined, client.None(), {
      [client.customFetch]: boundedFetch,
      timeout: PATIENCE_SECONDS,
      execute: allowances,
    });
    const metadata = found.serverMetadata();
    checkEndpoints(metadata);
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientAuthentication(client, clientSecret, metadata.token_endpoint_auth_methods_supported),
    );
    configuration.timeout = PATIENCE_SECONDS;
    configuration[client.customFetch] = boundedFetch;
    for (const allow of allowances) allow(configuration);
    // The signature of the identity token is checked, though it comes from the provider itself.
    client.enableNonRepudiationChecks(configuration);
    return { client, configuration };
  } catch (error) {
    throw new SignInFault('provider_away', reasonOf(error), error);
  }
}

/** The configuration lets an issuer be plain `http` on this machine alone. The library knows its own function again. */
function allowancesFor(
  client: typeof OpenIdClient,
  { protocol }: URL,
): ((configuration: OpenIdClient.Configuration) => void)[] {
  // oxlint-disable-next-line typescript/no-deprecated -- marked so to be noticed: it is meant for this
  return protocol === 'http:' ? [client.allowInsecureRequests] : [];
}

/** What many providers tell at their userinfo endpoint alone. */
async function userInfo(
  { client, configuration }: Known,
  accessToken: string,
  subject: string,
): Promise<OpenIdClient.UserInfoResponse | undefined> {
  return configuration.serverMetadata().userinfo_endpoint === undefined
    ? undefined
    : client.fetchUserInfo(configuration, accessToken, subject);
}

/** What the provider says of itself is not safer than the way it came by: secrets and browsers go to safe addresses alone. */
function checkEndpoints(metadata: Readonly<OpenIdClient.ServerMetadata>): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (metadata[name] === undefined) throw new Error(`its configuration has no ${name}`);
  }
  for (const name of [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'end_session_endpoint',
  ] as const) {
    // prettier-ignore
    const address = metadata[name];
    if (address !== undefined && !isSafeAddress(address))
      throw new Error(`its ${name} is neither an https address nor one of this machine`);
  }
}

/** As the standard has it unless the provider takes the secret in the body alone. */
function clientAuthentication(
  client: typeof OpenIdClient,
  secret: string | undefined,
  supported: readonly string[] | undefined,
): OpenIdClient.ClientAuth {
  if (secret === undefined) return client.None();
  const isBasic = supported === undefined || supported.includes('client_secret_basic');
  return isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/** One question at a time; an answer holds for an hour, silence for some seconds. What was known goes on when it is away later. */
function remembering(ask: () => Promise<Known>, now: () => number): () => Promise<Known> {
  let last: { readonly answer: Promise<Known>; readonly until: number } | undefined;
  let good: Known | undefined;
  const next = async (): Promise<Known> => {
    try {
      good = await ask();
      return good;
    } catch (error) {
      if (last !== undefined) last = { ...last, until: now() + AWAY_MS };
      if (good === undefined) throw error;
      return good;
    }
  };
  return async () => {
    if (last === undefined || last.until <= now()) last = { answer: next(), until: now() + KNOWN_MS };
    return last.answer;
  };
}

function signInFault(client: typeof OpenIdClient, error: unknown): SignInFault {
  if (error instanceof SignInFault) return error;
  if (error instanceof client.AuthorizationResponseError)
    return new SignInFault('refused', `the provider answered ${short(error.error)}`, error);
  if (isAway(error)) return new SignInFault('provider_away', reasonOf(error), error);
  return new SignInFault('not_valid', reasonOf(error), error);
}

function isAway(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if (cause instanceof ProviderAway) return true;
  return error instanceof Error && 'code' in error && error.code === 'OAUTH_TIMEOUT';
}

/** In words, without what was sent. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let cause = error, depth = 0; cause instanceof Error && depth < 3; cause = cause.cause, depth += 1)
    if (!said.includes(cause.message)) said.push(cause.message);
  if (error instanceof Error && 'error' in error) said.push(short(error.error));
  return short(said.join(': '));
}

const MOST_SAID = 300;
const short = (text: unknown): string => String(text).slice(0, MOST_SAID);
