/** Stands between the gateway and the vendors, and breaks the connection, the reply or the time between its bytes. */
import { createServer, request } from 'node:http';

const HUGE_CHUNK = Buffer.alloc(1_048_576, 'x');
const SLOW_BYTE_MS = 400;

/** The ways in which a reply goes wrong; `carried out` means that the vendor has done what was asked. */
const WAYS = {
  /** Carried out, and never answered. */
  hang: ({ ask }) => void ask(() => undefined),
  /** The connection is taken, and that is all. */
  'half-open': ({ incoming }) => incoming.pause(),
  /** Reset: every other one before it was carried out, the rest after it. */
  reset: ({ incoming, ask, number }) => {
    if (number % 2 === 0) incoming.socket.resetAndDestroy();
    else ask((reply) => (reply.destroy(), incoming.socket.resetAndDestroy()));
  },
  'slow bytes': ({ ask, response }) =>
    ask(async (reply) => {
      const chunks = [];
      for await (const chunk of reply) chunks.push(chunk);
      response.writeHead(reply.statusCode, { 'content-type': reply.headers['content-type'] ?? 'application/json' });
      let at = 0;
      const bytes = Buffer.concat(chunks);
      const timer = setInterval(() => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, ++at));
      }, SLOW_BYTE_MS);
      response.once('close', () => clearInterval(timer));
    }),
  /** Without an end: one line of an event stream, or one string of a JSON body. */
  'huge reply': ({ ask, response }) =>
    ask((reply) => {
      reply.resume();
      const isStream = String(reply.headers['content-type']).startsWith('text/event-stream');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.write(isStream ? 'data: {"id":"' : '{"id":"');
      const more = () => {
        while (!response.destroyed && response.write(HUGE_CHUNK));
      };
      response.on('drain', more);
      response.on('close', () => response.off('drain', more));
      more();
    }),
  'broken gzip': ({ ask, response }) =>
    ask((reply) => {
      reply.resume();
      response.writeHead(200, {
        'content-type': reply.headers['content-type'] ?? 'application/json',
        'content-encoding': 'gzip',
      });
      response.end(Buffer.from('1f8b0800000000000003deadbeefdeadbeef', 'hex'));
    }),
};

/** Starts the relay in front of `twinUrl`. `misbehave(way)` begins, `behave()` ends and cuts what still hangs. */
export async function startRelay(twinUrl) {
  let way;
  let number = 0;
  const held = new Set();
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    incoming.on('error', () => undefined);
    const ask = (answer) => {
      const outgoing = request(
        new URL(incoming.url, twinUrl),
        { method: incoming.method, headers: incoming.headers },
        answer,
      );
      outgoing.on('error', () => incoming.socket.destroy());
      incoming.pipe(outgoing);
    };
    if (way === undefined) {
      ask((reply) => {
        response.writeHead(reply.statusCode, reply.headers);
        reply.on('error', () => response.destroy());
        reply.pipe(response);
        response.once('close', () => reply.destroy());
      });
      return;
    }
    held.add(incoming.socket);
    incoming.socket.once('close', () => held.delete(incoming.socket));
    WAYS[way]({ incoming, response, ask, number: number++ });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    misbehave: (next) => (way = next),
    /** How many requests met the fault. */
    met: () => number,
    behave() {
      way = undefined;
      for (const socket of held) socket.destroy();
    },
    dropConnections: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
