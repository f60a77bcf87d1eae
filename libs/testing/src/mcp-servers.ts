/** MCP servers on real sockets for tests: the official SDK's, of the current revision and of older ones, and one that says whatever it is told to. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface TestMcpServer {
  readonly url: string;
  /** What it was sent, in order. */
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[];
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void> | void;

/** Starts a server that answers as it is told. */
export async function startMcpServer(answer: Answer): Promise<TestMcpServer> {
  const requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const serve: RequestListener = (request, response) => {
    const answering = async (): Promise<void> => {
      const body = await text(request);
      requests.push({ headers: request.headers, body });
      await answer(request, response, body);
    };
    answering().catch(() => response.destroy());
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a server of the current revision, without sessions: a tool that adds and one that tells its progress. */
export async function startModernMcpServer(): Promise<TestMcpServer> {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const { z } = await import('zod');
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1.0.0' });
      const form = { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) };
      server.registerTool('add', form, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
      server.registerTool('secret', { description: 'Not for everybody.' }, () => ({
        content: [{ type: 'text', text: 'hidden' }],
      }));
      server.registerResource('notes', 'file:///notes.txt', { mimeType: 'text/plain' }, (uri) => ({
        contents: [{ uri: uri.href, text: 'remember the milk' }],
      }));
      return server;
    },
    { legacy: 'reject' },
  );
  return startMcpServer(async (request, response, body) => {
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const asked = new Request(`http://${request.headers.host ?? ''}/mcp`, {
      method: request.method ?? 'GET',
      headers,
      ...(body !== '' && { body }),
    });
    const answer = await handler.fetch(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
}

/** Starts a server of older revisions that keeps sessions: it counts what it is asked in each. */
export async function startLegacyMcpServer(): Promise<TestMcpServer> {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { randomUUID } = await import('node:crypto');
  const sessions = new Map<string, InstanceType<typeof StreamableHTTPServerTransport>>();
  return startMcpServer(async (request, response, body) => {
    const given = request.headers['mcp-session-id'];
    let transport = sessions.get(String(given));
    if (transport === undefined && given !== undefined) {
      response.writeHead(404).end();
      return;
    }
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, made),
      });
      transport = made;
      const server = new McpServer({ name: 'legacy', version: '1.0.0' });
      let asked = 0;
      server.registerTool('count', { description: 'Counts its calls.' }, () => ({
        content: [{ type: 'text', text: String(++asked) }],
      }));
      await server.connect(made);
    }
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  });
}
