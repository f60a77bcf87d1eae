/** MCP servers, as the configuration says them (docs/guides/mcp.md). */
import { OWN_SERVER, type McpServer, type McpSettings } from '@model-gateway/core';
import * as z from 'zod';
import type { ConfigFault } from './fault.ts';
import { mayBeGiven } from './given-headers.ts';
import { groupFaults } from './nearest.ts';
import { bytes, dollars, flag, name, number } from './scalars.ts';

const names = z.array(name).min(1);
/** It begins the names of tools, and the schemes of resources. */
const serverName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected 1 to 32 small letters, digits and dashes that begin with a letter');
const address = z.url({ protocol: /^https?$/, error: 'expected an address that begins with https:// or http://' });
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const headerValue = z.string().regex(/^[\t\x20-\x7e]{1,8000}$/, 'expected printable ASCII');

const authSchema = z.strictObject({
  header: z
    .strictObject({
      name: z.string().regex(HEADER_NAME, 'is no name of a header'),
      value: headerValue,
    })
    .optional(),
  oauth: z
    .strictObject({
      token_url: address,
      client_id: z.string().min(1),
      client_secret: z.string().min(1),
      scope: z.string().min(1).optional(),
      resource: z.url().optional(),
    })
    .optional(),
});

const serverSchema = z.strictObject({
  name: serverName,
  url: address,
  auth: authSchema.optional(),
  headers: z
    .record(
      z
        .string()
        .refine(mayBeGiven, 'the gateway writes this header, or its name is not one; credentials are said in auth'),
      headerValue,
    )
    .optional(),
  tools: z.strictObject({ include: names.optional(), exclude: names.optional() }).optional(),
  keys: names.optional(),
  groups: names.optional(),
  test_keys: flag.optional(),
  timeout_seconds: number(z.number().min(1).max(3600)).optional(),
  max_bytes: bytes.optional(),
  max_listed: number(z.number().int().min(1).max(10_000)).optional(),
  price_per_call: dollars.optional(),
  offered_to: z.strictObject({ models: names, keys: names.optional(), groups: names.optional() }).optional(),
});

export const mcpSchema = z.strictObject({
  servers: z.array(serverSchema).max(100).optional(),
  own_tools: flag.optional(),
  authorization_servers: z.array(z.url()).min(1).optional(),
  chat: z
    .strictObject({
      max_turns: number(z.number().int().min(1).max(100)).optional(),
      max_calls: number(z.number().int().min(1).max(1000)).optional(),
      max_seconds: number(z.number().min(1).max(3600)).optional(),
      max_result_bytes: bytes.optional(),
      max_tools: number(z.number().int().min(1).max(1000)).optional(),
    })
    .optional(),
});

type McpRow = z.infer<typeof mcpSchema>;
type ServerRow = z.infer<typeof serverSchema>;

const TIMEOUT_SECONDS = 60;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LISTED = 1000;
const CHAT = { turns: 10, calls: 50, seconds: 300, resultBytes: 64 * 1024, tools: 128 };

export const MCP_SETTINGS = {
  'mcp.servers[].name': { about: 'the name of the server for callers: `/mcp/docs`, and tools of it `docs__search`' },
  'mcp.servers[].url': {
    about: 'its endpoint of Streamable HTTP; a private address needs `security.allow_private`',
  },
  'mcp.servers[].auth.header.name': { about: 'the header of its credentials: `authorization`' },
  'mcp.servers[].auth.header.value': { about: 'the value of the header: `Bearer ${DOCS_TOKEN}`' },
  'mcp.servers[].auth.oauth.token_url': {
    about: 'the token endpoint for client credentials, as in the authorization server’s metadata',
  },
  'mcp.servers[].auth.oauth.client_id': { about: 'the id of this gateway at the authorization server' },
  'mcp.servers[].auth.oauth.client_secret': { about: 'the secret of this gateway there' },
  'mcp.servers[].auth.oauth.scope': { about: 'the scope to request', default: 'what the authorization server gives' },
  'mcp.servers[].auth.oauth.resource': { about: 'the resource that the token is for (RFC 8707)', default: '`url`' },
  'mcp.servers[].headers': { about: 'headers for every request', default: 'none' },
  'mcp.servers[].tools.include': {
    about: 'names of tools to offer; `*` stands for any characters',
    default: 'all',
  },
  'mcp.servers[].tools.exclude': { about: 'names of tools to leave out', default: 'none' },
  'mcp.servers[].keys': { about: 'names of keys that may use it; `*` stands for any characters', default: 'all' },
  'mcp.servers[].groups': { about: 'groups of keys that may use it, likewise', default: 'all' },
  'mcp.servers[].test_keys': {
    about: 'whether test keys may use it, although its effects are real',
    default: false,
  },
  'mcp.servers[].timeout_seconds': {
    about: 'the longest time of one request',
    default: TIMEOUT_SECONDS,
    unit: 'seconds',
  },
  'mcp.servers[].max_bytes': {
    about: 'the largest accepted answer, such as `4mb`',
    default: MOST_BYTES,
    unit: 'bytes',
  },
  'mcp.servers[].max_listed': { about: 'how many tools, prompts or resources it may list', default: MOST_LISTED },
  'mcp.servers[].price_per_call': { about: 'what a call of one of its tools costs', default: 0, unit: 'US dollars' },
  'mcp.servers[].offered_to.models': {
    about: 'models whose chats get its tools without naming the server; `*` stands for any characters',
    default: 'none',
  },
  'mcp.servers[].offered_to.keys': { about: 'only chats of these keys, likewise', default: 'all that see it' },
  'mcp.servers[].offered_to.groups': { about: 'only chats of keys of these groups', default: 'all that see it' },
  'mcp.chat.max_turns': {
    about: 'how often a model may be asked for one answer of a chat with MCP servers',
    default: CHAT.turns,
  },
  'mcp.chat.max_calls': { about: 'how many tool calls it may make for one answer', default: CHAT.calls },
  'mcp.chat.max_seconds': {
    about: 'after this time the model is not asked again for the same answer',
    default: CHAT.seconds,
    unit: 'seconds',
  },
  'mcp.chat.max_result_bytes': {
    about: 'how much of a tool’s result the model gets',
    default: CHAT.resultBytes,
    unit: 'bytes',
  },
  'mcp.chat.max_tools': { about: 'how many tools of MCP servers a chat is offered', default: CHAT.tools },
  'mcp.own_tools': {
    about:
      'whether `/mcp/gateway` has the gateway’s own tools: list models, estimate a price, make images, speech, transcripts and videos',
    default: false,
  },
  'mcp.authorization_servers': {
    about: 'issuers that MCP clients without a key are referred to (RFC 9728)',
    default: 'none',
  },
} as const;

