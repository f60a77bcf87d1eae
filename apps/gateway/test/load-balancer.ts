/** What stands in front of replicas: takes turns among those whose readiness is green, keeps its connections, and repeats nothing that was sent. */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const LOOK_MS = 100;

interface Incoming extends Pick<IncomingMessage, 'url' | 'method' | 'headers'> {
  readonly body: Buffer;
}

interface Backend {
  readonly url: string;
  isReady: boolean;
}

export interface LoadBalancer {
  readonly url: string;
  add(url: string): void;
  remove(url: string): void;
  /** How many answers each replica gave. */
  readonly answers: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Starts it, with no replica behind it yet. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true });
  let backends: readonly Backend[] = [];
  const answers = new Map<string, number>();
  let turn = 0;

  const look = async (backend: Backend): Promise<void> => {
    const asking = request(`${backend.url}/readyz`, { agent: false, timeout: 1_000 });
    asking.end();
    backend.isReady = await once(asking, 'response').then(
      ([reply]: IncomingMessage[]) => (reply?.resume(), reply?.statusCode === 200),
      () => false,
    );
  };
  const looking = setInterval(() => backends.forEach((backend) => void look(backend)), LOOK_MS);

  const pass = (incoming: Incoming, response: ServerResponse, refused: readonly Backend[] = []): void => {
    const ready = backends.filter((backend) => backend.isReady && !refused.includes(backend));
    const backend = ready[turn++ % Math.max(1, ready.length)];
    if (backend === undefined) {
      response.writeHead(502).end('nobody is ready');
      return;
    }
    const { url, method, headers, body } = incoming;
    const outgoing = request(`${backend.url}${url ?? ''}`, { agent, method, headers });
    outgoing.once('response', (reply) => {
      answers.set(backend.url, (answers.get(backend.url) ?? 0) + 1);
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
      reply.once('error', () => response.destroy());
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      // Nobody was there to take it: another one may.
      if (error.code === 'ECONNREFUSED') pass(incoming, response, [...refused, backend]);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end(`${backend.url}: ${error.code ?? error.message}`);
    });
    outgoing.end(body);
  };
  const server = createServer((incoming, response) => {
    // Whole before it is passed on: what one backend refused must be there for the next.
    void buffer(incoming).then(
      (body) => pass({ url: incoming.url, method: incoming.method, headers: incoming.headers, body }, response),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => (backends = [...backends, { url, isReady: false }]),
    remove: (url) => (backends = backends.filter((backend) => backend.url !== url)),
    answers,
    async close() {
      clearInterval(looking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
