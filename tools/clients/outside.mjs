/** A proxy that lets nothing through and remembers who asked for what: clients are told to use it for every address but loopback. */
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function startOutside() {
  let asked = new Set();
  const server = createServer((request, response) => {
    asked.add(hostOf(request.url));
    response.writeHead(403, { connection: 'close' }).end('no network but loopback');
  });
  server.on('connect', (request, socket) => {
    asked.add(request.url);
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    /** The environment that sends a client here. */
    env: Object.fromEntries([
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
        name,
        url,
      ]),
      ...['NO_PROXY', 'no_proxy'].map((name) => [name, '127.0.0.1,localhost,::1']),
    ]),
    /** The hosts asked for since the last call. */
    take() {
      const hosts = [...asked];
      asked = new Set();
      return hosts;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function hostOf(address) {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}
