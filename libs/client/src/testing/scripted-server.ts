/** A server that answers what a test says, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What to answer: a whole reply, or a function that does as it likes with the socket. */
export type Scripted =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | ((response: ServerResponse, asked: Asked) => void);

export interface ScriptedServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Answers of the next requests, in order; the last one stays. */
  say(...replies: Scripted[]): void;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  let replies: Scripted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one: Asked = { method, url, headers, body: Buffer.concat(chunks) };
      asked.push(one);
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500, text: 'nothing scripted' };
      if (typeof reply === 'function') {
        reply(response, one);
        return;
      }
      const text = reply.text ?? JSON.stringify(reply.json ?? {});
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    say(...given) {
      replies = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A reply of server-sent events, cut into the given pieces; `cut` breaks the connection at the end. */
export function eventStream(pieces: readonly (string | Uint8Array)[], cut = false): Scripted {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_stream' });
    for (const piece of pieces) response.write(piece);
    if (cut) setTimeout(() => response.destroy(), 20);
    else response.end();
  };
}
