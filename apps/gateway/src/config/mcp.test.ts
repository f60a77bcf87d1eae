/** What is wrong with MCP servers is told with its place. */
import { expect, it } from 'vitest';
import { mcpFaults, mcpOf, mcpSchema } from './mcp.ts';

const url = 'https://mcp.example.com/mcp';
const header = { name: 'Authorization', value: 'Bearer x' };
const oauth = { token_url: 'https://login.example.com/token', client_id: 'a', client_secret: 'b' };

it.each([
  {
    name: 'a name twice',
    servers: [
      { name: 'a', url },
      { name: 'a', url },
    ],
    at: 'mcp.servers.1.name',
  },
  { name: 'the gateway’s own name', servers: [{ name: 'gateway', url }], at: 'mcp.servers.0.name' },
  {
    name: 'a password in the address',
    servers: [{ name: 'a', url: 'https://me:pw@example.com' }],
    at: 'mcp.servers.0.url',
  },
  {
    name: 'two ways to say who asks',
    servers: [{ name: 'a', url, auth: { header, oauth } }],
    at: 'mcp.servers.0.auth',
  },
  {
    name: 'a group that there is not',
    servers: [{ name: 'a', url, groups: ['suport'] }],
    at: 'mcp.servers.0.groups.0',
  },
])('names the place of $name', ({ servers, at }) => {
  const faults = mcpFaults(mcpSchema.parse({ servers }), { groups: ['support'] });
  expect(faults.map(({ path }) => path.join('.'))).toEqual([at]);
});

it.each(['Docs', 'docs_1', '1docs', ''])("does not take '%s' for a name", (name) => {
  expect(mcpSchema.safeParse({ servers: [{ name, url }] }).success).toBe(false);
});

it('is not there where nothing is to be served', () => {
  expect([mcpOf(undefined), mcpOf({}), mcpOf({ servers: [], own_tools: false })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const [server] = mcpOf(mcpSchema.parse({ servers: [{ name: 'a', url, auth: { header } }] }))?.servers ?? [];
  expect(server).toMatchObject({ headers: { authorization: 'Bearer x' }, pricePerCall: 0, testKeys: false });
});