/** As core knows it; undefined where nothing is to be served. */
export function mcpOf(row: McpRow | undefined): McpSettings | undefined {
  const { servers = [], own_tools: ownTools = false } = row ?? {};
  if (servers.length === 0 && !ownTools) return undefined;
  return {
    servers: servers.map(serverOf),
    ownTools,
    authorizationServers: row?.authorization_servers ?? [],
    chat: boundsOf(row?.chat ?? {}),
  };
}

function boundsOf(row: NonNullable<McpRow['chat']>): McpSettings['chat'] {
  return {
    turns: row.max_turns ?? CHAT.turns,
    calls: row.max_calls ?? CHAT.calls,
    ms: (row.max_seconds ?? CHAT.seconds) * 1000,
    resultBytes: row.max_result_bytes ?? CHAT.resultBytes,
    tools: row.max_tools ?? CHAT.tools,
  };
}

function serverOf(row: ServerRow): McpServer {
  const { header, oauth } = row.auth ?? {};
  const given = Object.entries(row.headers ?? {}).map(([header, value]) => [header.toLowerCase(), value] as const);
  return {
    name: row.name,
    url: row.url,
    headers: {
      ...Object.fromEntries(given),
      ...(header !== undefined && { [header.name.toLowerCase()]: header.value }),
    },
    ...(oauth !== undefined && {
      oauth: {
        tokenUrl: oauth.token_url,
        clientId: oauth.client_id,
        clientSecret: oauth.client_secret,
        ...(oauth.scope !== undefined && { scope: oauth.scope }),
        resource: oauth.resource ?? row.url,
      },
    }),
    include: row.tools?.include ?? [],
    exclude: row.tools?.exclude ?? [],
    keys: row.keys ?? [],
    groups: row.groups ?? [],
    testKeys: row.test_keys ?? false,
    timeoutMs: (row.timeout_seconds ?? TIMEOUT_SECONDS) * 1000,
    mostBytes: row.max_bytes ?? MOST_BYTES,
    mostListed: row.max_listed ?? MOST_LISTED,
    pricePerCall: row.price_per_call ?? 0,
    ...(row.offered_to !== undefined && {
      offeredTo: {
        models: row.offered_to.models,
        keys: row.offered_to.keys ?? [],
        groups: row.offered_to.groups ?? [],
      },
    }),
  };
}

/** What MCP servers are checked against. */
interface Surroundings {
  readonly groups: readonly string[];
}

/** What is wrong with servers that have the right form. */
export function mcpFaults({ servers = [] }: McpRow, { groups }: Surroundings): readonly ConfigFault[] {
  return servers.flatMap((row, index): ConfigFault[] => {
    const at = (...path: readonly (string | number)[]) => ['mcp', 'servers', index, ...path];
    const faults: ConfigFault[] = [];
    if (servers.slice(0, index).some((earlier) => earlier.name === row.name))
      faults.push({ path: at('name'), message: `'${row.name}' is there twice` });
    if (row.name === OWN_SERVER)
      faults.push({
        path: at('name'),
        message: `'${OWN_SERVER}' is the name of the gateway’s own tools (mcp.own_tools)`,
      });
    const { username, password } = new URL(row.url);
    if (username !== '' || password !== '')
      faults.push({ path: at('url'), message: 'it carries a user name or a password; say them in auth.header' });
    if (row.auth?.header !== undefined && row.auth.oauth !== undefined)
      faults.push({ path: at('auth'), message: 'it has a header and an OAuth client; one of them says who asks' });
    faults.push(...groupFaults(at('groups'), row.groups, groups));
    faults.push(...groupFaults(at('offered_to', 'groups'), row.offered_to?.groups, groups));
    return faults;
  });
}
