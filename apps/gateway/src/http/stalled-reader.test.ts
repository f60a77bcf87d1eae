/** A reader who never reads is hung up on, and whoever reads in time is not. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { sinkOf } from './reply.ts';

const STALLED_MS = 40;
const PIECE = Buffer.alloc(1024 * 1024, 'a');

let server: Server;
let client: Socket;
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

/** Writes until the reader is slow, waits for him, and answers whether he is still there. */
async function writeTo(read: boolean): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  server = createServer((_request, response) => {
    void (async () => {
      const sink = sinkOf(response as Response, STALLED_MS);
      response.writeHead(200);
      for (let pieces = 0; pieces < 64; pieces++) {
        if (sink.write(PIECE)) continue;
        await sink.drained();
        if (response.destroyed) break;
      }
      answered.resolve(!response.destroyed);
    })();
  });
  server.listen(0);
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  if (read) client.resume();
  else client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return answered.promise;
}

it('one who never reads is hung up on', async () => {
  expect(await writeTo(false)).toBe(false);
});

it('one who reads is not', async () => {
  expect(await writeTo(true)).toBe(true);
});
