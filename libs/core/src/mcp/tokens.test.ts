/** Tokens by client credentials, from an issuer on a real socket. */
import { createUntrustedFetcher } from '@model-gateway/provider-kit';
import { startMcpServer } from '@model-gateway/testing';
import { expect, it } from 'vitest';
import { ClientTokens } from './tokens.ts';

it('asks once for all who wait, keeps the token until shortly before its end, and says why there is none', async () => {
  let status = 200;
  let given = 0;
  const issuer = await startMcpServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: `token-${++given}`, expires_in: 60 }));
  });
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [new URL(issuer.url).host] });
  let now = 1_000_000;
  const oauth = {
    tokenUrl: issuer.url,
    clientId: 'me',
    clientSecret: 's:cret',
    resource: 'https://docs.example.com/mcp',
  };
  const tokens = new ClientTokens({ name: 'docs', oauth }, { untrustedFetcher, now: () => now });
  try {
    expect(await Promise.all([tokens.header(), tokens.header()])).toEqual(['Bearer token-1', 'Bearer token-1']);
    expect(issuer.requests).toMatchObject([
      {
        headers: { authorization: `Basic ${Buffer.from('me:s%3Acret').toString('base64')}` },
        body: 'grant_type=client_credentials&resource=https%3A%2F%2Fdocs.example.com%2Fmcp',
      },
    ]);
    now += 29_000;
    expect(await tokens.header()).toBe('Bearer token-1');
    now += 1_000;
    expect(await tokens.header()).toBe('Bearer token-2');
    tokens.forget();
    status = 401;
    await expect(tokens.header()).rejects.toThrow(
      "the gateway got no token for the MCP server 'docs': its issuer answered 401",
    );
  } finally {
    await untrustedFetcher.close();
    await issuer.close();
  }
});
