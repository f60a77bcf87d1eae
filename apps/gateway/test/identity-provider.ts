/** An OpenID provider on this machine for tests: oidc-provider, whose people sign in by being named. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'model-gateway', secret: 'a-secret-of-the-gateway-0123456789' };
const INTERACTION = '/interaction/';

/** The claims of one person beside `sub`. */
export type Person = Readonly<Record<string, unknown>>;

export interface TestIdentityProvider {
  readonly issuer: string;
  /** Who signs in next; `undefined` refuses. */
  become(person: string | undefined): void;
  /** Where the gateway's console is, once that is known: the provider brings people there alone. */
  serve(gatewayUrl: string): void;
  /** Paths that were asked for, in their order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Starts it at `localhost`, which is another site than 127.0.0.1 to a browser. */
export async function startIdentityProvider(people: Readonly<Record<string, Person>>): Promise<TestIdentityProvider> {
  const asked: string[] = [];
  let current: string | undefined = Object.keys(people)[0];
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    asked.push(path);
    if (provider === undefined) response.writeHead(503).end();
    else if (path.startsWith(INTERACTION)) void interact(provider, request, response);
    else void provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  async function interact(on: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await on.interactionDetails(request, response);
    if (current === undefined) {
      const result = { error: 'access_denied', error_description: 'the person said no' };
      await on.interactionFinished(request, response, result);
      return;
    }
    if (prompt.name === 'login') {
      await on.interactionFinished(request, response, { login: { accountId: current } });
      return;
    }
    const grant = new on.Grant({ accountId: session?.accountId ?? current, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    await on.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  return {
    issuer,
    asked,
    become: (person) => (current = person),
    serve(gatewayUrl) {
      provider = new Provider(issuer, configuration(people, gatewayUrl));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Configuration = NonNullable<ConstructorParameters<typeof Provider>[1]>;

function configuration(people: Readonly<Record<string, Person>>, gatewayUrl: string): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    adapter: inMemory,
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${gatewayUrl}/console/oidc/callback`],
        post_logout_redirect_uris: [`${gatewayUrl}/console`],
      },
    ],
    claims: { openid: ['sub', 'groups', 'team'], email: ['email'], profile: ['name'] },
    cookies: { keys: ['a key for the cookies of a test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' }] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    interactions: { url: (_context, { uid }) => `${INTERACTION}${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: askToSignOut, postLogoutSuccessSource: saySignedOut },
    },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
  };
}

type Stored = Record<string, unknown>;
/** What the provider remembers; its own of the kind warns that nobody should use it. */
const inMemory: NonNullable<Configuration['adapter']> = (kind: string) => {
  const kept = new Map<string, Stored>();
  const one = (member: string, value: string): Stored | undefined =>
    [...kept.values()].find((each) => each[member] === value);
  return {
    upsert: async (id: string, payload: object) => void kept.set(`${kind} ${id}`, { ...payload }),
    find: async (id: string) => kept.get(`${kind} ${id}`),
    findByUid: async (uid: string) => one('uid', uid),
    findByUserCode: async (code: string) => one('userCode', code),
    consume: async (id: string) => {
      const found = kept.get(`${kind} ${id}`);
      if (found !== undefined) found['consumed'] = Math.floor(Date.now() / 1000);
    },
    destroy: async (id: string) => void kept.delete(`${kind} ${id}`),
    revokeByGrantId: async (grantId: string) => {
      for (const [id, each] of kept) if (each['grantId'] === grantId) kept.delete(id);
    },
  };
};

/** Its page asks whether somebody really wants to sign out. */
function askToSignOut(context: { body: unknown }, form: string): void {
  context.body = `<!doctype html><title>Sign out?</title>${form}<button autofocus type="submit" form="op.logoutForm" value="yes" name="logout">Yes, sign me out</button>`;
}
function saySignedOut(context: { body: unknown }): void {
  context.body = '<!doctype html><title>Signed out</title>';
}
