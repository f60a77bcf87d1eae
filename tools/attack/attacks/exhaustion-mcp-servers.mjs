import { askHostileServers } from '../exhaustion/mcp-servers.mjs';

export const law = 3;
export const name = 'MCP servers: results of 100 MB, lists without an end, a byte now and then';
export const before = 'not measured: each bound came with what it bounds';
export const threshold =
  'through the proxy and through chats: each request ends within 20 s, no more of a result than the server’s bound is handed on, the gateway grows by at most 250 MB, another owner is answered in at most 2 s meanwhile';
export const run = askHostileServers;
