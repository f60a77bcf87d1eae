/** Somebody without a key makes up tokens of the company's identity provider, and makes the gateway ask the provider for each. */
import { createServer } from 'node:http';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { ask, startWatched } from '../exhaustion/gateway.mjs';

const AUDIENCE = 'model-gateway';
const MADE_UP = { whole: 2_000, short: 300 };
const AT_ONCE = 16;
/** Once for the first token, then at most every ten seconds. */
const USUAL_READS = 2;
const SECONDS_BETWEEN_READS = 10;

export async function forgeTokens({ short }) {
  const [own, stranger] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256'),
  ]);
  const issuer = await startIssuer({ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256' });
  const evil = await startIssuer({ ...(await exportJWK(stranger.publicKey)), kid: 'k1', alg: 'RS256' });
  const gateway = await startWatched({
    server: 'unknown_keys_per_minute: 100000',
    lines: `callers: { jwt: [{ issuer: '${issuer.url}', audience: ${AUDIENCE} }] }`,
  });
  const faults = [];
  try {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'jane', iat: now, exp: now + 3600 };
    const sign = (over = {}, header = {}, { privateKey } = stranger) =>
      new SignJWT({ ...claims, ...over }).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(privateKey);
    const status = async (key) => (await ask(gateway.url, '/v1/models', { key, method: 'GET' })).status;
    const right = await sign({}, {}, own);
    if ((await status(right)) !== 200) faults.push('a token of the issuer was refused');
    const [head, body, signature] = right.split('.');
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
    const secret = new TextEncoder().encode(await exportSPKI(own.publicKey));
    const forged = {
      'not signed': new UnsecuredJWT(claims).encode(),
      'signed by the public key as a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .sign(secret),
      'signed by a key of its own header': await sign({}, { jwk: await exportJWK(stranger.publicKey) }),
      'signed by a key that its header links to': await sign({}, { jku: `${evil.url}/keys` }),
      'signed by nobody of the issuer': await sign(),
      'of another issuer': await sign({ iss: evil.url }),
      'with other claims': [head, changed, signature].join('.'),
      'without its signature': `${head}.${body}.`,
      'for another audience': await sign({ aud: 'another' }, {}, own),
      expired: await sign({ exp: now - 3600 }, {}, own),
      'without an end': await sign({ exp: undefined }, {}, own),
    };
    const taken = [];
    for (const [what, token] of Object.entries(forged)) if ((await status(token)) !== 401) taken.push(what);
    for (const what of taken) faults.push(`a token was taken: ${what}`);
    const count = short ? MADE_UP.short : MADE_UP.whole;
    const [before, began] = [issuer.reads, Date.now()];
    for (let at = 0; at < count; at += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => status(await sign({}, { kid: `made-up-${at + index}` }))),
      );
    const reads = issuer.reads - before;
    const most = USUAL_READS + Math.ceil((Date.now() - began) / 1000 / SECONDS_BETWEEN_READS);
    if (reads > most) faults.push(`${count} made-up keys made the issuer be asked ${reads} times`);
    if (evil.reads > 0) faults.push('an address of a token was asked');
    if ((await status(right)) !== 200) faults.push('a token of the issuer was refused afterwards');
    return {
      measured: `${taken.length} of ${Object.keys(forged).length} forged tokens taken; ${count} made-up keys, the issuer asked ${reads} times; ${evil.reads} addresses of tokens asked`,
      faults,
    };
  } finally {
    await gateway.stop();
    await Promise.all([issuer.stop(), evil.stop()]);
  }
}

/** A provider that publishes one key; `reads` counts who came for it. */
async function startIssuer(jwk) {
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys';
    if (isKeys) issuer.reads += 1;
    const body = isKeys ? { keys: [jwk] } : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = {
    url: `http://127.0.0.1:${server.address().port}`,
    reads: 0,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
