/** MCP servers that mean harm, and a model that does what it reads. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

export const MODERN = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A server that answers each method as `answers` says (`(reply, { response, id, params }) => …`); it lists one tool, `act`, where that says nothing. */
export async function startMcpServer(answers = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        const { id, method, params } = JSON.parse(body);
        asked.push({ method, params, headers: request.headers });
        const reply = (result) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        };
        const own = answers[method];
        if (own !== undefined) own(reply, { response, id, params });
        else if (method === 'server/discover') reply({ supportedVersions: [MODERN] });
        else if (method === 'tools/list') reply({ tools: [tool('act')] });
        else reply({ content: [{ type: 'text', text: 'done' }] });
      })
      .catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    calls: () => asked.filter(({ method }) => method === 'tools/call').length,
    stop: () => close(server),
  };
}

export function tool(name, description = 'A tool.') {
  return { name, description, inputSchema: { type: 'object' } };
}

/** A vendor of chat completions whose model makes these calls, one in each turn, and then says what it was told. Requests that it got are kept. */
export async function startObedientVendor(calls) {
  const requests = [];
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        const json = JSON.parse(body);
        requests.push({ json, headers: request.headers });
        const results = json.messages.filter(({ role }) => role === 'tool');
        const name = calls(json, results.length);
        const message =
          name === undefined
            ? { role: 'assistant', content: `I was told: ${results.at(-1)?.content ?? 'nothing'}`.slice(0, 1000) }
            : {
                role: 'assistant',
                content: null,
                tool_calls: [{ id: `call_${results.length}`, type: 'function', function: { name, arguments: '{}' } }],
              };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: json.model,
            choices: [{ index: 0, message, finish_reason: name === undefined ? 'stop' : 'tool_calls' }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
          }),
        );
      })
      .catch(() => response.destroy());
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, requests, stop: () => close(server) };
}

/** A request of the current revision for `ask`: its headers and its body. */
export function mcpRequest(method, params = {}) {
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  };
}

async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

async function close(server) {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
