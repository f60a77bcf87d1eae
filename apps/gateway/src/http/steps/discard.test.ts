import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createDiscard, type DiscardLimits } from './print-error.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Answers everything at once, without a look at the body. */
async function answering(limits: DiscardLimits): Promise<Socket> {
  const discard = createDiscard(limits);
  server = createServer((request, response) => {
    discard(request);
    response.writeHead(401, { 'content-length': 2 }).end('no');
  }).listen(0);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n';

it('a body that does not come is not waited for longer than it says', async () => {
  const socket = await answering({ bytes: 1e9, milliseconds: 50 });
  socket.write(`${HEAD}a`);
  let told = '';
  for await (const chunk of socket) told += String(chunk);
  expect(told).toContain('401');
});

it('more bytes than it says are not read', async () => {
  const socket = await answering({ bytes: 200_000, milliseconds: 60_000 });
  // A reset counts as closed.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(HEAD + 'a'.repeat(900_000));
  socket.resume();
  await closed;
  expect(socket.bytesWritten).toBeLessThan(1_000_000);
});

it('a body that came to its end leaves the connection open for the next request', async () => {
  const socket = await answering({ bytes: 2_000_000, milliseconds: 60_000 });
  socket.write(HEAD + 'a'.repeat(1_000_000) + HEAD);
  let told = '';
  while (told.split('401').length < 3) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    told += chunk.toString();
  }
  socket.destroy();
  expect(told).not.toContain('connection: close');
});
