import { reachForeignServers } from '../isolation/mcp.mjs';

export const law = 5;
export const name = 'MCP servers of another key; names and results in which instructions hide';
export const before = 'not measured: the checks came with what they check';
export const threshold =
  'a server that the key may not use is never asked, whatever a request, a result or a model names; nothing that people cannot see reaches a model or a client; no server is told a key';
export const run = reachForeignServers;
