/** An OpenID provider that lies as it is told: its discovery, its keys and its tokens can be anything. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';

export interface Lies {
  /** In place of the claims of an honest identity token; what is undefined is left out. */
  claims?: JWTPayload;
  /** Makes the whole token of the honest claims. */
  token?: (claims: JWTPayload) => string | Promise<string>;
  /** Over the honest discovery document. */
  discovery?: Readonly<Record<string, unknown>>;
  /** Answers of the token endpoint. */
  tokenStatus?: number;
  /** Over the honest `iss` of the address that the browser goes back to. */
  query?: Readonly<Record<string, string>>;
  /** What the userinfo endpoint says. */
  userinfo?: Readonly<Record<string, unknown>>;
}

export interface LyingProvider {
  readonly issuer: string;
  lies: Lies;
  /** The honest key's signature over whatever claims. */
  sign(claims: JWTPayload): Promise<string>;
  /** Forms that came to the token endpoint. */
  readonly exchanged: readonly URLSearchParams[];
  close(): Promise<void>;
}

export const LYING_CLIENT = 'the-gateway';

/** Starts it on a free port of this machine. It asks nobody: each browser that comes goes back with a code at once. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'honest', alg: 'RS256', use: 'sig' };
  const exchanged: URLSearchParams[] = [];
  const nonces = new Map<string, string>();
  const sign = (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'honest' }).sign(privateKey);
  const state = { lies: {} as Lies };

  const answers: Readonly<Record<string, (url: URL, body: string) => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(state.lies.userinfo !== undefined && { userinfo_endpoint: `${issuer}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...state.lies.discovery,
    }),
    '/keys': () => ({ keys: [jwk] }),
    '/userinfo': () => state.lies.userinfo,
    '/token': async (_url, body) => {
      const form = new URLSearchParams(body);
      exchanged.push(form);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: LYING_CLIENT,
        sub: 'somebody',
        iat: now,
        exp: now + 300,
        nonce: nonces.get(form.get('code') ?? ''),
        groups: ['owners'],
        team: 'red',
        ...state.lies.claims,
      };
      const id_token = await (state.lies.token ?? sign)(claims);
      return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token };
    },
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (url.pathname === '/authorize') {
        const code = `code-${nonces.size}`;
        nonces.set(code, url.searchParams.get('nonce') ?? '');
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        const given = { code, state: url.searchParams.get('state') ?? '', ...state.lies.query };
        for (const [name, value] of Object.entries(given)) back.searchParams.set(name, value);
        response.writeHead(303, { location: back.href }).end();
        return;
      }
      const status = url.pathname === '/token' ? (state.lies.tokenStatus ?? 200) : 200;
      void Promise.resolve(answers[url.pathname]?.(url, Buffer.concat(chunks).toString())).then((body) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {})),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    issuer,
    sign,
    exchanged,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
